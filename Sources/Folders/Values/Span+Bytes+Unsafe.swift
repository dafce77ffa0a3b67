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
}
