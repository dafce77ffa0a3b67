extension Span<UInt8> {
  /// Returns the four bytes from `position` on, the first of them most significant.
  @inline(__always)
  func fourBytes(at position: Int) -> UInt32 {
    precondition(position >= 0 && position <= count - 4)
    // SAFETY: the span has four bytes from there on, as was just seen.
    return unsafe withUnsafeBytes {
      UInt32(bigEndian: unsafe $0.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    }
  }

  /// Returns whether the bytes are those of the text.
  package func isEqual(to text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    var position = 0
    while position < count {
      // SAFETY: the text has as many bytes as the span, and they are there as long as the program.
      let byte = unsafe text.utf8Start[position]
      if self[position] != byte { return false }
      position &+= 1
    }
    return true
  }
}
