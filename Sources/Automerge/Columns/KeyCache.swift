/// Where keys that were put lately lie in the pool, so that a field's name that many records share is
/// stored once.
///
/// What is remembered is bounded: of two keys with the same place the later one stays, and whatever the
/// keys are, each costs the same.
struct KeyCache: Sendable {
  private static let size = 128
  private static let prime: UInt32 = 0x0100_0193
  /// Empty, or `size` of them.
  private var ranges: [PoolRange] = []

  init() {}

  /// Returns where a key lies, and puts it at the end of the pool if it is not known.
  mutating func range(of key: String, in pool: inout [UInt8]) -> PoolRange {
    let start = pool.count
    pool.append(contentsOf: key.utf8)
    let added = start..<pool.count
    let slot = slot(of: added, in: pool)
    let known = ranges[slot]
    // What stood there may have been taken back; only equal bytes count.
    if known.range.upperBound <= start, pool.areEqual(known.range, added) {
      pool.removeSubrange(start...)
      return known
    }
    ranges[slot] = PoolRange(added)
    return ranges[slot]
  }

  /// Returns where a key of a column lies, and puts it at the end of the pool if it is not known.
  ///
  /// - Throws: if it is no UTF-8.
  @inline(__always)
  mutating func range(
    of key: Range<Int>, in column: ByteReader, pool: inout [UInt8]
  ) throws(FormatError) -> PoolRange {
    let slot = slot(of: key, in: column.bytes)
    let known = ranges[slot]
    if known.count == key.count, known.range.upperBound <= pool.count,
      pool.compare(known.range, to: column.bytes, key) == 0
    {
      return known
    }
    try column.validateUTF8(key)
    let start = pool.count
    pool.append(from: column.bytes, key)
    ranges[slot] = PoolRange(start..<pool.count)
    return ranges[slot]
  }

  @inline(__always)
  private mutating func slot(of key: Range<Int>, in bytes: [UInt8]) -> Int {
    if ranges.isEmpty { ranges = [PoolRange](repeating: .empty, count: Self.size) }
    guard !key.isEmpty else { return 0 }
    // A few of its letters tell the keys of an app apart.
    let last = key.upperBound &- 1
    var hash = UInt32(truncatingIfNeeded: key.count)
    hash = hash &* Self.prime ^ UInt32(bytes[key.lowerBound])
    hash = hash &* Self.prime ^ UInt32(bytes[key.lowerBound &+ key.count / 2])
    hash = hash &* Self.prime ^ UInt32(bytes[max(key.lowerBound, last &- 1)])
    hash = hash &* Self.prime ^ UInt32(bytes[last])
    return Int((hash ^ hash &>> 16) & UInt32(Self.size - 1))
  }
}
