import Backups
package import Folders
package import SafeFiles

/// A file that is to move to quarantine, as it was when it was read.
package struct QuarantinedFile: Sendable {
  /// Where it is, relative to the folder; it keeps this path in the directory of the run.
  package var path: RelativePath
  /// What was read; it moves only while it still is that.
  package var version: FileVersion
  /// The identities it holds, as far as somebody may look for them.
  package var identities: [Identity]

  package init(path: RelativePath, version: FileVersion, identities: [Identity]) {
    self.path = path
    self.version = version
    self.identities = identities
  }
}
