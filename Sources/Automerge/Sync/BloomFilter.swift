/// A set of change hashes in ten bits each, which now and then claims a hash it was not given
/// (format.md 7.2): `[leb128 entries][leb128 bits per entry][leb128 probes][bits]`, or no bytes at
/// all for no entries.
struct BloomFilter: Hashable, Sendable {
  private static let standardBitsPerEntry: UInt32 = 10
  private static let standardProbeCount: UInt32 = 7
  private static let greatestProbeCount: UInt32 = 64

  private let entryCount: UInt32
  private let bitsPerEntry: UInt32
  private let probeCount: UInt32
  private var bits: [UInt8]

  /// Makes a filter that contains nothing.
  init() { self.init([]) }

  /// Makes a filter of hashes; about one in a hundred others seems to be in it.
  init(_ hashes: some Collection<ChangeHash>) {
    // A history cannot have more changes than the format can count.
    entryCount = UInt32(clamping: hashes.count)
    bitsPerEntry = Self.standardBitsPerEntry
    probeCount = Self.standardProbeCount
    let byteCount = Self.byteCount(entryCount: entryCount, bitsPerEntry: bitsPerEntry)
    bits = [UInt8](repeating: 0, count: Int(byteCount))
    guard !bits.isEmpty else { return }
    for hash in hashes {
      var probe = Probe(hash, bitCount: bitCount)
      for _ in 0..<probeCount {
        bits[probe.byte] |= probe.mask
        probe.advance()
      }
    }
  }

  /// Reads a filter that fills the reader.
  init(_ reader: ByteReader) throws(FormatError) {
    guard !reader.isAtEnd else {
      self.init()
      return
    }
    var rest = reader
    self.init(
      entryCount: try rest.readUInt32(), bitsPerEntry: try rest.readUInt32(),
      probeCount: try rest.readUInt32(), bits: [UInt8](rest.bytes[rest.position..<rest.end]))
    // A filter with entries but without bits would divide by zero, one without probes claim all.
    let isUsable = bitsPerEntry > 0 && probeCount > 0 && probeCount <= Self.greatestProbeCount
    let byteCount = Self.byteCount(entryCount: entryCount, bitsPerEntry: bitsPerEntry)
    guard entryCount == 0 || isUsable, byteCount == UInt64(bits.count) else {
      throw reader.error(.malformedBloomFilter)
    }
  }

  private init(entryCount: UInt32, bitsPerEntry: UInt32, probeCount: UInt32, bits: [UInt8]) {
    self.entryCount = entryCount
    self.bitsPerEntry = bitsPerEntry
    self.probeCount = probeCount
    self.bits = bits
  }

  /// Whether the hash was probably put in; false is certain.
  func contains(_ hash: ChangeHash) -> Bool {
    guard !bits.isEmpty else { return false }
    var probe = Probe(hash, bitCount: bitCount)
    for _ in 0..<probeCount {
      guard bits[probe.byte] & probe.mask != 0 else { return false }
      probe.advance()
    }
    return true
  }

  private var bitCount: UInt64 { UInt64(bits.count) * 8 }

  /// No overflow: each number has 32 bits.
  private static func byteCount(entryCount: UInt32, bitsPerEntry: UInt32) -> UInt64 {
    (UInt64(entryCount) * UInt64(bitsPerEntry) + 7) / 8
  }

  /// The bytes that stand in a message, without their length.
  var encoded: [UInt8] {
    guard entryCount > 0 else { return [] }
    var output: [UInt8] = []
    output.reserveCapacity(bits.count + 15)
    output.appendULEB(UInt64(entryCount))
    output.appendULEB(UInt64(bitsPerEntry))
    output.appendULEB(UInt64(probeCount))
    output.append(contentsOf: bits)
    return output
  }
}

/// The bits that stand for a hash, one after another: triple hashing after Dillinger and Manolios,
/// with the first twelve bytes of the hash as the three numbers.
private struct Probe {
  // 64 bits wide: the sums of 32-bit numbers do not fit 32 bits.
  private var position: UInt64
  private var step: UInt64
  private let stepGrowth: UInt64
  private let bitCount: UInt64

  init(_ hash: ChangeHash, bitCount: UInt64) {
    let words = hash.leadingLittleEndianWords
    self.bitCount = bitCount
    position = UInt64(words.0) % bitCount
    step = UInt64(words.1) % bitCount
    stepGrowth = UInt64(words.2) % bitCount
  }

  var byte: Int { Int(truncatingIfNeeded: position &>> 3) }
  var mask: UInt8 { 1 &<< UInt8(truncatingIfNeeded: position & 7) }

  mutating func advance() {
    position = sum(position, step)
    step = sum(step, stepGrowth)
  }

  private func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let sum = left &+ right
    return sum >= bitCount ? sum &- bitCount : sum
  }
}
