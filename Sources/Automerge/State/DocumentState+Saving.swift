extension DocumentState {
  /// Returns the document as a file: one document chunk, then the changes that wait in the queue
  /// (format.md 4.7, 6.8).
  ///
  /// - Parameter compressionLevel: zlib's, for columns of 256 bytes and more; nil compresses
  ///   nothing.
  package func encoded(compressionLevel: Int32? = Compression.standardLevel) -> [UInt8] {
    var output: [UInt8] = []
    let heads = history.headRows
      .map { (hash: history.changes[$0].hash, row: $0) }
      .sorted { $0.hash < $1.hash }
    var changes = ColumnWriter(compressionLevel: compressionLevel)
    let places = actors.places
    history.encode(into: &changes, actors: places)
    var rows = ColumnWriter(compressionLevel: compressionLevel)
    encodeOperations(into: &rows, actors: places)
    changes.compress()
    rows.compress()
    DocumentWriter.write(
      actors: actors.ascendingIDs, heads: heads, changes: changes, operations: rows, to: &output)
    output.append(contentsOf: queue.chunks)
    return output
  }

  /// - Parameter actors: the number to write for each actor.
  private func encodeOperations(into columns: inout ColumnWriter, actors: [UInt32]) {
    guard operations.directory.count > 0 else { return }
    var encoder = OperationEncoder()
    for page in operations.directory.pages.lazy.map(\.flat) {
      for row in page.rows {
        encoder.append(row, related: page.successors, pool: operations.pool, actors: actors)
        encoder.appendID(row.id, actors: actors)
      }
    }
    encoder.finish(.document, pool: operations.pool, into: &columns)
  }
}
