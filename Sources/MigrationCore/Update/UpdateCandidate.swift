import Folders

/// A legacy entity that a document shows, and where in the source it stands.
struct UpdateCandidate: Sendable {
  var identity: Identity
  var kind: EntityKind
  var position: SourcePosition
}
