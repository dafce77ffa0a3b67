/// What a run-length column can repeat.
///
/// Strings live as ranges of a byte pool, so comparing and writing items takes the pool along.
protocol RunItem {
  static func areEqual(_ left: Self, _ right: Self, in pool: [UInt8]) -> Bool
  static func append(_ item: Self, from pool: [UInt8], to output: inout [UInt8])
  static func read(_ reader: inout ByteReader) throws(FormatError) -> Self
}

extension UInt64: RunItem {
  @inline(__always)
  static func areEqual(_ left: UInt64, _ right: UInt64, in pool: [UInt8]) -> Bool { left == right }

  @inline(__always)
  static func append(_ item: UInt64, from pool: [UInt8], to output: inout [UInt8]) {
    output.appendULEB(item)
  }

  @inline(__always)
  static func read(_ reader: inout ByteReader) throws(FormatError) -> UInt64 {
    try reader.readULEB()
  }
}

extension Int64: RunItem {
  @inline(__always)
  static func areEqual(_ left: Int64, _ right: Int64, in pool: [UInt8]) -> Bool { left == right }

  @inline(__always)
  static func append(_ item: Int64, from pool: [UInt8], to output: inout [UInt8]) {
    output.appendSLEB(item)
  }

  @inline(__always)
  static func read(_ reader: inout ByteReader) throws(FormatError) -> Int64 {
    try reader.readSLEB()
  }
}

/// A string as the place of its UTF-8 bytes in a pool.
struct PoolRange: Equatable, Sendable {
  let start: UInt32
  let count: UInt32

  static let empty = PoolRange(start: 0, count: 0)

  @inline(__always)
  init(start: UInt32, count: UInt32) {
    self.start = start
    self.count = count
  }

  /// The caller keeps pools below 4 GiB (`LoadLimits`).
  @inline(__always)
  init(_ range: Range<Int>) {
    start = UInt32(truncatingIfNeeded: range.lowerBound)
    count = UInt32(truncatingIfNeeded: range.count)
  }

  @inline(__always)
  var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

extension PoolRange: RunItem {
  @inline(__always)
  static func areEqual(_ left: PoolRange, _ right: PoolRange, in pool: [UInt8]) -> Bool {
    pool.areEqual(left.range, right.range)
  }

  static func append(_ item: PoolRange, from pool: [UInt8], to output: inout [UInt8]) {
    output.appendULEB(UInt64(item.count))
    output.append(from: pool, item.range)
  }

  /// The range is one of the reader's own array.
  static func read(_ reader: inout ByteReader) throws(FormatError) -> PoolRange {
    let range = try reader.readPrefixedRange()
    try reader.validateUTF8(range)
    return PoolRange(range)
  }
}
