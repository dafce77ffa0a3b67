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
  private var isSorted = true

  package init() {}

  /// Adds the name of a record.
  package mutating func add(_ identity: Identity, _ stem: some Collection<UInt8>) {
    entries.append(
      Entry(
        identity: identity, start: UInt32(truncatingIfNeeded: pool.count),
        length: UInt16(clamping: stem.count)))
    pool.append(contentsOf: stem)
    isSorted = false
  }

  /// Makes names findable; the first name of an identity stays.
  package mutating func sort() {
    if isSorted { return }
    entries.sort {
      $0.identity != $1.identity ? $0.identity < $1.identity : $0.start < $1.start
    }
    isSorted = true
  }

  /// Returns the name of a record, if one was added before the table was sorted.
  package func name(of identity: Identity) -> [UInt8]? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].identity < identity { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, entries[low].identity == identity else { return nil }
    let entry = entries[low]
    return Array(pool[Int(entry.start)..<Int(entry.start) + Int(entry.length)])
  }
}
