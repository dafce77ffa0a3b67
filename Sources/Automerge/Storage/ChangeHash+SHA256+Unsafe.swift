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

  /// Takes the SHA-256 of what was appended.
  init(_ pieces: PiecewiseHash) {
    var pieces = pieces
    self.init(pieces.finish())
  }

  private init(_ digest: SHA256Digest) {
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
