extension Span<UInt8> {
  /// Returns whether both have the same bytes.
  package func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }

  /// Returns whether the bytes are those of the text.
  package func isEqual(to text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    var index = 0
    for byte in text.description.utf8 {
      guard self[index] == byte else { return false }
      index += 1
    }
    return true
  }

  /// Returns whether the bytes come before those of the other.
  package func precedes(_ other: Span<UInt8>) -> Bool {
    var index = 0
    while index < count, index < other.count {
      if self[index] != other[index] { return self[index] < other[index] }
      index += 1
    }
    return count < other.count
  }
}
