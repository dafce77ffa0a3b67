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
  }

  private var entries: [Entry] = []
  private var pool: [UInt8] = []
  /// The entries by their identities, once they are to be found.
  private var positions = IdentityPositions()

  package init() {}

  /// Adds the name of a record.
  package mutating func add(_ identity: Identity, _ stem: some Collection<UInt8>) {
    entries.append(
      Entry(
        identity: identity, start: UInt32(truncatingIfNeeded: pool.count),
        length: UInt16(clamping: stem.count)))
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

  /// Makes names findable; the first name of an identity stays.
  package mutating func index() {
    positions = IdentityPositions(count: entries.count) { [entries] in entries[$0].identity }
  }

  /// Returns the name of a record, if one was added before the table was indexed.
  package func name(of identity: Identity) -> [UInt8]? {
    guard let position = positions.first(of: identity, where: { entries[$0].identity == identity })
    else { return nil }
    let entry = entries[position]
    return Array(pool[Int(entry.start)..<Int(entry.start) + Int(entry.length)])
  }
}
