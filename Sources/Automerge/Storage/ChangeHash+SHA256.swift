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
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var index = 0
    for byte in digest {
      switch index >> 3 {
      case 0: words.0 = words.0 &<< 8 | UInt64(byte)
      case 1: words.1 = words.1 &<< 8 | UInt64(byte)
      case 2: words.2 = words.2 &<< 8 | UInt64(byte)
      default: words.3 = words.3 &<< 8 | UInt64(byte)
      }
      index &+= 1
    }
    self.init(words: words)
  }
}
