import Crypto

/// Numbers as the bytes that documents hold (format.md 2.1, 2.6), replaced by others as long.
enum NumberBytes {
  /// How often another number of the length wanted is tried; one in 128 is shorter.
  private static let attempts = 64

  static func signed(_ value: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest < -64 || rest > 63 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest) & 0x7f)
    return bytes
  }

  static func signed(_ bytes: [UInt8]) -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes where shift < 64 {
      value |= UInt64(byte & 0x7f) << shift
      shift += 7
    }
    if let last = bytes.last, last & 0x40 != 0, shift < 64 { value |= ~0 << shift }
    return Int64(bitPattern: value)
  }

  private static func unsigned(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    return bytes
  }

  /// Returns another number of the same sign and length.
  static func signedNumber(like bytes: [UInt8], from numbers: inout DerivedNumbers) -> [UInt8] {
    let isNegative = signed(bytes) < 0
    for _ in 0..<attempts {
      var value = Int64(bitPattern: numbers.next())
      if bytes.count < 10 { value >>= Int64(64 - 7 * bytes.count) }
      if (value < 0) != isNegative { value = ~value }
      let output = signed(value)
      if output.count == bytes.count { return output }
    }
    return signed(isNegative ? -1 : 1)
  }

  /// Returns another number of the same length.
  static func unsignedNumber(like bytes: [UInt8], from numbers: inout DerivedNumbers) -> [UInt8] {
    for _ in 0..<attempts {
      var value = numbers.next()
      if bytes.count < 10 { value >>= UInt64(64 - 7 * bytes.count) }
      let output = unsigned(value)
      if output.count == bytes.count { return output }
    }
    return unsigned(1)
  }

  /// Returns another double of the same size and with as many binary places; what is no number, and
  /// zero, stay.
  static func double(like bytes: [UInt8], from numbers: inout DerivedNumbers) -> [UInt8] {
    let pattern = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let value = Double(bitPattern: pattern)
    guard value.isFinite, value != 0 else { return bytes }
    let fraction: UInt64 = 1 << 52 - 1
    let places = pattern & fraction
    // A power of two has no place that is set, and says little.
    let last: UInt64 = places == 0 ? 1 << 52 : 1 << UInt64(places.trailingZeroBitCount)
    let mask = fraction & ~(last - 1)
    let other = pattern & ~fraction | (numbers.next() & mask)
    return (0..<8).map { UInt8(truncatingIfNeeded: other >> UInt64(8 * $0)) }
  }
}

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
