extension JSONTape {
  /// Parses the string whose opening quote is at `position`.
  mutating func parseString() throws(JSONDefect) {
    let quote = position
    position += 1
    let start = position
    try skipPlainCharacters()
    guard text[position] == UInt8(ascii: "\\") else {
      position += 1
      return try append(.string, offset: quote, start: start, length: position - 1 - start)
    }
    try decodeString(from: start, quote: quote)
  }

  /// Moves to the next quote or backslash, checking the bytes on the way.
  private mutating func skipPlainCharacters() throws(JSONDefect) {
    position = try Self.endOfPlainCharacters(text.span, from: position, end: sourceByteCount)
  }

  private static func endOfPlainCharacters(
    _ bytes: Span<UInt8>, from start: Int, end: Int
  ) throws(JSONDefect) -> Int {
    var next = start
    while next < end {
      next = endOfPlainWords(bytes, from: next, end: end)
      guard next < end else { break }
      let byte = bytes[next]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return next }
      if byte < 0x20 { throw JSONDefect(.unescapedControlCharacter(byte), at: next) }
      if byte < 0x80 {
        next &+= 1
        continue
      }
      // Scripts that are not ASCII are so for more than one scalar.
      while next < end, bytes[next] >= 0x80 {
        let length = WellFormedUTF8.scalarLength(in: bytes, at: next, end: end)
        guard length > 0 else { throw JSONDefect(.invalidUTF8, at: next) }
        next &+= length
      }
    }
    throw JSONDefect(.truncated, at: end)
  }

  /// Returns where the first byte is that is no printable ASCII, a quote or a backslash, or where fewer
  /// than eight bytes are left. Eight at a time: a byte below a bound is one whose highest bit is set by
  /// subtracting the bound, and was not before (Warren, "Hacker's Delight", section 6-1).
  private static func endOfPlainWords(_ bytes: Span<UInt8>, from start: Int, end: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highest: UInt64 = 0x8080_8080_8080_8080
    var next = start
    while next &+ 8 <= end {
      let word = bytes.word(at: next)
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

  /// Writes a string with escapes behind the source, decoded.
  private mutating func decodeString(from start: Int, quote: Int) throws(JSONDefect) {
    let decoded = text.count
    var plain = start
    while true {
      // A slice would be a second reference, and the first byte behind it a copy of the whole source.
      for index in plain..<position { text.append(text[index]) }
      if text[position] == UInt8(ascii: "\"") { break }
      try decodeEscape()
      plain = position
      try skipPlainCharacters()
    }
    position += 1
    try append(.string, offset: quote, start: decoded, length: text.count - decoded)
  }

  private mutating func decodeEscape() throws(JSONDefect) {
    let start = position
    guard start + 1 < sourceByteCount else { throw JSONDefect(.truncated, at: sourceByteCount) }
    position += 2
    switch text[start + 1] {
    case UInt8(ascii: "\""): text.append(UInt8(ascii: "\""))
    case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
    case UInt8(ascii: "/"): text.append(UInt8(ascii: "/"))
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): try decodeUnicodeEscape(at: start)
    default: throw JSONDefect(.invalidEscape, at: start)
    }
  }

  private mutating func decodeUnicodeEscape(at start: Int) throws(JSONDefect) {
    let unit = try codeUnit(at: start)
    var code = UInt32(unit)
    if unit & 0xfc00 == 0xdc00 { throw JSONDefect(.loneSurrogate, at: start) }
    if unit & 0xfc00 == 0xd800 {
      let second = position
      guard second + 1 < sourceByteCount, text[second] == UInt8(ascii: "\\"),
        text[second + 1] == UInt8(ascii: "u")
      else { throw JSONDefect(.loneSurrogate, at: start) }
      position += 2
      let low = try codeUnit(at: second)
      guard low & 0xfc00 == 0xdc00 else { throw JSONDefect(.loneSurrogate, at: start) }
      code = 0x10000 + (UInt32(unit & 0x3ff) << 10 | UInt32(low & 0x3ff))
    }
    appendScalar(code)
  }

  /// Reads the four digits of the escape that begins at `start`.
  private mutating func codeUnit(at start: Int) throws(JSONDefect) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard position < sourceByteCount else { throw JSONDefect(.truncated, at: sourceByteCount) }
      guard let digit = HexDigit.value(of: text[position]) else {
        throw JSONDefect(.invalidEscape, at: start)
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  private mutating func appendScalar(_ code: UInt32) {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | code >> shift & 0x3f) }
    switch code {
    case ..<0x80: text.append(UInt8(truncatingIfNeeded: code))
    case ..<0x800:
      text.append(UInt8(truncatingIfNeeded: 0xc0 | code >> 6))
      text.append(tail(0))
    case ..<0x10000:
      text.append(UInt8(truncatingIfNeeded: 0xe0 | code >> 12))
      text.append(tail(6))
      text.append(tail(0))
    default:
      text.append(UInt8(truncatingIfNeeded: 0xf0 | code >> 18))
      text.append(tail(12))
      text.append(tail(6))
      text.append(tail(0))
    }
  }
}

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
