package import Crypto

/// The SHA-256 of a file's bytes.
package struct ContentHash: CustomStringConvertible, Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// What stands for a hash that is not known yet.
  package static let zero = ContentHash(words: (0, 0, 0, 0))

  private init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// Takes what the algorithm gave.
  package init(_ digest: SHA256.Digest) {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    // SAFETY: a digest has exactly 32 bytes, which are copied into the 32 bytes of the tuple.
    unsafe withUnsafeMutableBytes(of: &words) { words in
      // SAFETY: as above.
      unsafe digest.withUnsafeBytes { unsafe words.copyMemory(from: $0) }
    }
    self.words = words
  }

  /// Hashes bytes.
  package init(of bytes: [UInt8]) { self.init(of: bytes, 0..<bytes.count) }

  /// Hashes a part of an array.
  package init(of bytes: [UInt8], _ range: Range<Int>) {
    var hash = SHA256()
    hash.update(bytes, range)
    self.init(hash.finalize())
  }

  /// Creates a hash from its 64 hexadecimal digits, nil if they are not that.
  package init?(hexDigits: ArraySlice<UInt8>) {
    guard hexDigits.count == 64 else { return nil }
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    // SAFETY: 64 digits are 32 bytes, as many as the tuple has.
    let areDigits = unsafe withUnsafeMutableBytes(of: &words) { words in
      var place = hexDigits.startIndex
      var all: UInt8 = 0
      for index in 0..<32 {
        let high = HexDigits.value(of: hexDigits[place])
        let low = HexDigits.value(of: hexDigits[place + 1])
        // SAFETY: as above.
        unsafe words[index] = high << 4 | low
        all |= high | low
        place += 2
      }
      return all < 16
    }
    guard areDigits else { return nil }
    self.words = words
  }

  /// Creates a hash from its 32 bytes, nil if they are not as many.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    // SAFETY: there are 32 bytes, as many as the tuple has.
    unsafe withUnsafeMutableBytes(of: &words) { unsafe $0.copyBytes(from: bytes) }
    self.words = words
  }

  /// The 32 bytes.
  package var bytes: [UInt8] {
    // SAFETY: the tuple's bytes are copied while it is alive.
    unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
  }

  /// Appends the 64 hexadecimal digits.
  package func appendHexDigits(to text: inout [UInt8]) {
    // SAFETY: the tuple's bytes are read while it is alive.
    unsafe withUnsafeBytes(of: words) { bytes in
      for index in bytes.indices { unsafe HexDigits.append(bytes[index], to: &text) }
    }
  }

  /// The 64 hexadecimal digits.
  package var description: String {
    var text: [UInt8] = []
    appendHexDigits(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  package static func == (left: ContentHash, right: ContentHash) -> Bool {
    left.words == right.words
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension SHA256 {
  /// Adds a part of an array.
  package mutating func update(_ bytes: [UInt8], _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    // SAFETY: the range was checked; the pointer does not leave the closure.
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
  }
}
