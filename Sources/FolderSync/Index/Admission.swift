import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

/// What of the other side's may be written to a folder under a new path.
struct Admission: Sendable {
  let inventory: FolderInventory
  private let layout: FolderInventory.LayoutEvidence
  private let setAside: SetAsideMonths
  /// Directories of which nobody knows what is in them, or that are none.
  private let closedDirectories: [RelativePath]
  /// What is told about them.
  let findings: [Finding]

  /// Looks at a folder as it was listed.
  init(of folder: Directory, _ listing: FolderListing, context: RunContext) throws(MigrationError) {
    inventory = listing.inventory
    layout = inventory.layoutEvidence
    setAside = try SetAsideMonths(of: folder, includesAttachedFiles: true, context: context)
    var findings = listing.findings + setAside.findings.filter { $0.severity > .info }
    var closed: [RelativePath] = []
    for file in inventory.indices {
      if inventory.fileClass(of: file) == .unreadable {
        closed.append(inventory.path(of: file))
      } else if inventory.nominalClass(of: file) == .directory {
        let path = inventory.path(of: file)
        closed.append(path)
        findings.append(
          Finding(
            .notSynced, .error, path: path.description,
            message: "has the name of a directory and is none: nothing below it is synced",
            next: "put the directory itself there"))
      }
    }
    closedDirectories = closed
    self.findings = findings
  }

  /// Returns why nothing may be written to a path at which nothing is; nil if something may.
  func reason(toDecline path: RelativePath, isDocument: Bool) -> Finding? {
    let shown = path.description
    if closedDirectories.contains(where: { $0.contains(path) }) {
      return Finding(
        .notSynced, .warning, path: shown,
        message: "is on the other side, and nobody can look where it would be here")
    }
    let fileClass = inventory.kinds.fileClass(ofPath: path)
    let isLookedFor =
      isDocument ? fileClass.isDocument && fileClass != .otherDocument : fileClass == .image
    guard isLookedFor, inventory.file(at: path) == nil else {
      return Finding(
        .notSynced, .warning, path: shown,
        message:
          "is on the other side, and nothing here looks for \(isDocument ? "a document" : "a file") there",
        next: "see which profile the other side uses")
    }
    switch (layout, fileClass) {
    case (.only(.monthly), .entityDocument), (.only(.perRecord), .monthDocument):
      return Finding(
        .notSynced, .error, path: shown,
        message: "is on the other side, in another layout than the documents here",
        next: "bring one side into the layout of the other with migrate-schema")
    default: break
    }
    let found = isDocument ? setAside.document(at: path) : setAside.attachedFile(at: path)
    guard let found else { return nil }
    return Finding(
      .setAside, .info, path: shown,
      message: "is on the other side; here it was set aside with its month, and stays so",
      next: found.remedy, command: found.command)
  }
}
