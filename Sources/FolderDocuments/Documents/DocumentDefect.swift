package import Automerge
package import Diagnostics
import Folders
package import SafeFiles

/// Why a document cannot be read: what is told about it, and which entities wait for it.
package struct DocumentDefect: Error, Sendable {
  /// The document's number in its inventory.
  package var file: Int
  /// What is told about it.
  package var finding: Finding

  package init(_ error: FileError, file: Int, path: String) {
    self.file = file
    if case .missing = error {
      finding = .gone
      finding.path = path
      return
    }
    let code: Finding.Code =
      if case .changedWhileRead = error { .changedWhileRead } else { .unreadable }
    finding = Finding(
      code, .error, path: path, message: error.diagnostic.problem, next: error.diagnostic.remedy)
  }

  package init(_ error: FormatError, file: Int, path: String) {
    self.file = file
    if case .missingDependencies = error.fact {
      finding = Finding(
        .incompleteDocument, .error, path: path, message: error.problem,
        next: "look for a copy that holds them and merge the two with merge-conflicts",
        offset: error.offset)
    } else {
      finding = Finding(
        .damagedDocument, .error, path: path, message: error.problem,
        next: Self.nextStep, offset: error.offset)
    }
  }

  /// An empty file: Automerge reads it as an empty document, but no program saves one, so it is
  /// what an interrupted copy left.
  package init(emptyFile file: Int, path: String) {
    self.file = file
    finding = Finding(
      .damagedDocument, .error, path: path, message: "is empty, expected a document",
      next: Self.nextStep, offset: 0)
  }

  /// What to do about a document that does not load; the last resort comes last.
  private static let nextStep =
    "fetch it from another device, or bring it back with restore-backup --only; "
    + "failing that, salvage it with repair-crdt"
}
