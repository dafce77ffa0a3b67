/// Bytes as lower-case hexadecimal digits in ASCII.
package enum HexDigits {
  /// Returns the digit of a value below 16.
  package static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
  }

  /// Appends the two digits of a byte.
  package static func append(_ byte: UInt8, to text: inout [UInt8]) {
    text.append(digit(byte >> 4))
    text.append(digit(byte & 15))
  }
}
