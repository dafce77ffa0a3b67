internal import Crypto

extension ChangeHash {
  /// Computes the SHA-256 of the bytes in `range`.
  init(sha256Of bytes: [UInt8], in range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    var hasher = SHA256()
    // SAFETY: the range was checked above; the pointer is used only during the call.
    unsafe bytes.withUnsafeBytes { buffer in
      unsafe hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[range]))
    }
    self.init(hasher.finalize())
  }

  /// Computes the SHA-256 of a label, a zero byte and `bytes`.
  init(sha256Of label: StaticString, and bytes: [UInt8]) {
    var hasher = SHA256()
    label.withUTF8Buffer {
      // SAFETY: a static string's bytes live as long as the program.
      unsafe hasher.update(bufferPointer: UnsafeRawBufferPointer($0))
    }
    let zero: StaticString = "\0"
    zero.withUTF8Buffer {
      // SAFETY: as above.
      unsafe hasher.update(bufferPointer: UnsafeRawBufferPointer($0))
    }
    // SAFETY: the pointer is used only during the call.
    unsafe bytes.withUnsafeBytes { unsafe hasher.update(bufferPointer: $0) }
    self.init(hasher.finalize())
  }

  /// Computes the SHA-256 of some bytes and of others that follow.
  init(sha256Of first: [UInt8], followedBy second: [UInt8]) {
    var hasher = SHA256()
    // SAFETY: the pointer is used only during the call.
    unsafe first.withUnsafeBytes { unsafe hasher.update(bufferPointer: $0) }
    // SAFETY: as above.
    unsafe second.withUnsafeBytes { unsafe hasher.update(bufferPointer: $0) }
    self.init(hasher.finalize())
  }

  fileprivate init(_ digest: SHA256Digest) {
    // SAFETY: a SHA-256 digest is 32 bytes, and the loads need no alignment.
    let words = unsafe digest.withUnsafeBytes { buffer in
      // SAFETY: as above, for each of the four words.
      unsafe (
        buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self).bigEndian,
        buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian,
        buffer.loadUnaligned(fromByteOffset: 16, as: UInt64.self).bigEndian,
        buffer.loadUnaligned(fromByteOffset: 24, as: UInt64.self).bigEndian
      )
    }
    self.init(words: words)
  }
}

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

  mutating func finish() -> ChangeHash {
    flush()
    return ChangeHash(hasher.finalize())
  }
}
