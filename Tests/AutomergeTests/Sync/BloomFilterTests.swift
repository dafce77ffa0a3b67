@testable import Automerge
import Testing

@Suite struct BloomFilterTests {
  /// Hashes without a pattern.
  private func hashes(_ count: Int, seed: UInt64) -> [ChangeHash] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      ChangeHash(bytes: (0..<ChangeHash.byteCount).map { _ in generator.byte() })
    }
  }

  private func parse(_ bytes: [UInt8]) throws(FormatError) -> BloomFilter {
    try BloomFilter(ByteReader(bytes))
  }

  @Test func `three hashes give the bytes of the specification`() throws {
    let hashes = (0..<3).map { i in
      ChangeHash(bytes: (0..<32).map { UInt8(truncatingIfNeeded: 31 * i + 7 * $0 + 1) })
    }
    let filter = BloomFilter(hashes)
    #expect(filter.encoded == hex("03 0a 07 4b 18 31 d4"))
    #expect(try parse(filter.encoded) == filter)
    #expect(hashes.allSatisfy(filter.contains))
  }

  @Test func `no hashes take no bytes`() throws {
    #expect(BloomFilter([]).encoded == [])
    let nothing = try parse([])
    #expect(nothing == BloomFilter())
    #expect(!hashes(100, seed: 1).contains(where: nothing.contains))
    // The numbers of no entries say nothing, even where they would be wrong for some.
    let odd = try parse([0, 0, 0])
    #expect(!hashes(100, seed: 1).contains(where: odd.contains))
  }

  @Test(arguments: [1, 2, 7, 8, 100, 5_000])
  func `what was put in is found, and about one in a hundred others`(count: Int) throws {
    let present = hashes(count, seed: UInt64(count))
    let filter = try parse(BloomFilter(present).encoded)
    #expect(present.allSatisfy(filter.contains))
    let absent = hashes(10_000, seed: 99)
    let found = absent.count(where: filter.contains)
    #expect(found < absent.count / 25)
    if count >= 100 { #expect(found > absent.count / 500) }
  }

  @Test func `a filter is read with its own numbers`() throws {
    // 2 entries of 4 bits and one probe: the first four bytes modulo 8.
    let filter = try parse([2, 4, 1, 0b0000_0100])
    var bytes = [UInt8](repeating: 0xff, count: 32)
    bytes.replaceSubrange(0..<4, with: [10, 0, 0, 0])
    #expect(filter.contains(ChangeHash(bytes: bytes)))
    bytes[0] = 11
    #expect(!filter.contains(ChangeHash(bytes: bytes)))
    #expect(filter.encoded == [2, 4, 1, 0b0000_0100])
  }

  @Test func `sums of numbers beyond 32 bits wrap at the size of the filter`() throws {
    let filter = BloomFilter([ChangeHash(bytes: [UInt8](repeating: 0xff, count: 32))])
    // 2^32 - 1 is 15 modulo 16: the probes are 15, 14, 12, 9, 5, 0, 10.
    #expect(filter.encoded == [1, 10, 7, 0b0010_0001, 0b1101_0110])
  }

  @Test(arguments: [
    [1, 0, 7], [1, 10, 0, 0, 0], [1, 10, 65, 0, 0], [1, 10, 7, 0], [1, 10, 7, 0, 0, 0],
    [0, 10, 7, 0],
    // 2^32 - 1 entries of 2^32 - 1 bits.
    [0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f, 7, 0],
  ])
  func `numbers that contradict each other are refused`(bytes: [UInt8]) {
    #expect(throws: FormatError(.malformedBloomFilter, at: 0)) { try parse(bytes) }
  }

  @Test(arguments: [
    [1], [1, 10], [0x80, 0x80, 0x80, 0x80, 0x10, 10, 7], [0x81, 0, 10, 7], [0xff],
  ])
  func `numbers that are cut off, overlong or too large are refused`(bytes: [UInt8]) {
    #expect(throws: FormatError.self) { try parse(bytes) }
  }

  @Test func `sixty-four probes are the most`() throws {
    let filter = try parse([1, 10, 64, 0xff, 0xff])
    #expect(hashes(100, seed: 3).allSatisfy(filter.contains))
  }
}
