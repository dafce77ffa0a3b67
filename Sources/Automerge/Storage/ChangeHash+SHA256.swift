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

  init(_ digest: SHA256Digest) {
    // SAFETY: a SHA-256 digest is 32 bytes; unaligned loads are allowed.
    let words = unsafe digest.withUnsafeBytes { buffer in
      (
        unsafe buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self).bigEndian,
        unsafe buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian,
        unsafe buffer.loadUnaligned(fromByteOffset: 16, as: UInt64.self).bigEndian,
        unsafe buffer.loadUnaligned(fromByteOffset: 24, as: UInt64.self).bigEndian
      )
    }
    self.init(words: words)
  }
}
