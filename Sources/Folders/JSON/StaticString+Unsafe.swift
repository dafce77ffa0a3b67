extension [UInt8] {
  /// Appends a text of the program.
  mutating func append(_ text: StaticString) {
    // SAFETY: a static string's bytes live as long as the program.
    unsafe append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Whether the bytes in a range are a text of the program.
  func isEqual(in range: Range<Int>, to text: StaticString) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    for offset in 0..<range.count {
      // SAFETY: the offset is below the count of the text's bytes.
      guard unsafe self[range.lowerBound + offset] == text.utf8Start[offset] else { return false }
    }
    return true
  }
}
