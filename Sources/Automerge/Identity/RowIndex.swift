/// Finds the row of something by its hash.
///
/// Holds rows alone and compares with what stands in them: a dictionary would hold each key once
/// more, which for the months of a folder is a third of all that is known of a change.
struct RowIndex: Sendable {
  /// Rows by the first bits of their hashes, at the next free place; a power of two of them.
  private var slots: [UInt32] = []
  private var count = 0

  private static let vacant = UInt32.max

  init() {}

  /// Makes room for so many more rows.
  ///
  /// - Parameter hash: the hash of each row that is here.
  mutating func reserveCapacity(_ additional: Int, _ hash: (UInt32) -> UInt64) {
    var size = max(8, slots.count)
    while size < (count + additional) * 2 { size *= 2 }
    if size > slots.count { grow(to: size, hash) }
  }

  /// Returns the row with a hash that is the wanted one; nil if it was not added.
  @inline(__always)
  func row(_ hash: UInt64, isWanted: (UInt32) -> Bool) -> UInt32? {
    if slots.isEmpty { return nil }
    var slot = place(of: hash)
    while slots[slot] != Self.vacant {
      if isWanted(slots[slot]) { return slots[slot] }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    return nil
  }

  /// Adds a row that is not here yet.
  ///
  /// - Parameter hash: the hash of each row, this one included.
  mutating func insert(_ row: UInt32, _ hash: (UInt32) -> UInt64) {
    if slots.count < (count + 1) * 2 { grow(to: max(8, slots.count * 2), hash) }
    insert(row, at: place(of: hash(row)))
    count += 1
  }

  @inline(__always)
  private mutating func insert(_ row: UInt32, at first: Int) {
    var slot = first
    while slots[slot] != Self.vacant { slot = (slot &+ 1) & (slots.count &- 1) }
    slots[slot] = row
  }

  private mutating func grow(to size: Int, _ hash: (UInt32) -> UInt64) {
    let rows = slots
    slots = [UInt32](repeating: Self.vacant, count: size)
    for row in rows where row != Self.vacant { insert(row, at: place(of: hash(row))) }
  }

  /// Hashes of changes are as good as random, but whoever writes a change chooses it: the bits are
  /// mixed with a number that differs from process to process.
  @inline(__always)
  private func place(of hash: UInt64) -> Int {
    let mixed = (hash ^ Self.seed) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed &>> 20) & (slots.count &- 1)
  }

  private static let seed: UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }()
}
