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
