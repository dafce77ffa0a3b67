/// A hash table from operation ids to small numbers: one flat array, no allocation per entry.
///
/// An actor's ids lie in the order of their counters, for they are mostly asked for in that order;
/// where each actor begins is random per process, so that no file can be made whose ids all collide.
struct OpIDTable: Sendable {
  private struct Slot: Sendable {
    var key: UInt64
    var value: UInt32
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
    get {
      guard count > 0 else { return nil }
      var index = home(id.raw)
      while slots[index].key != Self.vacant {
        if slots[index].key == id.raw { return slots[index].value }
        index = (index &+ 1) & (slots.count &- 1)
      }
      return nil
    }
  }

  /// Adds an entry or replaces its value.
  mutating func set(_ id: OpID, _ value: UInt32) {
    if (count &+ 1) &* 3 > slots.count &* 2 { resize(to: max(16, slots.count &* 2)) }
    var index = home(id.raw)
    while slots[index].key != Self.vacant, slots[index].key != id.raw {
      index = (index &+ 1) & (slots.count &- 1)
    }
    if slots[index].key == Self.vacant { count &+= 1 }
    slots[index] = Slot(key: id.raw, value: value)
  }

  @inline(__always)
  private func home(_ key: UInt64) -> Int {
    let actor = key & 0xffff_ffff
    let start = (actor &* Self.multiplier) &>> 32
    return Int(truncatingIfNeeded: (key &>> 32) &+ start) & (slots.count &- 1)
  }

  private mutating func resize(to size: Int) {
    let old = slots
    slots = [Slot](repeating: Slot(key: Self.vacant, value: 0), count: size)
    for slot in old where slot.key != Self.vacant {
      var index = home(slot.key)
      while slots[index].key != Self.vacant { index = (index &+ 1) & (size &- 1) }
      slots[index] = slot
    }
  }
}
