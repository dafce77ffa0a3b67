extension [UInt8] {
  /// Appends bytes, all at once.
  mutating func append(_ bytes: Span<UInt8>) {
    // SAFETY: the span's bytes live as long as the call, and appending copies them.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

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
