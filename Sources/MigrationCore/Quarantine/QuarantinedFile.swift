import Backups
import Folders
import SafeFiles

/// A file that is to move to quarantine, as it was when it was read.
struct QuarantinedFile: Sendable {
  /// Where it is, relative to the folder; it keeps this path in the directory of the run.
  var path: RelativePath
  /// Its state when its bytes were read; it moves only while it is in this state.
  var state: FileState
  /// The hash of its bytes.
  var hash: ContentHash
  /// The identities it holds, as far as somebody may look for them.
  var identities: [Identity]
}
