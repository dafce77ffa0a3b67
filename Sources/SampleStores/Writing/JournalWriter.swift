/// Writes a journal as SQLite leaves it beside a database without a log when a program dies in the middle
/// of a transaction: `[8 magic][4 pages][4 nonce][4 pages of the database before][4 sector size]
/// [4 page size]`, zeroes to the end of the sector, then for each page `[4 number][page][4 checksum]`.
enum JournalWriter {
  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
  private static let sectorSize = 512

  /// Returns what brings a database back that had been changed.
  static func journal(from changed: [UInt8], to original: [UInt8], nonce: UInt32) -> [UInt8] {
    let size = LogWriter.pageSize
    let pages = (0..<original.count / size).filter { page in
      let range = page * size..<(page + 1) * size
      return range.upperBound > changed.count || changed[range] != original[range]
    }
    var bytes = magic
    for value in [pages.count, Int(nonce), original.count / size, sectorSize, size] {
      bytes += number(UInt32(truncatingIfNeeded: value))
    }
    bytes += [UInt8](repeating: 0, count: sectorSize - bytes.count)
    for page in pages {
      let content = Array(original[page * size..<(page + 1) * size])
      bytes += number(UInt32(truncatingIfNeeded: page + 1)) + content
      // Of every two hundredth byte from the end.
      bytes += number(
        stride(from: size - 200, to: 0, by: -200).reduce(nonce) { $0 &+ UInt32(content[$1]) })
    }
    return bytes
  }

  private static func number(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
  }
}
