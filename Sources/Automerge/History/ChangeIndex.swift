/// Finds the row of a change by its hash.
///
/// Holds rows alone and compares with the hashes where the changes are: a dictionary would hold each
/// hash once more, which for the months of a folder is a third of all that is known of a change.
struct ChangeIndex: Sendable {
  /// Rows by the first bits of their hashes, at the next free place; a power of two of them.
  private var slots: [UInt32] = []
  private var count = 0

  private static let vacant = UInt32.max

  init() {}

  /// Makes room for so many more changes.
  mutating func reserveCapacity(_ additional: Int, besides changes: [History.Change]) {
    var size = max(8, slots.count)
    while size < (count + additional) * 2 { size *= 2 }
    if size > slots.count { grow(to: size, changes) }
  }

  /// Returns the row of a change, nil if it was not added.
  @inline(__always)
  func row(of wanted: ChangeHash, among changes: [History.Change]) -> UInt32? {
    if slots.isEmpty { return nil }
    var slot = place(of: wanted)
    while slots[slot] != Self.vacant {
      if changes[Int(slots[slot])].hash == wanted { return slots[slot] }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    return nil
  }

  /// Adds a change that is not here yet.
  mutating func insert(
    _ row: UInt32, of added: ChangeHash, besides changes: [History.Change]
  ) {
    if slots.count < (count + 1) * 2 { grow(to: max(8, slots.count * 2), changes) }
    insert(row, at: place(of: added))
    count += 1
  }

  @inline(__always)
  private mutating func insert(_ row: UInt32, at first: Int) {
    var slot = first
    while slots[slot] != Self.vacant { slot = (slot &+ 1) & (slots.count &- 1) }
    slots[slot] = row
  }

  private mutating func grow(to size: Int, _ changes: [History.Change]) {
    let rows = slots
    slots = [UInt32](repeating: Self.vacant, count: size)
    for row in rows where row != Self.vacant { insert(row, at: place(of: changes[Int(row)].hash)) }
  }

  /// Hashes are as good as random, but whoever writes a change chooses it: the bits are mixed with a
  /// number that differs from process to process.
  @inline(__always)
  private func place(of hash: ChangeHash) -> Int {
    let mixed = (hash.leadingWord ^ Self.seed) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: mixed &>> 20) & (slots.count &- 1)
  }

  private static let seed: UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }()
}
