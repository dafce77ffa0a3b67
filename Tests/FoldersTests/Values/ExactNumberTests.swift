import FileFaults
import Folders
import Testing

@Suite struct ExactNumberTests {
  @Test(arguments: [
    ("0", ExactNumber.int(0)), ("1", .int(1)), ("-1", .int(-1)),
    ("9007199254740993", .int(9_007_199_254_740_993)),
    ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
    ("9223372036854775808", .uint(9_223_372_036_854_775_808)),
    ("18446744073709551615", .uint(.max)),
  ])
  func `a literal without a point is an integer if it fits`(text: String, expected: ExactNumber) {
    #expect(ExactNumber(text) == expected)
  }

  @Test(arguments: [
    ("0.5", 0.5), ("1.0", 1), ("1e2", 100), ("1E2", 100), ("-2.50", -2.5), ("0.1", 0.1),
    ("0.0", 0), ("0e99999999999999999999", 0), ("1e23", 1e23), ("9.5e-3", 0.0095),
    ("100000000000000000000", 1e20), ("-100000000000000000000", -1e20), ("1e308", 1e308),
    ("1.7976931348623157e308", .greatestFiniteMagnitude), ("5e-324", .leastNonzeroMagnitude),
    ("2.2250738585072014e-308", .leastNormalMagnitude), ("0.30000000000000004", 0.1 + 0.2),
    ("000.5".replacing("000", with: "0"), 0.5), ("0.000000000000000000000000000001", 1e-30),
    ("123456789012345680000", 123456789012345680000.0), ("1.50000000000000000000000000000", 1.5),
  ])
  func `everything else is a double if that loses nothing`(text: String, expected: Double) {
    #expect(ExactNumber(text) == .double(expected))
  }

  @Test(arguments: [
    "0.1000000000000000055511151231257827", "0.10000000000000001", "18446744073709551616",
    "-9223372036854775809", "123456789012345678901234567890", "1e400", "-1e400", "1e-400", "3e-324",
    "4.9406564584124654e-324", "1.7976931348623159e308", "9007199254740993.0",
    "0.12345678901234567891",
    "1e99999999999999999999", "1e-99999999999999999999", "1.00000000000000000000001",
  ])
  func `a number that would come back differently is not representable`(text: String) {
    #expect(ExactNumber(text) == .notRepresentable)
  }

  @Test func `minus zero is a double with its sign`() throws {
    for text in ["-0", "-0.0", "-0e5"] {
      guard case .double(let value) = ExactNumber(text) else {
        Issue.record("\(text) is no double")
        continue
      }
      #expect(value == 0 && value.sign == .minus)
    }
    guard case .double(let value) = ExactNumber("0.0") else {
      Issue.record("0.0 is no double")
      return
    }
    #expect(value.sign == .plus)
  }

  @Test func `every double comes back from its own description`() {
    var random = TestRandom(seed: 7)
    for step in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      #expect(ExactNumber(value.description) == .double(value), "step \(step): \(value)")
    }
  }

  @Test func `every decimal of up to fifteen digits is the double nearest to it`() throws {
    var random = TestRandom(seed: 9)
    for step in 0..<5000 {
      let digits = UInt64.random(
        in: 0..<UInt64.random(in: 1...1_000_000_000_000_000, using: &random),
        using: &random)
      let exponent = Int.random(in: -25...25, using: &random)
      let text = "\(step.isMultiple(of: 2) ? "-" : "")\(digits)e\(exponent)"
      let expected = try #require(Double(text))
      #expect(ExactNumber(text) == .double(expected), "step \(step): \(text)")
    }
  }

  @Test func `every integer near a border of its type is exact`() {
    for border in [Int64.min, -1, 0, 1 << 53, Int64.max - 200] as [Int64] {
      for distance in 0...200 as ClosedRange<Int64> {
        let value = border + distance
        #expect(ExactNumber(String(value)) == .int(value))
      }
    }
    for distance in 0...200 as ClosedRange<UInt64> {
      #expect(ExactNumber(String(UInt64.max - distance)) == .uint(.max - distance))
    }
  }

  @Test func `another digit at the end of the longest decimal is not representable`() {
    var random = TestRandom(seed: 8)
    for _ in 0..<2000 {
      let value = Double.random(in: 0.1..<1, using: &random)
      // 0. and seventeen digits: the longest there is.
      guard value.description.utf8.count == 19 else { continue }
      #expect(ExactNumber(value.description + "1") == .notRepresentable, "\(value)")
    }
  }
}
