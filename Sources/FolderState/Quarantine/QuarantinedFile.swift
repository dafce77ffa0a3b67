import Backups
package import Folders
package import SafeFiles

/// A file that is to move to quarantine, as it was when it was read.
package struct QuarantinedFile: Sendable {
  /// Where it is, relative to the folder; it keeps this path in the directory of the run.
  package var path: RelativePath
  /// Its state when its bytes were read; it moves only while it is in this state.
  package var state: FileState
  /// The hash of its bytes.
  package var hash: ContentHash
  /// The identities it holds, as far as somebody may look for them.
  package var identities: [Identity]

  package init(path: RelativePath, state: FileState, hash: ContentHash, identities: [Identity]) {
    self.path = path
    self.state = state
    self.hash = hash
    self.identities = identities
  }
}
