extension [UInt8] {
  /// Appends bytes, all at once.
  mutating func append(_ bytes: Span<UInt8>) {
    // SAFETY: the span's bytes live as long as the call, and appending copies them.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends the bytes of numbers, most significant first, all at once.
  mutating func append(
    bigEndian first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64, _ last: UInt32
  ) {
    let words = (
      first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian, last.bigEndian
    )
    // SAFETY: 36 bytes without a gap, which appending copies.
    unsafe Swift.withUnsafeBytes(of: words) { unsafe append(contentsOf: $0) }
  }

  /// Appends a number in decimal.
  mutating func append(digitsOf number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    var unit: UInt64 = 1
    while rest / unit >= 10 { unit *= 10 }
    while unit > 0 {
      append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest / unit))
      (rest, unit) = (rest % unit, unit / 10)
    }
  }
}

extension Span<UInt8> {
  /// Returns eight bytes as one number, the first of them its lowest.
  func word(at position: Int) -> UInt64 {
    precondition(position >= 0 && position <= count - 8)
    // SAFETY: eight bytes are there, and any eight are a number.
    let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
    return UInt64(littleEndian: word)
  }
}
