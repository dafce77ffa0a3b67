/// The only place randomness comes from; nothing random reaches a user's data.
package enum Entropy {
  /// Returns a random number, from the operating system; each costs a system call.
  static func number() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// Returns `count` random lower-case hexadecimal digits, from the operating system.
  package static func hexDigits(_ count: Int) -> [UInt8] {
    let digitsANumber = 16
    var digits: [UInt8] = []
    digits.reserveCapacity(count)
    while digits.count < count {
      var number = number()
      for _ in 0..<min(digitsANumber, count - digits.count) {
        digits.append(HexDigits.digit(UInt8(truncatingIfNeeded: number & 15)))
        number >>= 4
      }
    }
    return digits
  }
}
