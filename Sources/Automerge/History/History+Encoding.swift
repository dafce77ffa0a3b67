extension History {
  /// Appends the change columns of a document, in the order of application (format.md 4.2).
  ///
  /// - Parameter actors: the number to write for each actor.
  func encode(into columns: inout ColumnWriter, actors: [UInt32]) {
    guard !changes.isEmpty else { return }
    var encoder = ChangeRowEncoder()
    for change in changes {
      encoder.append(
        actor: actors[Int(change.actor)], sequence: change.sequence, maxCounter: change.maxCounter,
        time: change.time, message: change.message, extra: change.extra, pool: chunks,
        dependencies: dependencyRows[change.dependencies])
    }
    encoder.finish(pool: chunks, into: &columns)
  }
}
