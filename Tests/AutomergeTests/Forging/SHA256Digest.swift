/// SHA-256 from its definition (FIPS 180-4), so that the forger does not trust what it tests.
enum SHA256Digest {
  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = fractions(count: 64) { $0.cubeRootFraction }
  private static let initial: [UInt32] = fractions(count: 8) { $0.squareRootFraction }

  static func of(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    let bitCount = UInt64(message.count) * 8
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * $0)) }

    var state = initial
    var words = [UInt32](repeating: 0, count: 64)
    for block in stride(from: 0, to: padded.count, by: 64) {
      for index in 0..<16 {
        words[index] = (0..<4).reduce(0) { $0 << 8 | UInt32(padded[block + index * 4 + $1]) }
      }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        words[index] =
          words[index - 16] &+ words[index - 7]
          &+ (rotate(early, 7) ^ rotate(early, 18) ^ early >> 3)
          &+ (rotate(late, 17) ^ rotate(late, 19) ^ late >> 10)
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      for index in 0..<64 {
        let mixedE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
        let first = h &+ mixedE &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
        let mixedA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
        let second = mixedA &+ (a & b ^ a & c ^ b & c)
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
      }
      for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
    }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  private static func fractions(count: Int, of root: (UInt64) -> UInt32) -> [UInt32] {
    let primes = (2...).lazy.filter { (candidate: Int) in
      !(2..<candidate).contains { candidate % $0 == 0 }
    }
    return primes.prefix(count).map { root(UInt64($0)) }
  }
}

extension UInt64 {
  /// The fraction of the square root, in 2^-32: the greatest x with x^2 <= self * 2^64.
  fileprivate var squareRootFraction: UInt32 {
    largest { (UInt128($0) * UInt128($0)) <= UInt128(self) << 64 }
  }

  /// The fraction of the cube root, in 2^-32: the greatest x with x^3 <= self * 2^96.
  fileprivate var cubeRootFraction: UInt32 {
    largest { UInt128($0) * UInt128($0) * UInt128($0) <= UInt128(self) << 96 }
  }

  private func largest(where holds: (UInt64) -> Bool) -> UInt32 {
    var root: UInt64 = 0
    for bit in (0..<37).reversed() where holds(root | 1 << UInt64(bit)) {
      root |= 1 << UInt64(bit)
    }
    return UInt32(truncatingIfNeeded: root)
  }
}
