package import Automerge

/// Who wrote a field of an entity, and everything in it.
package struct FieldHistory {
  /// The changes of imports and updates that did something to the field.
  private(set) var writers: Set<ImportHistory.Change> = []
  /// Whether what readers see of the field, its absence too, is what imports and updates left.
  package private(set) var isOurs = true

  /// The change that made the object the field is in, if that counts as an import, too.
  private let originRow: Int?

  /// Looks at everything ever done to a group; nil is a field that nobody ever touched, as an import
  /// leaves the fields that its file does not have.
  ///
  /// - Parameters:
  ///   - value: the only one of several values that counts, and what is in it.
  ///   - originRow: the row of a change that counts as an import, whoever wrote it.
  package init(
    of group: ValueGroup?, only value: OpID? = nil, originRow: Int? = nil,
    in history: inout ImportHistory
  ) {
    self.originRow = originRow
    let document = history.document
    // A list instead of recursion: a document may nest as deep as its bytes allow.
    var pending = group.map { [(group: $0, isSeen: true)] } ?? []
    var value = value
    while let (group, isSeen) = pending.popLast() {
      var isVisible = false
      var wasRemovedByUs = true
      document.forEachOperation(in: group) { id, isValueVisible, successors in
        if let value, id != value { return }
        let isWrittenByUs = note(id, in: &history)
        var isContinuedByUs = true
        for successor in successors where !note(successor, in: &history) { isContinuedByUs = false }
        wasRemovedByUs = isContinuedByUs
        if isValueVisible {
          isVisible = true
          // What comes after a value that is still seen are increments of a counter.
          if isSeen, !isWrittenByUs || !isContinuedByUs { isOurs = false }
        }
        guard document.kind(of: id) != nil else { return }
        document.forEachGroup(in: id) { _, inner in
          pending.append((inner, isSeen && isValueVisible))
        }
      }
      // Nobody sees a value: then whoever took away the newest one wrote the absence.
      if isSeen, !isVisible, !wasRemovedByUs { isOurs = false }
      // What is in it counts as a whole.
      value = nil
    }
  }

  private mutating func note(_ id: OpID, in history: inout ImportHistory) -> Bool {
    if let change = history.change(of: id) {
      writers.insert(change)
      return true
    }
    return originRow != nil && history.document.row(ofChangeThatMade: id) == originRow
  }
}
