internal import Crypto

/// Computes the SHA-256 of bytes that are nowhere one behind the other.
struct PiecewiseHash {
  private var hasher = SHA256()
  /// Short pieces, until there are so many that it is worth to hand them on.
  private var buffer = [UInt8](repeating: 0, count: 1 << 12)
  private var used = 0

  init() {}

  mutating func append(_ bytes: [UInt8]) { append(from: bytes, 0..<bytes.count) }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if used == buffer.count { flush() }
    buffer[used] = byte
    used &+= 1
  }

  @inline(__always)
  mutating func append(from bytes: [UInt8], _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    guard range.count <= buffer.count &- used else { return appendLong(bytes, range) }
    // SAFETY: the range was checked above, and that there is room for it.
    unsafe bytes.withUnsafeBytes { source in
      unsafe buffer.withUnsafeMutableBytes { target in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[used..<used &+ range.count])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
      }
    }
    used &+= range.count
  }

  @inline(never)
  private mutating func appendLong(_ bytes: [UInt8], _ range: Range<Int>) {
    flush()
    if range.count < buffer.count { return append(from: bytes, range) }
    update(with: bytes, range)
  }

  private mutating func flush() {
    update(with: buffer, 0..<used)
    used = 0
  }

  private mutating func update(with bytes: [UInt8], _ range: Range<Int>) {
    // SAFETY: the callers checked the range; the pointer is used only during the call.
    unsafe bytes.withUnsafeBytes { buffer in
      unsafe hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[range]))
    }
  }

  /// Returns the hash; nothing can be appended after it.
  mutating func finish() -> SHA256Digest {
    flush()
    return hasher.finalize()
  }
}
