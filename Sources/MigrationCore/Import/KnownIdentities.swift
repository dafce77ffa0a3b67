import Folders

/// The identities that documents of a folder hold, or ever held.
///
/// A known identity is never imported: what a user changed or deleted in a document stays so.
struct KnownIdentities: Sendable {
  /// Whether readers of the documents see an entity.
  enum Status: Hashable, Sendable {
    case visible
    case deleted
  }

  private var tags: [Identity: Status] = [:]
  private var records: [Identity: Status] = [:]

  init() {}

  var isEmpty: Bool { tags.isEmpty && records.isEmpty }

  /// Returns the status of an identity, nil if no document ever held it.
  subscript(kind: EntityKind, identity: Identity) -> Status? {
    kind == .tag ? tags[identity] : records[identity]
  }

  /// Adds an identity; visible in one document is visible. A nil kind stands for both.
  mutating func add(_ identity: Identity, _ kind: EntityKind?, _ status: Status) {
    if kind != .record { Self.add(identity, status, to: &tags) }
    if kind != .tag { Self.add(identity, status, to: &records) }
  }

  /// Adds everything another index holds.
  mutating func merge(_ other: KnownIdentities) {
    for (identity, status) in other.tags { Self.add(identity, status, to: &tags) }
    for (identity, status) in other.records { Self.add(identity, status, to: &records) }
  }

  private static func add(
    _ identity: Identity, _ status: Status, to statuses: inout [Identity: Status]
  ) {
    if statuses[identity] != .visible { statuses[identity] = status }
  }
}
