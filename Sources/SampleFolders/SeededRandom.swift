/// SplitMix64: the same seed gives the same numbers on every machine and in every version.
package struct SeededRandom {
  private var state: UInt64

  /// Starts at a seed.
  package init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  package mutating func bits() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number below `limit`.
  ///
  /// The standard library's way may change between versions, and the bytes of a sample must not.
  package mutating func number(below limit: Int) -> Int {
    Int(truncatingIfNeeded: bits().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// Returns whether a thing happens that happens `percentage` times out of a hundred.
  package mutating func happens(_ percentage: Int) -> Bool { number(below: 100) < percentage }

  /// Returns one of the elements.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }
}
