/// The table of well-formed UTF-8 (Unicode 15, table 3-7).
package enum WellFormedUTF8 {
  /// Returns the length of the scalar value at `position`, or 0 if none is well formed there.
  static func scalarLength(in bytes: Span<UInt8>, at position: Int, end: Int) -> Int {
    let left = end - position
    guard left >= 2 else { return left == 1 && bytes[position] < 0x80 ? 1 : 0 }
    let first = bytes[position]
    let second = bytes[position + 1]
    switch first {
    case ..<0x80: return 1
    case 0xc2...0xdf: return isTail(second) ? 2 : 0
    case 0xe0...0xef:
      guard left >= 3, isTail(second), isTail(bytes[position + 2]) else { return 0 }
      if first == 0xe0, second < 0xa0 { return 0 }
      if first == 0xed, second > 0x9f { return 0 }
      return 3
    case 0xf0...0xf4:
      guard left >= 4, isTail(second), isTail(bytes[position + 2]), isTail(bytes[position + 3])
      else { return 0 }
      if first == 0xf0, second < 0x90 { return 0 }
      if first == 0xf4, second > 0x8f { return 0 }
      return 4
    default: return 0
    }
  }

  private static func isTail(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }
}
