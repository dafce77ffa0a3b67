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

  /// Those of one kind.
  private struct Table {
    var entries: [Identity: Entry] = [:]
    /// The further documents that show an identity; hardly ever there are any.
    var further: [Identity: [UInt32]] = [:]

    mutating func add(_ identity: Identity, _ entry: Entry) {
      switch (entries[identity]?.status, entry.status) {
      case (nil, _), (.deleted, .visible): entries[identity] = entry
      case (.visible, .visible): further[identity, default: []].append(entry.document)
      case (_, .deleted): break
      }
    }

    mutating func merge(_ other: Table) {
      // Usually one document holds nearly all: then nothing is held twice.
      if entries.isEmpty {
        self = other
        return
      }
      for (identity, entry) in other.entries {
        add(identity, entry)
        if let documents = other.further[identity] {
          further[identity, default: []] += documents
        }
      }
    }
  }

  /// By kind; as many as kinds were met.
  private var tables: [Table] = []

  package init() {}

  /// Returns the status of an identity, nil if no document ever held it.
  package subscript(kind: EntityKind, identity: Identity) -> Status? {
    entries(of: kind)?[identity]?.status
  }

  /// Returns the numbers of the documents that show an identity, ascending by path.
  package func documents(showing identity: Identity, _ kind: EntityKind) -> [Int] {
    guard let entry = entries(of: kind)?[identity], entry.status == .visible else { return [] }
    return [Int(entry.document)]
      + (tables[Int(kind.index)].further[identity] ?? []).map(Int.init)
  }

  /// Returns how many entities of a kind documents show.
  package func visibleCount(of kind: EntityKind) -> Int {
    entries(of: kind)?.values.count { $0.status == .visible } ?? 0
  }

  /// Adds an identity of a document; visible in one document is visible.
  package mutating func add(
    _ identity: Identity, _ kind: EntityKind, _ status: Status, in document: Int
  ) {
    makeTable(of: Int(kind.index))
    tables[Int(kind.index)].add(
      identity, Entry(document: UInt32(truncatingIfNeeded: document), status: status))
  }

  /// Adds everything another index of later documents holds.
  package mutating func merge(_ other: KnownIdentities) {
    for (kind, table) in other.tables.enumerated() {
      makeTable(of: kind)
      tables[kind].merge(table)
    }
  }

  private func entries(of kind: EntityKind) -> [Identity: Entry]? {
    Int(kind.index) < tables.count ? tables[Int(kind.index)].entries : nil
  }

  private mutating func makeTable(of kind: Int) {
    while tables.count <= kind { tables.append(Table()) }
  }
}
