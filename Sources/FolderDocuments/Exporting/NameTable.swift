package import Folders
import SafeFiles

/// The file names that records had as legacy files, by identity.
///
/// A document of a month does not hold them; the legacy files do, in the folder or in quarantine.
package struct NameTable: Sendable {
  private struct Entry {
    var identity: Identity
    var start: UInt32
    var length: UInt16
    /// Whether a copy of the file was called so.
    var isCopy: Bool
  }

  private var entries: [Entry] = []
  private var pool: [UInt8] = []
  /// The entries by their identities, once they are to be found.
  private var positions = IdentityPositions()

  package init() {}

  /// Adds the name of a record, or that of a copy of its file.
  package mutating func add(
    _ identity: Identity, _ stem: some Collection<UInt8>, isCopy: Bool = false
  ) {
    entries.append(
      Entry(
        identity: identity, start: UInt32(truncatingIfNeeded: pool.count),
        length: UInt16(clamping: stem.count), isCopy: isCopy))
    pool.append(contentsOf: stem)
  }

  /// Adds the names of another table.
  package mutating func append(_ other: NameTable) {
    let start = UInt32(truncatingIfNeeded: pool.count)
    for var entry in other.entries {
      entry.start &+= start
      entries.append(entry)
    }
    pool.append(contentsOf: other.pool)
  }

  /// Makes names findable: the first name of an identity, or the first of a copy where there is no other.
  package mutating func index() {
    positions = IdentityPositions(count: entries.count)
    for isCopy in [false, true] {
      for (position, entry) in entries.enumerated() where entry.isCopy == isCopy {
        positions.insert(position, of: entry.identity) { entries[$0].identity == entry.identity }
      }
    }
  }

  /// Returns the name of a record, if one was added before the table was indexed.
  package func name(of identity: Identity) -> [UInt8]? {
    guard let position = positions.first(of: identity, where: { entries[$0].identity == identity })
    else { return nil }
    let entry = entries[position]
    return Array(pool[Int(entry.start)..<Int(entry.start) + Int(entry.length)])
  }
}
