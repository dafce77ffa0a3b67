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

  /// The range as one number.
  @inline(__always)
  init(raw: UInt64) {
    start = UInt32(truncatingIfNeeded: raw &>> 32)
    count = UInt32(truncatingIfNeeded: raw)
  }

  @inline(__always)
  var raw: UInt64 { UInt64(start) &<< 32 | UInt64(count) }

  @inline(__always)
  var range: Range<Int> { Int(start)..<Int(start) + Int(count) }

  /// The same bytes where everything stands `distance` further on.
  @inline(__always)
  func moved(by distance: Int) -> PoolRange {
    count == 0
      ? .empty : PoolRange(start: UInt32(truncatingIfNeeded: Int(start) &+ distance), count: count)
  }
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

/// A string that was read without a look at it: whoever takes it checks that it is UTF-8, unless it is one
/// of those that were.
struct UncheckedString: RunItem {
  let range: Range<Int>

  @inline(__always)
  static func areEqual(_ left: Self, _ right: Self, in pool: [UInt8]) -> Bool {
    pool.areEqual(left.range, right.range)
  }

  static func append(_ item: Self, from pool: [UInt8], to output: inout [UInt8]) {
    PoolRange.append(PoolRange(item.range), from: pool, to: &output)
  }

  @inline(__always)
  static func read(_ reader: inout ByteReader) throws(FormatError) -> Self {
    Self(range: try reader.readPrefixedRange())
  }
}
