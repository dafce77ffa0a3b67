import Diagnostics
import Folders
import SafeFiles

extension MergeEdits {
  /// Returns what is told about a document.
  ///
  /// - Parameter isApplied: whether the edits are on disk.
  func findings(at path: RelativePath, isApplied: Bool) -> [Finding] {
    var findings: [Finding] = []
    if !hiding.isEmpty {
      let isApplied = isApplied && unifies
      findings.append(
        Finding(
          .hiddenObject, isApplied ? .info : .warning, path: path.description,
          message: isApplied
            ? "objects that were made separately became one: \(hiding.listed)"
            : "an object hides another that holds more: \(hiding.listed)",
          next: isApplied ? nil : "run merge-conflicts FOLDER --unify to bring both together"))
    }
    if !listingTwice.isEmpty {
      findings.append(
        Finding(
          .duplicateImage, isApplied ? .info : .warning, path: path.description,
          message: isApplied
            ? "images listed twice are listed once now: \(listingTwice.listed)"
            : "images are listed twice: \(listingTwice.listed)",
          next: isApplied ? nil : "run merge-conflicts FOLDER --unify to list them once"))
    }
    return findings
  }
}
