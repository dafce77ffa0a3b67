package import Automerge

/// Tells which changes of a document imports and updates wrote, by computing their authors again.
///
/// An author is a hash of its change, so nobody else can have written under its name. What one actor
/// wrote is looked up once.
package struct ImportHistory {
  /// A change that an import or an update wrote.
  package struct Change: Hashable, Sendable {
    /// Its row in the document.
    package var row: Int
    package var label: ImportLabel
  }

  /// The document whose history this is.
  package let document: DocumentState

  private enum Author {
    case ours(Change, counters: ClosedRange<UInt32>)
    case somebodyElses
  }

  /// By the actor's number in the document.
  private var authors: [Int: Author] = [:]

  package init(of document: DocumentState) {
    self.document = document
  }

  /// Returns the change of an import or an update that an operation is part of; nil if somebody else
  /// wrote it.
  package mutating func change(of id: OpID) -> Change? {
    if id.isRoot { return nil }
    let author = authors[id.actor] ?? look(at: id)
    authors[id.actor] = author
    guard case .ours(let change, let counters) = author, counters.contains(id.counter) else {
      return nil
    }
    return change
  }

  private func look(at id: OpID) -> Author {
    guard let row = document.row(ofChangeBy: document.author(of: id), sequence: 1) else {
      return .somebodyElses
    }
    let summary = document.change(at: row)
    guard summary.operationCount > 0, let label = document.label(ofChange: row, summary),
      // What was brought together may be what a user wrote: no update may write over it.
      label != .unify
    else { return .somebodyElses }
    return .ours(
      Change(row: row, label: label), counters: summary.startCounter...summary.maxCounter)
  }
}

extension DocumentState {
  /// Whether an app made one of the changes: neither an import nor a merge did.
  package var holdsChangeOfAnApp: Bool {
    (0..<changeCount).contains { label(ofChange: $0) == nil }
  }

  /// Returns the label that derives the author of the change at a row; nil if somebody else made it.
  package func label(ofChange row: Int) -> ImportLabel? {
    label(ofChange: row, change(at: row))
  }

  fileprivate func label(ofChange row: Int, _ summary: ChangeSummary) -> ImportLabel? {
    // What the labels of all versions have in common spares most others a hash.
    guard summary.time == 0, summary.message.isEmpty, summary.sequence == 1 else { return nil }
    return ImportLabel.allCases.first { derivesAuthor(ofChange: row, from: $0.text) }
  }
}
