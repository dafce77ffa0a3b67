import FolderDocuments
import Testing

@testable import Automerge

/// Run-length columns: the specification's examples, the canonical form as a property, and each
/// way to be wrong.
@Suite struct RunLengthColumnTests {
  private func encode(_ values: [UInt64?]) -> [UInt8] {
    var encoder = RunLengthEncoder<UInt64>()
    for value in values {
      if let value { encoder.append(value) } else { encoder.appendNull() }
    }
    return encoder.finish()
  }

  private func decode(_ bytes: [UInt8], count: Int) throws(FormatError) -> [UInt64?] {
    var decoder = RunLengthDecoder<UInt64>(ByteReader(bytes), column: .action)
    var values: [UInt64?] = []
    for _ in 0..<count { values.append(try decoder.next()) }
    try decoder.expectEnd()
    return values
  }

  private func encode(strings: [String?]) -> [UInt8] {
    let pool = strings.reduce(into: [UInt8]()) { $0 += Array(($1 ?? "").utf8) }
    var encoder = RunLengthEncoder<PoolRange>()
    var start = 0
    for text in strings {
      let count = text?.utf8.count ?? 0
      if text == nil {
        encoder.appendNull(from: pool)
      } else {
        encoder.append(PoolRange(start..<start + count), from: pool)
      }
      start += count
    }
    return encoder.finish(from: pool)
  }

  @Test func `the specification's columns read and write as printed`() throws {
    let numbers: [UInt64?] = [0, 0, 0, nil, nil, 1, 2, 3]
    #expect(encode(numbers) == hex("0300 0002 7d010203"))
    #expect(try decode(hex("0300 0002 7d010203"), count: 8) == numbers)
    #expect(encode([1, 1, 2, 2, 3, 4, 4]) == hex("0201 0202 7f03 0204"))
    #expect(
      encode(strings: ["a", "", nil, "boo", "boo"]) == hex("7e016100 0001 0203626f6f"))
    #expect(encode(strings: ["a", nil]) == hex("7f0161 0001"))
    #expect(encode([9]) == hex("7f09"))
    #expect(encode([nil, nil]) == [])
    #expect(encode([]) == [])
  }

  /// Every column of up to five rows over null, 0 and 1: each shape of neighbours occurs.
  @Test func `every short column is canonical and survives`() throws {
    for length in 0...5 {
      for number in 0..<Int(pow3(length)) {
        var rest = number
        let values = (0..<length).map { _ -> UInt64? in
          defer { rest /= 3 }
          return rest % 3 == 2 ? nil : UInt64(rest % 3)
        }
        let bytes = encode(values)
        #expect(bytes == ForgedColumn.unsigned(values))
        if values.contains(where: { $0 != nil }) {
          #expect(try decode(bytes, count: length) == values)
        }
      }
    }
  }

  private func pow3(_ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { product, _ in product * 3 }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `random columns are canonical and survive`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var values: [UInt64?] = []
    for _ in 0..<generator.below(40) + 1 {
      let value = generator.oneIn(4) ? nil : generator.next() >> UInt64(generator.below(64))
      values += [UInt64?](repeating: value, count: generator.oneIn(3) ? generator.below(300) : 1)
    }
    let bytes = encode(values)
    #expect(bytes == ForgedColumn.unsigned(values), "seed \(seed)")
    if !bytes.isEmpty { #expect(try decode(bytes, count: values.count) == values, "seed \(seed)") }
    let strings = values.map { $0.map { String($0, radix: 36) } }
    #expect(
      encode(strings: strings) == ForgedColumn.strings(strings.map { $0.map { Array($0.utf8) } }),
      "seed \(seed)")
  }

  @Test func `one encoder serves column after column`() {
    var encoder = RunLengthEncoder<UInt64>()
    encoder.append(5)
    encoder.appendNull()
    _ = encoder.finish()
    encoder.reset()
    encoder.append(1)
    encoder.append(1)
    #expect(encoder.finish() == hex("0201"))
  }

  @Test func `rows are counted without expanding a run`() throws {
    let columns: [([ForgedColumn.Run], Int?)] = [
      ([.repeated(3, [0]), .nulls(2), .literal([[1], [2]])], 7),
      ([.repeated(1 << 40, [0])], nil),
      ([.nulls(UInt64.max)], nil),
      ([.nulls(UInt64.max), .nulls(UInt64.max)], nil),
      ([.repeated(600, [0]), .nulls(600)], nil),
    ]
    for (runs, expected) in columns {
      let decoder = RunLengthDecoder<UInt64>(
        ByteReader(ForgedColumn.runs(runs)), column: .action)
      if let expected {
        #expect(try decoder.countRows(limit: 1_000) == expected)
      } else {
        let error = #expect(throws: FormatError.self) { try decoder.countRows(limit: 1_000) }
        #expect(error?.fact == .limitExceeded(.operations, 1_000))
      }
    }
  }

  @Test func `a column wrong in each way is refused`() {
    let wrong: [([UInt8], Int)] = [
      (hex("00"), 1),  // a run of nulls without its length
      (hex("0000"), 1),  // an empty run of nulls
      (hex("02"), 2),  // a run without its item
      (hex("7e01"), 2),  // a literal run that ends early
      (hex("808080808080808080 7f"), 1),  // a literal run of 2^63 items
      (hex("7f8000"), 1),  // an overlong item
      (hex("ff7f 01"), 1),  // an overlong length
      (hex("0305"), 2),  // a run past the last row
      (hex("0305"), 4),  // a run that ends before it
      (hex("0305 01"), 3),  // bytes behind the last row
    ]
    for (bytes, count) in wrong {
      #expect(throws: FormatError.self, "\(hexadecimal(bytes))") {
        try decode(bytes, count: count)
      }
    }
  }

  @Test func `a string item is checked when it is read`() {
    for bytes in [hex("7f 02 c328"), hex("7f 03 6161"), [0x7f] + ForgedNumber.uleb(1 << 40)] {
      var decoder = RunLengthDecoder<PoolRange>(ByteReader(bytes), column: .keyString)
      #expect(throws: FormatError.self) { try decoder.next() }
    }
  }
}
