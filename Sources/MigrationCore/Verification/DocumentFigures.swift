import Automerge

/// What a document takes, and how much is in it.
package struct DocumentFigures: Hashable, Sendable {
  /// Its number in the inventory.
  private(set) var file: Int
  /// The bytes of the file.
  package let byteCount: Int
  /// The changes in its history.
  package let changeCount: Int
  /// The changes in the file that wait for others.
  package let queuedCount: Int
  /// The operations of its changes, deletes not included.
  package let operationCount: Int
  /// Those who wrote changes.
  package let actorCount: Int
  /// The keys and elements that hold several values between which nobody decided.
  package let conflictCount: Int

  init(_ document: DocumentState, file: Int, byteCount: Int) {
    self.file = file
    self.byteCount = byteCount
    changeCount = document.changeCount
    queuedCount = document.queuedCount
    operationCount = document.operationCount
    actorCount = document.actorIDs.count
    conflictCount = ConflictWalk(document: document, view: nil).count
  }

  /// The figures of a file with the same bytes.
  func of(file: Int) -> DocumentFigures {
    var figures = self
    figures.file = file
    return figures
  }
}
