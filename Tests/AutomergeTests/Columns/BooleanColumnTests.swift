@testable import Automerge
import Testing

/// Columns of truth values: alternating run lengths, the first of which counts false.
@Suite struct BooleanColumnTests {
  private func encode(_ values: [Bool]) -> [UInt8] {
    var encoder = BooleanEncoder()
    for value in values { encoder.append(value) }
    return encoder.finish()
  }

  private func decode(_ bytes: [UInt8], count: Int) throws(FormatError) -> [Bool] {
    var decoder = BooleanDecoder(ByteReader(bytes), column: .insert)
    var values: [Bool] = []
    for _ in 0..<count { values.append(try decoder.next()) }
    try decoder.expectEnd()
    return values
  }

  @Test func `the specification's booleans read and write as printed`() throws {
    #expect(encode([true, true, false, false, false]) == hex("000203"))
    #expect(encode([false, false]) == hex("02"))
    #expect(encode([true]) == hex("0001"))
    #expect(encode([Bool]()) == [])
    #expect(try decode(hex("000203"), count: 5) == [true, true, false, false, false])
  }

  @Test func `every short column of booleans survives`() throws {
    for length in 0...10 {
      for number in 0..<(1 << length) {
        let values = (0..<length).map { number >> $0 & 1 == 1 }
        let bytes = encode(values)
        #expect(bytes == ForgedColumn.booleans(values))
        #expect(try decode(bytes, count: length) == values)
      }
    }
  }

  @Test func `a column of booleans wrong in each way is refused`() {
    let wrong: [([UInt8], Int)] = [
      ([], 1), (hex("02"), 3), (hex("02"), 1), (hex("0100"), 1), (hex("010001"), 2),
      (hex("8100"), 1), (hex("00"), 0), (hex("0000"), 1),
      (ForgedNumber.uleb(.max) + [1], 3),
    ]
    for (bytes, count) in wrong {
      #expect(throws: FormatError.self, "\(hexadecimal(bytes)) for \(count)") {
        try decode(bytes, count: count)
      }
    }
  }
}
