// Who wrote what, for programs that derive the authors of their changes.
extension DocumentState {
  /// Returns the hash of the change at a row.
  package func hash(ofChange row: Int) -> ChangeHash { history.changes[row].hash }

  /// The rows of the changes that have a message, ascending.
  package var rowsWithMessages: [Int] {
    history.changes.indices.filter { (history.changes[$0].message?.count ?? 0) > 0 }
  }

  /// Returns which changes the one at a row builds on, itself included, by their rows.
  package func past(ofChange row: Int) -> [Bool] {
    history.ancestors(of: CollectionOfOne(history.changes[row].hash))
  }

  /// Returns the row of the only change that the one at a row depends on, nil if there is none or
  /// more than one.
  package func onlyDependency(ofChange row: Int) -> Int? {
    let dependencies = history.dependencies(of: row)
    return dependencies.count == 1 ? dependencies.first.map(Int.init) : nil
  }

  /// Returns how many changes the one at a row depends on.
  package func dependencyCount(ofChange row: Int) -> Int { history.dependencies(of: row).count }

  /// Whether the author of the change at a row is the one that `ChangeDraft.finish(deriving:)` gives
  /// a change with this body and label. Costs a hash of the body.
  package func derivesAuthor(ofChange row: Int, from label: StaticString) -> Bool {
    actors[Int(history.changes[row].actor)].isDerived(from: body(ofChange: row), label: label)
  }

  /// Calls `body` with each operation ever done to a group, deletes excepted, ascending by id:
  /// whether readers see it, and what came after it, deletes included.
  package func forEachOperation<E>(
    in group: ValueGroup,
    _ body: (_ id: OpID, _ isVisible: Bool, _ successors: ArraySlice<OpID>) throws(E) -> Void
  ) throws(E) {
    var place = group.rows.start
    while place < group.rows.end {
      let row = operations[place]
      try body(
        row.id, row.isVisible, operations.directory.pages[place.page].successors(of: place.slot))
      place = operations.after(place)
    }
  }

  /// Calls `body` with each key of a map or each element of a list or text that any operation ever
  /// touched, visible or not, in order; an element by the operation that inserted it.
  package func forEachGroup<E>(
    in object: OpID, _ body: (_ element: OpID, _ group: ValueGroup) throws(E) -> Void
  ) throws(E) {
    try operations.forEachGroup(of: object) { rows throws(E) in
      try body(operations[rows.start].id, ValueGroup(rows: rows))
    }
  }
}
