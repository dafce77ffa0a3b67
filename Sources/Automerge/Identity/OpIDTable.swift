/// A hash table from operation ids to small numbers: one flat array, no allocation per entry.
///
/// An actor's ids lie in the order of their counters, for they are mostly asked for in that order.
/// Where that place is taken, by the ids of another actor or by counters far away, a block of 64
/// counters moves on together, by a step of its own: two long runs that overlap do not push each
/// other before them, as they would from neighbor to neighbor. Where an actor begins and how far a
/// block moves is random per process, so that no file can be made whose ids all collide.
struct OpIDTable: Sendable {
  /// Twelve bytes: a number of 64 bits would have four more behind it.
  private struct Slot: Sendable {
    private let high: UInt32
    private let low: UInt32
    let value: UInt32

    @inline(__always)
    init(key: UInt64, value: UInt32) {
      high = UInt32(truncatingIfNeeded: key &>> 32)
      low = UInt32(truncatingIfNeeded: key)
      self.value = value
    }

    @inline(__always)
    var key: UInt64 { UInt64(high) &<< 32 | UInt64(low) }
  }

  /// No operation has this id: counters stay below 2^32 - 1.
  private static let vacant = UInt64.max
  private static let multiplier = UInt64.random(in: 0...UInt64.max) | 1

  private var slots: [Slot] = []
  private(set) var count = 0

  init() {}

  init(minimumCapacity: Int) {
    var size = 16
    while size &* 2 < minimumCapacity &* 3 { size &*= 2 }
    resize(to: size)
  }

  subscript(id: OpID) -> UInt32? {
    guard count > 0 else { return nil }
    let slot = slots[place(of: id.raw)]
    return slot.key == id.raw ? slot.value : nil
  }

  /// Adds an entry or replaces its value.
  mutating func set(_ id: OpID, _ value: UInt32) {
    if (count &+ 1) &* 3 > slots.count &* 2 { resize(to: max(16, slots.count &* 2)) }
    let index = place(of: id.raw)
    if slots[index].key == Self.vacant { count &+= 1 }
    slots[index] = Slot(key: id.raw, value: value)
  }

  /// The index of the slot that has `key`, or of the vacant one where it belongs.
  @inline(__always)
  private func place(of key: UInt64) -> Int {
    let mask = slots.count &- 1
    let start = ((key & 0xffff_ffff) &* Self.multiplier) &>> 32
    var index = Int(truncatingIfNeeded: (key &>> 32) &+ start) & mask
    let found = slots[index].key
    if found == key || found == Self.vacant { return index }
    // Odd, and the number of slots is a power of two: every slot is passed.
    let step = Self.step(of: key)
    repeat {
      index = (index &+ step) & mask
    } while slots[index].key != key && slots[index].key != Self.vacant
    return index
  }

  /// How far the block of counters that `key` lies in moves from a place that is taken.
  private static func step(of key: UInt64) -> Int {
    let block = (key & ~(63 &<< 32)) &* multiplier
    let mixed = (block ^ (block &>> 32)) &* multiplier
    return Int(truncatingIfNeeded: mixed &>> 32) | 1
  }

  private mutating func resize(to size: Int) {
    let old = slots
    slots = [Slot](repeating: Slot(key: Self.vacant, value: 0), count: size)
    for slot in old where slot.key != Self.vacant {
      slots[place(of: slot.key)] = slot
    }
  }
}
