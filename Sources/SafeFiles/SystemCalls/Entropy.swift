/// The only place randomness comes from; nothing random reaches a user's data.
package enum Entropy {
  /// Returns `count` random lower-case hexadecimal digits, from the operating system.
  package static func hexDigits(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in
      HexDigits.digit(UInt8(truncatingIfNeeded: generator.next() & 15 as UInt64))
    }
  }
}
