/// The identity of a tag or of a time record: the sixteen bytes of a UUID.
///
/// Any variant and version is accepted; nothing is computed from the bytes.
package struct Identity: Hashable, Comparable, Sendable {
  /// The first eight bytes, most significant first.
  package let high: UInt64
  /// The last eight bytes, most significant first.
  package let low: UInt64

  /// Creates an identity from its bytes as two big-endian numbers.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses 8-4-4-4-12 or 32 hexadecimal digits in any case, optionally in braces.
  package init?(_ text: Span<UInt8>) {
    var start = 0
    var count = text.count
    if count >= 2, text[0] == UInt8(ascii: "{"), text[count - 1] == UInt8(ascii: "}") {
      (start, count) = (1, count - 2)
    }
    // Where a hyphen more stands in front of the digits.
    let hyphen = count == 36 ? 1 : 0
    if count == 36 {
      let sign = UInt8(ascii: "-")
      guard text[start + 8] == sign, text[start + 13] == sign, text[start + 18] == sign,
        text[start + 23] == sign
      else { return nil }
    } else if count != 32 {
      return nil
    }
    guard let first = HexDigit.number(text, start, start + 4),
      let second = HexDigit.number(text, start + 8 + hyphen, start + 12 + 2 * hyphen),
      let third = HexDigit.number(text, start + 16 + 3 * hyphen, start + 20 + 4 * hyphen),
      let fourth = HexDigit.number(text, start + 24 + 4 * hyphen, start + 28 + 4 * hyphen)
    else { return nil }
    self.init(high: first << 32 | second, low: third << 32 | fourth)
  }

  /// Whether the text that an identity was parsed from is its canonical form.
  func isCanonical(_ text: Span<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    var highest: UInt8 = 0
    for position in 0..<36 { highest = max(highest, text[position]) }
    return highest <= UInt8(ascii: "F")
  }

  /// Parses a string as `init(_:Span<UInt8>)` does.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.init(bytes.span)
  }

  /// Appends the canonical form: 36 bytes, upper case, 8-4-4-4-12.
  package func append(to bytes: inout [UInt8]) {
    let (first, second) = (HexDigit.upperCase(high), HexDigit.upperCase(low))
    let dash = UInt64(UInt8(ascii: "-"))
    bytes.append(
      bigEndian: first.high,
      // -8901-23
      dash << 56 | (first.low >> 32) << 24 | dash << 16 | first.low >> 16 & 0xffff,
      // 45-6789-
      first.low << 48 | dash << 40 | (second.high >> 32) << 8 | dash,
      second.high << 32 | second.low >> 32, UInt32(truncatingIfNeeded: second.low))
  }

  /// The canonical form as bytes.
  package var canonicalBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    append(to: &bytes)
    return bytes
  }

  /// A number that is another one for most other identities. Files say what identities there are, so it is
  /// made with a key that differs from process to process.
  package var keyedWord: UInt64 {
    let product = (high ^ Self.key.0).multipliedFullWidth(by: low ^ Self.key.1)
    return product.high ^ product.low
  }

  private static let key = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

  /// Ascending by bytes, which is also the order of the canonical forms.
  package static func < (left: Identity, right: Identity) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension Identity: CustomStringConvertible {
  package var description: String { String(decoding: canonicalBytes, as: UTF8.self) }
}

/// Hexadecimal digits as bytes of ASCII.
enum HexDigit {
  /// Returns the value of a digit in either case, or `nil` for any other byte.
  static func value(of byte: UInt8) -> UInt8? {
    let decimal = byte &- UInt8(ascii: "0")
    if decimal < 10 { return decimal }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : nil
  }

  /// Returns the number that two runs of four digits each are; nil if something else is among them.
  ///
  /// All eight are looked at at once, each in a byte of one word. No sum below carries from one byte into
  /// the next, because each byte is below 0x80.
  @inline(__always)
  static func number(_ text: Span<UInt8>, _ first: Int, _ second: Int) -> UInt64? {
    let digits = UInt64(text.fourBytes(at: first)) << 32 | UInt64(text.fourBytes(at: second))
    let lowerCase = digits | everyByte(0x20)
    // The highest bit of a byte says that the byte is at least as great as the first sum says, and less
    // than the second says.
    let areDecimal = (digits &+ everyByte(0x50)) & ~(digits &+ everyByte(0x46))
    let areLetters = (lowerCase &+ everyByte(0x1f)) & ~(lowerCase &+ everyByte(0x19))
    guard digits & everyByte(0x80) == 0,
      (areDecimal | areLetters) & everyByte(0x80) == everyByte(0x80)
    else { return nil }
    var number = (digits & everyByte(0x0f)) &+ ((areLetters & everyByte(0x80)) >> 7) &* 9
    number = (number | number >> 4) & 0x00ff_00ff_00ff_00ff
    number = (number | number >> 8) & 0x0000_ffff_0000_ffff
    return (number | number >> 16) & 0xffff_ffff
  }

  @inline(__always)
  private static func everyByte(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

  /// Returns the bytes that pairs of digits are, or `nil` if they are not that.
  static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
      guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Returns the sixteen upper-case digits of a number, the first one in the highest bits.
  static func upperCase(_ number: UInt64) -> (high: UInt64, low: UInt64) {
    (
      digits(of: UInt32(truncatingIfNeeded: number >> 32)),
      digits(of: UInt32(truncatingIfNeeded: number))
    )
  }

  /// Eight digits at once, each in a byte.
  private static func digits(of number: UInt32) -> UInt64 {
    var values = UInt64(number)
    values = (values | values << 16) & 0x0000_ffff_0000_ffff
    values = (values | values << 8) & 0x00ff_00ff_00ff_00ff
    values = (values | values << 4) & 0x0f0f_0f0f_0f0f_0f0f
    // One in the byte of each value from ten on.
    let letters = (values &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return values &+ 0x3030_3030_3030_3030 &+ letters &* 7
  }
}
