/// Base64 with padding (RFC 4648, section 4), strictly: one text for one byte string.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the text of some bytes.
  package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var position = 0
    while position < bytes.count {
      let count = min(3, bytes.count - position)
      var group: UInt32 = 0
      for index in 0..<3 {
        group = group << 8 | (index < count ? UInt32(bytes[position + index]) : 0)
      }
      for index in 0..<4 {
        let digit = Int(group >> UInt32(18 - 6 * index) & 63)
        text.append(index <= count ? alphabet[digit] : UInt8(ascii: "="))
      }
      position += count
    }
    return text
  }

  /// Returns the bytes of a text, or `nil` if it is not exactly what `encode` writes.
  package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var position = 0
    while position < text.count {
      var group: UInt32 = 0
      var padding = 0
      for index in 0..<4 {
        let byte = text[position + index]
        if byte == UInt8(ascii: "="), position + 4 == text.count, index >= 2 {
          padding += 1
          group <<= 6
        } else if padding == 0, let digit = value(of: byte) {
          group = group << 6 | digit
        } else {
          return nil
        }
      }
      // The bits that padding leaves over must be zero, or two texts would mean one value.
      if group & (1 << UInt32(8 * padding) - 1) != 0 { return nil }
      for index in 0..<3 - padding {
        bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index)))
      }
      position += 4
    }
    return bytes
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

extension Array where Element == UInt8 {
  /// Copies the bytes of a span.
  package init(_ span: Span<UInt8>) {
    self.init()
    reserveCapacity(span.count)
    for index in span.indices { append(span[index]) }
  }
}
