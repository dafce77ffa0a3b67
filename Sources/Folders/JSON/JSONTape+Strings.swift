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
      next = bytes.endOfPlainWords(from: next, end: end)
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
