import SampleFolders

/// Writes a log as SQLite writes it beside a database, on a machine that keeps the lowest byte first:
/// `[4 magic][4 version][4 page size][4 sequence][8 salts][8 checksums]`, then for each frame
/// `[4 page][4 pages of the database, if it ends a transaction][8 salts][8 checksums][page]`.
struct LogWriter {
  static let pageSize = 4096
  static let headerSize = 32
  static let frameSize = 24 + pageSize

  private(set) var bytes: [UInt8] = []
  private let salts: [UInt8]
  private var sums: (UInt32, UInt32) = (0, 0)

  /// Begins a log; the salts, which SQLite makes up, come from `random`.
  init(_ random: inout SeededRandom) {
    let first = UInt32(truncatingIfNeeded: random.bits() >> 8)
    salts = Self.number(first) + Self.number(UInt32(truncatingIfNeeded: random.bits()))
    bytes = Self.number(0x377f_0682) + Self.number(3_007_000) + Self.number(UInt32(Self.pageSize))
    bytes += Self.number(1) + salts
    add(bytes[...])
    bytes += Self.number(sums.0) + Self.number(sums.1)
  }

  /// Adds a transaction that changed a database into another one: a frame for each page that differs.
  mutating func append(from old: [UInt8], to new: [UInt8]) {
    let count = new.count / Self.pageSize
    let changed = (0..<count).filter { page in
      let range = page * Self.pageSize..<(page + 1) * Self.pageSize
      return range.upperBound > old.count || old[range] != new[range]
    }
    for page in changed {
      let range = page * Self.pageSize..<(page + 1) * Self.pageSize
      append(page: page + 1, new[range], databaseSize: page == changed.last ? count : 0)
    }
  }

  private mutating func append(page: Int, _ content: ArraySlice<UInt8>, databaseSize: Int) {
    let start = Self.number(UInt32(page)) + Self.number(UInt32(databaseSize))
    add(start[...])
    add(content)
    bytes += start + salts + Self.number(sums.0) + Self.number(sums.1)
    bytes += content
  }

  /// Adds what an earlier round left behind: frames with other salts.
  mutating func appendOld(_ page: [UInt8], count: Int) {
    var old = salts
    old[3] &-= 1
    for number in 0..<count {
      bytes += Self.number(UInt32(number + 2)) + Self.number(number == count - 1 ? 9 : 0) + old
      bytes += Self.number(0x5a5a_5a5a) + Self.number(0xa5a5_a5a5) + page
    }
  }

  /// The log with a header of another round, to which none of its frames belongs.
  var stale: [UInt8] {
    var random = SeededRandom(seed: 0x5a17)
    return LogWriter(&random).bytes + bytes.dropFirst(Self.headerSize)
  }

  /// Wraps, as the format says.
  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    var position = bytes.startIndex
    while position < bytes.endIndex {
      func word(_ start: Int) -> UInt32 {
        UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
          | UInt32(bytes[start + 3]) << 24
      }
      sums.0 = sums.0 &+ word(position) &+ sums.1
      sums.1 = sums.1 &+ word(position + 4) &+ sums.0
      position += 8
    }
  }

  private static func number(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
  }
}
