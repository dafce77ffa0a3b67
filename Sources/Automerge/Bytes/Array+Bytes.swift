extension Array where Element == UInt8 {
  /// Appends an unsigned LEB128 number in its shortest form (format.md 2.1).
  @inline(__always)
  mutating func appendULEB(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  mutating func appendULEB(_ value: Int) {
    appendULEB(UInt64(value))
  }

  /// Appends a signed LEB128 number in its shortest form (format.md 2.1).
  @inline(__always)
  mutating func appendSLEB(_ value: Int64) {
    var rest = value
    while rest < -64 || rest > 63 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    append(UInt8(truncatingIfNeeded: rest) & 0x7f)
  }

  @inline(__always)
  mutating func appendBigEndian(_ word: UInt64) {
    var shift: UInt64 = 64
    while shift > 0 {
      shift &-= 8
      append(UInt8(truncatingIfNeeded: word &>> shift))
    }
  }

  @inline(__always)
  mutating func appendLittleEndian(_ word: UInt64) {
    var rest = word
    for _ in 0..<8 {
      append(UInt8(truncatingIfNeeded: rest))
      rest &>>= 8
    }
  }

  /// Appends `bytes` with their length in front (format.md 2.2).
  mutating func appendPrefixed(_ bytes: [UInt8]) {
    appendULEB(bytes.count)
    append(contentsOf: bytes)
  }

  /// The number of bytes `appendULEB` writes for `value`.
  static func byteCount(ofULEB value: UInt64) -> Int {
    value == 0 ? 1 : (70 - value.leadingZeroBitCount) / 7
  }
}

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
