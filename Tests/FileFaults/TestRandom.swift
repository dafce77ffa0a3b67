/// Numbers that depend on a seed only (SplitMix64).
package struct TestRandom: RandomNumberGenerator {
  private var state: UInt64

  /// Starts at a seed, which a failing test prints.
  package init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  /// Returns a number below `bound`; zero if there is none.
  package mutating func number(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// Returns whether a thing happens that happens once in so many times.
  package mutating func isOne(in count: Int) -> Bool { number(below: count) == 0 }
}
