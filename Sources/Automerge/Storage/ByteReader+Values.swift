extension ByteReader {
  /// Steps over the bytes of a value, which must be a whole one of its type in its shortest form
  /// (format.md 2.6).
  @inline(__always)
  mutating func readValue(
    _ type: ValueType, _ length: Int
  ) throws(FormatError) -> Range<Int> {
    let (start, offset) = (position, offset)
    guard length <= remaining else { throw error(.truncated(missing: length - remaining)) }
    switch type {
    case .string:
      let range = try readRange(length)
      try validateUTF8(range)
      return range
    case .uint:
      _ = try readULEB()
    case .int, .counter, .timestamp:
      _ = try readSLEB()
    case .float64:
      guard length >= 8 else { throw error(.truncated(missing: 8 - length)) }
      _ = try readRange(8)
    case .null, .boolFalse, .boolTrue:
      break
    default:
      return try readRange(length)
    }
    guard position == start + length else {
      throw FormatError(.invalidValue(typeCode: type.code), at: offset)
    }
    return start..<start + length
  }
}
