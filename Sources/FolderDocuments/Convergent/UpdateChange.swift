package import Automerge

/// One change that edits a document in the same way on every device that holds the same history.
///
/// Its author is derived from its bytes under a label, it has no time, and it depends on all heads
/// (convergent-import.md). The caller writes operations into `draft`, in the order the
/// mapping prescribes, and names what is in the document by `reference(to:)`.
package struct UpdateChange {
  /// The operations so far.
  package var draft = ChangeDraft()

  /// For each actor of the document its place among all of them.
  private let places: [UInt32]

  /// Begins a change on top of a document.
  ///
  /// - Parameters:
  ///   - time: seconds since 1970; 0 for none, as in whatever every device is to write alike.
  ///   - message: in UTF-8; empty for none.
  package init(
    onto document: DocumentState, time: Int64 = 0, message: [UInt8] = []
  ) throws(FormatError) {
    guard document.maxCounter < .max else { throw FormatError(.counterOutOfRange, at: 0) }
    places = document.actorPlaces
    // All actors for now: which of them operations name shows at the end.
    draft.begin(
      sequence: 1, startCounter: document.maxCounter + 1, dependencies: document.heads,
      otherActors: document.actorIDs, time: time, message: message)
  }

  /// Whether nothing is edited; such a change is not applied.
  package var isEmpty: Bool { draft.operationCount == 0 }

  /// Returns what the change calls an object or an element of the document.
  package func reference(to id: OpID, of document: DocumentState) -> ChangeDraft.LocalID {
    // Behind the author, whose place is 0.
    id.isRoot ? .root : ChangeDraft.LocalID(counter: id.counter, actor: places[id.actor] + 1)
  }

  /// Returns what a value at this place replaces: all that readers see there.
  package func predecessors(
    in group: ValueGroup?, of document: DocumentState
  ) -> [ChangeDraft.LocalID] {
    guard let group else { return [] }
    return document.values(in: group).map { reference(to: $0.id, of: document) }
  }

  /// Deletes what readers see of a key of a map; nothing if they see nothing.
  package mutating func delete(
    in map: ChangeDraft.LocalID, key: [UInt8], _ group: ValueGroup, of document: DocumentState
  ) {
    let seen = predecessors(in: group, of: document)
    if !seen.isEmpty { draft.delete(in: map, key: key.span, predecessors: seen) }
  }

  /// Deletes an element of a list that readers see.
  package mutating func delete(
    element: OpID, in list: OpID, _ group: ValueGroup, of document: DocumentState
  ) {
    let seen = predecessors(in: group, of: document)
    guard !seen.isEmpty else { return }
    draft.delete(
      in: reference(to: list, of: document), element: reference(to: element, of: document),
      predecessors: seen)
  }

  /// Completes the change, its author derived under a label, and applies it to the document it was
  /// begun on.
  ///
  /// - Returns: whether there was anything to apply.
  package mutating func apply(
    to document: inout DocumentState, as label: ImportLabel
  ) throws(FormatError) -> Bool {
    if isEmpty { return false }
    try finish(on: document, deriving: label.text)
    return try apply(to: &document) > 0
  }

  /// Completes the change of a step and applies it, also if it edits nothing: it is the record of the
  /// step, too.
  ///
  /// - Returns: the change as a chunk.
  package mutating func apply(
    to document: inout DocumentState, as label: StepLabel
  ) throws(FormatError) -> [UInt8] {
    try finish(on: document, deriving: label.text)
    try apply(to: &document)
    return draft.chunk
  }

  /// Completes the change of what a person decided, and applies it.
  package mutating func applyDecision(to document: inout DocumentState) throws(FormatError) {
    try finish(on: document, deriving: "automerge-migrate/1/decision")
    try apply(to: &document)
  }

  private mutating func finish(
    on document: DocumentState, deriving label: StaticString
  ) throws(FormatError) {
    guard draft.operationCount < Int(UInt32.max - document.maxCounter) else {
      throw FormatError(.counterOutOfRange, at: 0)
    }
    draft.dropUnusedActors()
    draft.finish(deriving: label)
  }

  @discardableResult
  private func apply(to document: inout DocumentState) throws(FormatError) -> Int {
    var batch = ChangeBatch()
    batch.append(draft)
    return try document.apply(batch)
  }
}
