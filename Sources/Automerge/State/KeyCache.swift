/// Where keys that were written lately lie in the pool, so that a field's name that many records
/// share is stored once.
struct KeyCache: Sendable {
  private static let size = 256
  private var ranges = [PoolRange](repeating: .empty, count: size)

  init() {}

  /// Returns where a key lies, and puts it at the end of the pool if it is not known.
  mutating func range(of key: String, in pool: inout [UInt8]) -> PoolRange {
    let start = pool.count
    pool.append(contentsOf: key.utf8)
    let added = start..<pool.count
    var hash: UInt32 = 0x811c_9dc5
    for index in added { hash = (hash ^ UInt32(pool[index])) &* 0x0100_0193 }
    let slot = Int((hash ^ hash &>> 16) & UInt32(Self.size - 1))
    let known = ranges[slot]
    // What stood there may have been taken back; only equal bytes count.
    if known.range.upperBound <= start, pool.areEqual(known.range, added) {
      pool.removeSubrange(start...)
      return known
    }
    ranges[slot] = PoolRange(added)
    return ranges[slot]
  }
}
