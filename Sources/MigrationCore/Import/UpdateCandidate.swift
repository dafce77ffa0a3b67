import FolderDocuments
import Folders

/// A legacy entity that a document shows, and where in the source it stands.
struct UpdateCandidate: Sendable {
  var identity: Identity
  var kind: EntityKind
  var position: SourcePosition
  /// Tells its content from that of another file with the same identity.
  var content: UInt64
  /// Whether another file holds other content, so that no update may take this.
  var isAmbiguous = false
}
