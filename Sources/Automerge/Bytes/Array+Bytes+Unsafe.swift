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
  func compare(_ left: Range<Int>, to other: [UInt8], _ right: Range<Int>) -> Int {
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
  func isValidUTF8(in range: Range<Int>) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    var index = range.lowerBound
    let end = range.upperBound
    while index < end, self[index] < 0x80 { index &+= 1 }
    guard index < end else { return true }
    // SAFETY: `index..<end` was checked against the array above.
    return unsafe withUnsafeBufferPointer { buffer in
      let rest = unsafe UnsafeBufferPointer(rebasing: buffer[index..<end])
      return unsafe String(validating: rest, as: UTF8.self) != nil
    }
  }

  /// Appends the bytes of `span`.
  @inline(__always)
  mutating func append(_ span: Span<UInt8>) {
    // SAFETY: the buffer is used only inside the closure, while the span is alive.
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
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
