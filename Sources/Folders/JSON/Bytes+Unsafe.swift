extension [UInt8] {
  /// Appends bytes, all at once.
  mutating func append(_ bytes: Span<UInt8>) {
    // SAFETY: the span's bytes live as long as the call, and appending copies them.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
