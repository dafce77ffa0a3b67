import FolderDocuments
import Testing

@testable import Automerge

/// Columns of differences, each of which starts where the last value stood.
@Suite struct DeltaColumnTests {
  private func encode(_ values: [Int64?]) -> [UInt8] {
    var encoder = DeltaEncoder()
    for value in values {
      if let value { encoder.append(value) } else { encoder.appendNull() }
    }
    return encoder.finish()
  }

  private func decode(_ bytes: [UInt8], count: Int) throws(FormatError) -> [Int64?] {
    var decoder = DeltaDecoder(ByteReader(bytes), column: .keyCounter)
    var values: [Int64?] = []
    for _ in 0..<count { values.append(try decoder.next()) }
    try decoder.expectEnd()
    return values
  }

  @Test func `the specification's differences read and write as printed`() throws {
    for (values, text) in [
      ([3, 4, 5, 6, 9, 7, 8], "7f03 0301 7d037e01"), ([7, 7, 7], "7f07 0200"),
      ([10, nil, 12, nil], "7f0a 0001 7f02 0001"),
    ] as [([Int64?], String)] {
      #expect(encode(values) == hex(text))
      #expect(try decode(hex(text), count: values.count) == values)
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `random differences are canonical and survive`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var value: Int64 = 0
    let values = (0..<generator.below(200) + 1).map { _ -> Int64? in
      if generator.oneIn(6) { return nil }
      if generator.oneIn(2) { value += Int64(generator.below(9)) - 4 }
      if generator.oneIn(9) { value = Int64(truncatingIfNeeded: generator.next()) >> 2 }
      return value
    }
    let bytes = encode(values)
    #expect(bytes == ForgedColumn.delta(values), "seed \(seed)")
    if !bytes.isEmpty { #expect(try decode(bytes, count: values.count) == values, "seed \(seed)") }
  }

  @Test func `a sum that leaves 64 bits is refused`() {
    let bytes = ForgedColumn.runs([.repeated(2, ForgedNumber.sleb(.max))])
    #expect(throws: FormatError.self) { try decode(bytes, count: 2) }
  }

  @Test func `a counter outside 32 bits is refused`() throws {
    for (value, isValid) in [
      (0, true), (0xffff_ffff, true), (0x1_0000_0000, false), (-1, false), (.min, false),
    ] as [(Int64, Bool)] {
      var decoder = DeltaDecoder(ByteReader(ForgedColumn.delta([value])), column: .keyCounter)
      let counter = try? decoder.nextCounter()
      #expect(counter == (isValid ? UInt32(value) : nil))
    }
  }
}
