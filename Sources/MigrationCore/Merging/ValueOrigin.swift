import Automerge

/// Tells what users wrote from what an import wrote.
///
/// An import of ours shows by its author. That of an app shows by its object: it writes the object
/// and what is in it in one change, and whoever writes into it later edits it.
struct ValueOrigin {
  private var history: ImportHistory
  private let document: DocumentState

  init(of document: DocumentState) {
    self.document = document
    history = ImportHistory(of: document)
  }

  /// Whether a value of an object, or anything in it, was written after the import.
  mutating func isEdited(_ value: DocumentValue, of object: OpID) -> Bool {
    let creation = document.row(ofChangeThatMade: object)
    var pending = [value]
    while let next = pending.popLast() {
      if isEdit(next.id, creation) { return true }
      guard case .object(let kind) = next.content else { continue }
      if kind == .map {
        document.forEachKey(of: next.id) { _, group in append(group, to: &pending) }
      } else {
        document.forEachElement(of: next.id) { _, group in append(group, to: &pending) }
      }
    }
    return false
  }

  private func append(_ group: ValueGroup, to pending: inout [DocumentValue]) {
    if let winner = document.winner(in: group) { pending.append(winner) }
  }

  private mutating func isEdit(_ id: OpID, _ creation: Int?) -> Bool {
    document.row(ofChangeThatMade: id) != creation && history.change(of: id) == nil
  }
}
