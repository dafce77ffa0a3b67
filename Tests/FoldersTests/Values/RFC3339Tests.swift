import FileFaults
import Foundation
import Testing

@testable import Folders

@Suite struct RFC3339Tests {
  private func milliseconds(_ text: String) -> Int64? { RFC3339(text)?.milliseconds }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0 as Int64), ("2024-01-15T09:30:00Z", 1_705_311_000_000),
    ("2024-01-15t09:30:00z", 1_705_311_000_000), ("2024-01-15T11:30:00+02:00", 1_705_311_000_000),
    ("2024-01-14T23:45:00-09:45", 1_705_311_000_000),
    ("2024-01-15T09:30:00-00:00", 1_705_311_000_000), ("1969-12-31T23:59:59Z", -1000),
    ("0000-01-01T00:00:00Z", -62_167_219_200_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ("2000-02-29T00:00:00Z", 951_782_400_000), ("1582-10-10T00:00:00Z", -12_219_724_800_000),
  ])
  func `a date is its moment`(text: String, expected: Int64) {
    #expect(milliseconds(text) == expected)
  }

  @Test(arguments: [
    (".0", 0 as Int64, false), (".1", 100, false), (".25", 250, false), (".123", 123, false),
    (".123000000", 123, false), (".1234", 123, true), (".1235", 124, true), (".1234999", 123, true),
    (".0004", 0, true), (".0005", 1, true), (".999499999", 999, true), (".9995", 1000, true),
    (".999999999", 1000, true),
  ])
  func `fractions are rounded half up on their digits`(
    fraction: String, expected: Int64, isReduced: Bool
  ) throws {
    let after = try #require(RFC3339("1970-01-01T00:00:00\(fraction)Z"))
    #expect(after == RFC3339(milliseconds: expected, isPrecisionReduced: isReduced))
    // Before 1970 too: later, never away from zero.
    let before = try #require(RFC3339("1969-12-31T23:59:00\(fraction)Z"))
    #expect(before.milliseconds == expected - 60_000)
  }

  @Test(arguments: [
    "", "2024-01-15", "2024-01-15T09:30Z", "2024-01-15T09:30:00", "2024-01-15 09:30:00Z",
    "2024-01-15T09:30:00.Z", "2024-01-15T09:30:00.1234567890Z", "2024-01-15T09:30:00,5Z",
    "2024-01-15T24:00:00Z", "2024-01-15T23:59:60Z", "2024-01-15T09:60:00Z", "2024-00-15T09:30:00Z",
    "2024-13-15T09:30:00Z", "2024-01-00T09:30:00Z", "2024-01-32T09:30:00Z", "2023-02-29T09:30:00Z",
    "1900-02-29T09:30:00Z", "2024-04-31T09:30:00Z", "2024-01-15T09:30:00+2:00",
    "2024-01-15T09:30:00+0200", "2024-01-15T09:30:00+02", "2024-01-15T09:30:00+24:00",
    "2024-01-15T09:30:00+02:60", "2024-01-15T09:30:00ZZ", "2024-01-15T09:30:00Z ",
    " 2024-01-15T09:30:00Z", "+2024-01-15T09:30:00Z", "-024-01-15T09:30:00Z",
    "12024-01-15T09:30:00Z", "2024-01-15T09:30:0aZ", "2024-1-15T09:30:00Z", "2024/01/15T09:30:00Z",
    "２024-01-15T09:30:00Z", "2024-01-15T09-30-00Z", "2024-01-15T09:30:00*02:00",
  ])
  func `anything else is no date`(text: String) {
    #expect(RFC3339(text) == nil)
  }

  @Test(arguments: [
    ("2024-01-15T09:30:00.000Z", "2024-01-15T09:30:00Z"),
    ("2024-01-15T09:30:00.5+01:30", "2024-01-15T08:00:00.500Z"),
    ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
    ("0000-02-29T00:00:00.007Z", "0000-02-29T00:00:00.007Z"),
    ("0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00+23:59"),
    ("0000-01-01T00:00:00+00:01", "0000-01-01T23:58:00+23:59"),
    ("9999-12-31T23:59:59.9995Z", "9999-12-31T00:01:00-23:59"),
    ("9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59-23:59"),
  ])
  func `a moment is written in one way`(text: String, expected: String) throws {
    let moment = try #require(RFC3339(text))
    #expect(moment.description == expected)
    #expect(RFC3339(expected)?.milliseconds == moment.milliseconds)
  }

  @Test func `a moment after the last writable one is no date`() {
    #expect(RFC3339("9999-12-31T23:59:59.999-23:59") != nil)
    #expect(RFC3339("9999-12-31T23:59:59.9995-23:59") == nil)
    var bytes: [UInt8] = []
    #expect(!RFC3339(milliseconds: RFC3339.writable.upperBound).append(to: &bytes))
    #expect(!RFC3339(milliseconds: RFC3339.writable.lowerBound - 1).append(to: &bytes))
    #expect(!RFC3339(milliseconds: .max).append(to: &bytes))
    #expect(!RFC3339(milliseconds: .min).append(to: &bytes))
    #expect(bytes.isEmpty)
  }

  @Test func `every day of ten thousand years has one number`() {
    var expected = -719_528
    for year in 0...9999 {
      for month in 1...12 {
        for day in 1...CivilDate.dayCount(year: year, month: month) {
          if day == 1 || day >= 28 {
            let date = CivilDate.date(days: expected)
            let isEqual =
              CivilDate.days(year: year, month: month, day: day) == expected
              && date.year == year && date.month == month && date.day == day
            if !isEqual { Issue.record("\(year)-\(month)-\(day)") }
          }
          expected += 1
        }
      }
    }
    #expect(expected == 2_932_897)
  }

  @Test(arguments: 0..<5)
  func `moments agree with Foundation and come back from their text`(seed: Int) throws {
    var random = TestRandom(seed: UInt64(seed))
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for step in 0..<500 {
      let milliseconds = Int64.random(
        in: -62_135_596_800_000..<253_402_300_800_000, using: &random)
      let moment = RFC3339(milliseconds: milliseconds)
      #expect(RFC3339(moment.description) == moment, "seed \(seed) step \(step)")
      if milliseconds > -12_000_000_000_000 {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        var text = date.formatted(style)
        if text.hasSuffix(".000Z") { text = String(text.dropLast(5)) + "Z" }
        // Foundation cuts a double's fraction, which may lie just below the millisecond.
        if abs((RFC3339(text)?.milliseconds ?? 0) - milliseconds) > 1 {
          Issue.record("seed \(seed) step \(step): \(text) is not \(moment)")
        }
      }
    }
  }

  @Test func `a name is made from the moment in UTC`() {
    #expect(
      RFC3339("2024-01-15T09:30:05.9+02:00")?.utcName == Array("2024-01-15_073005".utf8))
    #expect(RFC3339(milliseconds: .max).utcName == nil)
  }

  @Test func `no mutation of a date traps`() {
    var random = TestRandom(seed: 3)
    let alphabet = Array("0123456789-+:.TtZz \0é".utf8)
    for _ in 0..<20_000 {
      var bytes = Array("2024-01-15T09:30:00.123+02:00".utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        if Bool.random(using: &random) {
          bytes[position] = alphabet.randomElement(using: &random) ?? 0
        } else {
          bytes.remove(at: position)
        }
      }
      if let moment = RFC3339(bytes.span) {
        #expect(moment.isWritable)
        #expect(RFC3339(moment.description)?.milliseconds == moment.milliseconds)
      }
    }
  }
}
