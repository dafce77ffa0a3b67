#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Comparisons of byte ranges at the speed of the C library: keys are compared for every operation
/// of a document.
extension Array where Element == UInt8 {
  /// Compares two ranges as unsigned bytes; a prefix is smaller.
  @inline(__always)
  package func compare(_ left: Range<Int>, to other: [UInt8], _ right: Range<Int>) -> Int {
    precondition(left.lowerBound >= 0 && left.upperBound <= count)
    precondition(right.lowerBound >= 0 && right.upperBound <= other.count)
    let common = Swift.min(left.count, right.count)
    // SAFETY: both ranges were checked against their arrays, and `common` is the shorter of them.
    let order = unsafe withUnsafeBufferPointer { mine in
      unsafe other.withUnsafeBufferPointer { theirs in
        guard common > 0, let mine = mine.baseAddress, let theirs = theirs.baseAddress
        else { return 0 }
        return Int(unsafe memcmp(mine + left.lowerBound, theirs + right.lowerBound, common))
      }
    }
    return order != 0 ? order : left.count - right.count
  }

  @inline(__always)
  func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    left.count == right.count
      && (left.lowerBound == right.lowerBound || compare(left, to: self, right) == 0)
  }

  /// Whether the bytes in `range` are well-formed UTF-8, without surrogates and overlong forms.
  @inline(__always)
  func isValidUTF8(in range: Range<Int>) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    if range.count == 1, self[range.lowerBound] < 0x80 { return true }
    return areValidScalars(in: range)
  }

  private func areValidScalars(in range: Range<Int>) -> Bool {
    var index = range.lowerBound
    let end = range.upperBound
    while index < end {
      if end &- index >= 8, areEightASCII(at: index) {
        index &+= 8
      } else if self[index] < 0x80 {
        index &+= 1
      } else {
        let byteCount = wideScalarByteCount(at: index, before: end)
        if byteCount == 0 { return false }
        index &+= byteCount
      }
    }
    return true
  }

  /// Whether the eight bytes from `index` on, which are there, are all below 0x80.
  @inline(__always)
  private func areEightASCII(at index: Int) -> Bool {
    // SAFETY: the caller has seen that the range, which lies in the array, has eight bytes from here on.
    let word = unsafe withUnsafeBytes {
      unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }
    return word & 0x8080_8080_8080_8080 == 0
  }

  /// Returns how many bytes the scalar has that begins at `index`, 2 to 4; 0 if none does whose bytes
  /// are well-formed (The Unicode Standard, table 3-7). Texts are loaded one character at a time.
  private func wideScalarByteCount(at index: Int, before end: Int) -> Int {
    let (byteCount, second): (Int, ClosedRange<UInt8>) =
      switch self[index] {
      case 0xc2...0xdf: (2, 0x80...0xbf)
      case 0xe0: (3, 0xa0...0xbf)
      case 0xed: (3, 0x80...0x9f)
      case 0xe1...0xef: (3, 0x80...0xbf)
      case 0xf0: (4, 0x90...0xbf)
      case 0xf1...0xf3: (4, 0x80...0xbf)
      case 0xf4: (4, 0x80...0x8f)
      default: (0, 0...0)
      }
    guard byteCount > 0, byteCount <= end &- index, second.contains(self[index &+ 1]) else {
      return 0
    }
    for further in index &+ 2..<index &+ byteCount where self[further] & 0xc0 != 0x80 { return 0 }
    return byteCount
  }

  /// Appends the bytes of `span`.
  @inline(__always)
  mutating func append(_ span: Span<UInt8>) {
    // SAFETY: the buffer is used only inside the closure, while the span is alive.
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends the bytes of two big-endian words at once.
  @inline(__always)
  mutating func appendBigEndian(_ high: UInt64, _ low: UInt64) {
    // SAFETY: the buffer is used only inside the closure.
    unsafe Swift.withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
      unsafe append(contentsOf: $0)
    }
  }

  /// Puts the bytes of a big-endian word at a position in the place of those that are there.
  @inline(__always)
  mutating func replaceBigEndian(_ word: UInt64, at position: Int) {
    precondition(position >= 0 && position <= count - 8)
    // SAFETY: the eight bytes lie inside the array, as was checked.
    unsafe withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: word.bigEndian, toByteOffset: position, as: UInt64.self)
    }
  }

  /// Appends the bytes that stand at `range` of `source`.
  @inline(__always)
  mutating func append(from source: [UInt8], _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= source.count)
    // SAFETY: the range was checked; the buffer is used only inside the closure.
    unsafe source.withUnsafeBufferPointer {
      unsafe append(contentsOf: UnsafeBufferPointer(rebasing: $0[range]))
    }
  }

  /// Feeds all bytes to a hasher at once.
  func combine(into hasher: inout Hasher) {
    // SAFETY: the buffer is used only inside the closure.
    unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }

  /// Feeds the bytes in `range` to a hasher at once.
  func combine(_ range: Range<Int>, into hasher: inout Hasher) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    // SAFETY: the range was checked; the buffer is used only inside the closure.
    unsafe withUnsafeBytes {
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range]))
    }
  }
}
