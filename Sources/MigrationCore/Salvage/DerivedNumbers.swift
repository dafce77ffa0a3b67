import Crypto

/// Random numbers that follow from a secret and from what they stand in for, and from nothing else.
struct DerivedNumbers: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter purpose: keeps apart what is derived from the same bytes for different ends.
  init(secret: [UInt8], _ purpose: StaticString, _ bytes: [UInt8]) {
    var hasher = SHA256()
    hasher.update(data: secret)
    hasher.update(data: Array(purpose.description.utf8))
    hasher.update(data: [0 as UInt8])
    hasher.update(data: bytes)
    state = hasher.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  mutating func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
