/// SplitMix64: the same seed gives the same run on every machine and every Swift version.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number in `0 ..< bound`, slightly biased, which a fuzzer does not mind.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 24) }

  /// Returns true once in `count` calls on average.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
