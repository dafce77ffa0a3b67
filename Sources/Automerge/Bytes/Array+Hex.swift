extension Array where Element == UInt8 {
  /// The bytes as lower-case hexadecimal digits.
  package var hexDigits: String {
    var digits: [UInt8] = []
    digits.reserveCapacity(count * 2)
    for byte in self {
      digits.append(Self.hexAlphabet[Int(byte >> 4)])
      digits.append(Self.hexAlphabet[Int(byte & 15)])
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Parses pairs of hexadecimal digits of either case; nil for anything else.
  package init?(hexDigits text: String) {
    var result: [UInt8] = []
    var high: UInt8?
    for byte in text.utf8 {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      if let first = high {
        result.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else { return nil }
    self = result
  }

  private static let hexAlphabet = [UInt8]("0123456789abcdef".utf8)
}
