package import Diagnostics
package import Folders
package import Runs
package import SafeFiles

// Whether a folder is of the app that its profile describes.
extension FolderInventory {
  /// Throws `unknownApp` if nothing shows that the folder is the app's, and something in it may be data of
  /// another one.
  ///
  /// What a clean-up moved to quarantine shows it as well as what lies in the folder.
  ///
  /// - Parameter unlisted: what could not be listed, where what is missing may be.
  package func requireKnownApp(
    in folder: Directory, at path: String, unlisted: [Finding],
    by evidence: Evidence = .recognition
  ) throws(MigrationError) {
    guard unlisted.isEmpty, let file = fileOfUnknownApp(unless: evidence) else { return }
    var unseen: [Finding] = []
    for run in try Quarantine.runs(of: folder, noting: &unseen) {
      let content = try Quarantine.inventory(of: run, as: kinds, noting: &unseen)
      if content.showsApp(by: .anyKind) { return }
    }
    guard unseen.isEmpty else { return }
    throw .unknownApp(
      UnknownApp(path: path, file: self.path(of: file).description, as: kinds, by: evidence))
  }
}

extension FolderAccess {
  /// Throws `unknownApp` as an inventory does, before anything is written to a folder: that would be a
  /// lock file at least. Of a folder that is the app's little is listed.
  ///
  /// - Parameter findings: gets what could not be listed.
  package static func requireKnownApp(
    _ folder: Directory, at path: String, context: RunContext, noting findings: inout [Finding]
  ) throws(MigrationError) {
    var unlisted: [Finding] = []
    let isKnown = try MigrationError.wrapping { () throws(FileError) in
      try FolderInventory.showsApp(folder, as: context.kinds, noting: &unlisted)
    }
    if !isKnown, unlisted.isEmpty {
      let inventory = try inventory(of: folder, as: context.kinds, noting: &unlisted)
      try inventory.requireKnownApp(in: folder, at: path, unlisted: unlisted)
    }
    findings += unlisted
  }
}
