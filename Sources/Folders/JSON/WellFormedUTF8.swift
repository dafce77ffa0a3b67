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

extension Span<UInt8> {
  /// Whether the bytes are UTF-8.
  package var isWellFormedUTF8: Bool {
    var next = 0
    while next < count {
      next = endOfPlainWords(from: next, end: count)
      guard next < count else { break }
      let length = WellFormedUTF8.scalarLength(in: self, at: next, end: count)
      guard length > 0 else { return false }
      next &+= length
    }
    return true
  }

  /// Returns where the first byte is that is no printable ASCII, a quote or a backslash, or where fewer
  /// than eight bytes are left. Eight at a time: a byte below a bound is one whose highest bit is set by
  /// subtracting the bound, and was not before (Warren, "Hacker's Delight", section 6-1).
  func endOfPlainWords(from start: Int, end: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highest: UInt64 = 0x8080_8080_8080_8080
    var next = start
    while next &+ 8 <= end {
      let word = word(at: next)
      let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
      let backslashes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
      let found =
        (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
        | (backslashes &- ones) & ~backslashes | word
      guard found & highest == 0 else {
        return next &+ (found & highest).trailingZeroBitCount >> 3
      }
      next &+= 8
    }
    return next
  }
}
