/// Hexadecimal digits as bytes of ASCII.
enum HexDigit {
  /// Returns the value of a digit in either case, or `nil` for any other byte.
  static func value(of byte: UInt8) -> UInt8? {
    let decimal = byte &- UInt8(ascii: "0")
    if decimal < 10 { return decimal }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : nil
  }

  /// Returns the upper-case digit of a value below 16.
  static func upperCase(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &+ (value &- 10)
  }
}
