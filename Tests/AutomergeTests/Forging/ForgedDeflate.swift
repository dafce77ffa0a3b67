/// Raw DEFLATE streams made by hand.
enum ForgedDeflate {
  /// Returns `bytes` in stored blocks: a valid stream that compresses nothing.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = []
    var start = 0
    repeat {
      let end = min(start + 0xffff, bytes.count)
      let length = UInt16(end - start)
      stream.append(end == bytes.count ? 1 : 0)
      for half in [length, ~length] {
        stream += [UInt8(truncatingIfNeeded: half), UInt8(truncatingIfNeeded: half >> 8)]
      }
      stream += bytes[start..<end]
      start = end
    } while start < bytes.count
    return stream
  }

  /// Returns a stream that inflates to `byte` repeated at least `count` times, 158 times shorter:
  /// one literal, then copies of 258 bytes at distance 1, in the fixed Huffman code.
  static func bomb(of byte: UInt8, count: Int) -> [UInt8] {
    var writer = BitWriter()
    writer.append(0b011, count: 3)
    writer.appendCode(0x30 + UInt32(byte), count: 8)
    for _ in 0..<(count / 258 + 1) {
      writer.appendCode(0xc5, count: 8)
      writer.appendCode(0, count: 5)
    }
    writer.appendCode(0, count: 7)
    return writer.finished()
  }

  private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var pendingCount: UInt32 = 0

    /// Appends the low bits, the least significant first.
    mutating func append(_ value: UInt32, count: UInt32) {
      pending |= value << pendingCount
      pendingCount += count
      while pendingCount >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: pending))
        pending >>= 8
        pendingCount -= 8
      }
    }

    /// Appends a Huffman code, whose most significant bit comes first.
    mutating func appendCode(_ code: UInt32, count: UInt32) {
      for index in (0..<count).reversed() { append(code >> index & 1, count: 1) }
    }

    func finished() -> [UInt8] {
      pendingCount == 0 ? bytes : bytes + [UInt8(truncatingIfNeeded: pending)]
    }
  }
}
