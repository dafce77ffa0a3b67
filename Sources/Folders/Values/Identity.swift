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
    var position = 0
    var end = text.count
    if end >= 2, text[0] == UInt8(ascii: "{"), text[end - 1] == UInt8(ascii: "}") {
      position = 1
      end -= 1
    }
    let hasHyphens = end - position == 36
    guard hasHyphens || end - position == 32 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digits = 0
    while position < end {
      if hasHyphens, digits == 8 || digits == 12 || digits == 16 || digits == 20 {
        guard text[position] == UInt8(ascii: "-") else { return nil }
        position += 1
      }
      guard position < end, digits < 32, let digit = HexDigit.value(of: text[position]) else {
        return nil
      }
      if digits < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      digits += 1
      position += 1
    }
    guard digits == 32 else { return nil }
    self.init(high: high, low: low)
  }

  /// Parses a string as `init(_:Span<UInt8>)` does.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.init(bytes.span)
  }

  /// Appends the canonical form: 36 bytes, upper case, 8-4-4-4-12.
  package func append(to bytes: inout [UInt8]) {
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
      let word = index < 8 ? high : low
      let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
      bytes.append(HexDigit.upperCase(byte >> 4))
      bytes.append(HexDigit.upperCase(byte & 15))
    }
  }

  /// The canonical form as bytes.
  package var canonicalBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    append(to: &bytes)
    return bytes
  }

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

  /// Returns the upper-case digit of a value below 16.
  static func upperCase(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &+ (value &- 10)
  }
}
