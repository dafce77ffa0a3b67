package import Folders

/// The identities that documents of a folder hold, or ever held.
///
/// A known identity is never imported: what a user changed or deleted in a document stays so.
package struct KnownIdentities: Sendable {
  /// Whether readers of the documents see an entity.
  package enum Status: Hashable, Sendable {
    case visible
    case deleted
  }

  private struct Entry {
    /// The number of a document that holds it; one that shows it, if any does.
    var document: UInt32
    var status: Status
  }

  private var tags: [Identity: Entry] = [:]
  private var records: [Identity: Entry] = [:]
  /// The further documents that show an identity; hardly ever there are any.
  private var furtherTags: [Identity: [UInt32]] = [:]
  private var furtherRecords: [Identity: [UInt32]] = [:]

  package init() {}

  package var isEmpty: Bool { tags.isEmpty && records.isEmpty }

  /// Returns the status of an identity, nil if no document ever held it.
  package subscript(kind: EntityKind, identity: Identity) -> Status? {
    kind == .tag ? tags[identity]?.status : records[identity]?.status
  }

  /// Returns the numbers of the documents that show an identity, ascending by path.
  package func documents(showing identity: Identity, _ kind: EntityKind) -> [Int] {
    let (entry, further) =
      kind == .tag
      ? (tags[identity], furtherTags[identity]) : (records[identity], furtherRecords[identity])
    guard let entry, entry.status == .visible else { return [] }
    return [Int(entry.document)] + (further ?? []).map(Int.init)
  }

  /// Adds an identity of a document; visible in one document is visible. A nil kind stands for both.
  package mutating func add(
    _ identity: Identity, _ kind: EntityKind?, _ status: Status, in document: Int
  ) {
    let entry = Entry(document: UInt32(truncatingIfNeeded: document), status: status)
    if kind != .record { Self.add(identity, entry, to: &tags, &furtherTags) }
    if kind != .tag { Self.add(identity, entry, to: &records, &furtherRecords) }
  }

  /// Adds everything another index of later documents holds.
  package mutating func merge(_ other: KnownIdentities) {
    // Usually one document holds nearly all: then nothing is held twice.
    if isEmpty {
      self = other
      return
    }
    Self.merge(other.tags, other.furtherTags, into: &tags, &furtherTags)
    Self.merge(other.records, other.furtherRecords, into: &records, &furtherRecords)
  }

  private static func merge(
    _ entries: [Identity: Entry], _ others: [Identity: [UInt32]],
    into target: inout [Identity: Entry], _ further: inout [Identity: [UInt32]]
  ) {
    for (identity, entry) in entries {
      add(identity, entry, to: &target, &further)
      if let documents = others[identity] { further[identity, default: []] += documents }
    }
  }

  private static func add(
    _ identity: Identity, _ entry: Entry, to entries: inout [Identity: Entry],
    _ further: inout [Identity: [UInt32]]
  ) {
    switch (entries[identity]?.status, entry.status) {
    case (nil, _), (.deleted, .visible): entries[identity] = entry
    case (.visible, .visible): further[identity, default: []].append(entry.document)
    case (_, .deleted): break
    }
  }
}
