/// The first 100 bytes of an SQLite database:
/// `[16 magic][2 page size][1 write version][1 read version][1 reserved]...[4 change counter][4 pages]`
/// `...[4 counter for which the number of pages holds]...`, big-endian.
package struct DatabaseHeader: Hashable, Sendable {
  /// What every database begins with.
  package static let magic = Array("SQLite format 3\0".utf8)
  /// How many bytes the header has.
  package static let size = 100

  /// How many bytes a page has.
  package let pageSize: Int
  /// Whether new content goes to a log beside the database first.
  package let usesLog: Bool
  /// How many pages the database has; nil if what wrote it last does not say so.
  package let pageCount: Int?

  /// Reads a header; `path` is for messages.
  package init(_ bytes: [UInt8], path: String) throws(StoreError) {
    guard !bytes.isEmpty else { throw .empty(path: path) }
    guard bytes.starts(with: Self.magic) else { throw .notADatabase(path: path) }
    guard bytes.count >= Self.size else {
      throw .truncated(path: path, size: Int64(bytes.count), expected: Int64(Self.size))
    }
    func number(_ offset: Int, _ count: Int) -> Int {
      bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    let size = number(16, 2)
    // 65,536 does not fit two bytes.
    pageSize = size == 1 ? 65_536 : size
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else {
      throw .damagedHeader(path: path, field: "page size", value: size, offset: 16)
    }
    usesLog = bytes[18] == 2 || bytes[19] == 2
    pageCount = number(24, 4) == number(92, 4) && number(28, 4) > 0 ? number(28, 4) : nil
  }

  /// How many bytes the database has; nil if the header does not say.
  package var byteCount: Int64? { pageCount.map { Int64($0) * Int64(pageSize) } }
}
