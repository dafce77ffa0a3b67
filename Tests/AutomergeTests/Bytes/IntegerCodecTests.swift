@testable import Automerge
import Testing

/// LEB128 integers against the specification's table, the forger's own encoder, and the edges.
@Suite struct IntegerCodecTests {
  private func unsigned(_ bytes: [UInt8]) throws(FormatError) -> UInt64 {
    var reader = ByteReader(bytes)
    let value = try reader.readULEB()
    try reader.expectEnd()
    return value
  }

  private func signed(_ bytes: [UInt8]) throws(FormatError) -> Int64 {
    var reader = ByteReader(bytes)
    let value = try reader.readSLEB()
    try reader.expectEnd()
    return value
  }

  @Test func `the specification's integers read and write as printed`() throws {
    #expect(try unsigned(hex("ac02")) == 300)
    #expect(try unsigned(hex("ffffffffffffffffff01")) == .max)
    for (text, value) in [
      ("7f", -1), ("3f", 63), ("c000", 64), ("40", -64), ("bf7f", -65),
      ("8080808080808080807f", Int64.min), ("ffffffffffffffffff00", Int64.max),
    ] {
      #expect(try signed(hex(text)) == value)
      var written: [UInt8] = []
      written.appendSLEB(value)
      #expect(written == hex(text))
    }
  }

  /// Every power of two and its neighbours, which is where lengths change.
  private static let boundaries: [UInt64] =
    (0..<64).flatMap { bit -> [UInt64] in
      let power = UInt64(1) << UInt64(bit)
      return [power - 1, power, power + 1]
    } + [.max - 1, .max]

  @Test func `unsigned integers survive at every boundary`() throws {
    for value in Self.boundaries {
      var bytes: [UInt8] = []
      bytes.appendULEB(value)
      #expect(bytes == ForgedNumber.uleb(value))
      #expect(try unsigned(bytes) == value)
      #expect([UInt8].byteCount(ofULEB: value) == bytes.count)
    }
  }

  @Test func `signed integers survive at every boundary`() throws {
    for value in Self.boundaries.flatMap({ [Int64(bitPattern: $0), 0 &- Int64(bitPattern: $0)] }) {
      var bytes: [UInt8] = []
      bytes.appendSLEB(value)
      #expect(bytes == ForgedNumber.sleb(value))
      #expect(try signed(bytes) == value)
    }
  }

  @Test func `a longer form than needed is refused`() {
    for value in Self.boundaries {
      for padding in 1...9 {
        let bytes = ForgedNumber.uleb(value, padding: padding)
        let error = #expect(throws: FormatError.self) { try unsigned(bytes) }
        #expect(
          error?.fact == (bytes.count > 10 ? .integerTooLarge : .overlongInteger),
          "\(hexadecimal(bytes))")
        for signedValue in [Int64(bitPattern: value), 0 &- Int64(bitPattern: value)] {
          let bytes = ForgedNumber.sleb(signedValue, padding: padding)
          #expect(throws: FormatError.self, "\(hexadecimal(bytes))") { try signed(bytes) }
        }
      }
    }
  }

  @Test func `more than 64 bits are refused`() {
    let nine = [UInt8](repeating: 0xff, count: 9)
    for last: UInt8 in 0x02...0xff {
      let error = #expect(throws: FormatError.self) { try unsigned(nine + [last]) }
      #expect(error?.fact == .integerTooLarge)
    }
    for last: UInt8 in 0x01...0x7e {
      let error = #expect(throws: FormatError.self) { try signed(nine + [last]) }
      #expect(error?.fact == .integerTooLarge)
    }
  }

  @Test func `an integer without end is truncated at every length`() {
    for length in 0..<10 {
      let bytes = [UInt8](repeating: 0x80, count: length)
      for error in [
        #expect(throws: FormatError.self) { try unsigned(bytes) },
        #expect(throws: FormatError.self) { try signed(bytes) },
      ] {
        #expect(error?.fact == .truncated(missing: 1))
        #expect(error?.offset == length)
      }
    }
  }

  @Test func `every two bytes read as the definition says or not at all`() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max where first >= 0x80 && second < 0x80 {
        let bits = UInt64(first & 0x7f) | UInt64(second) << 7
        let value = try? unsigned([first, second])
        #expect(value == (second == 0 ? nil : bits))
        let extended = Int64(bitPattern: bits << 50) >> 50
        let repeatsSign = (-64...63).contains(extended)
        #expect((try? signed([first, second])) == (repeatsSign ? nil : extended))
      }
    }
  }

  @Test func `a count cannot promise more than the input holds`() throws {
    var reader = ByteReader(hex("03 aabbcc"))
    #expect(try reader.readCount() == 3)
    for bytes in [hex("04 aabbcc"), ForgedNumber.uleb(1 << 63) + hex("aa"), hex("02 aabbcc")] {
      var reader = ByteReader(bytes)
      #expect(throws: FormatError.self) { try reader.readCount(unit: 2) }
    }
  }
}
