import Folders
import Testing

@Suite struct NumericDatesTests {
  private func moment(_ dates: NumericDates, _ literal: String) -> RFC3339? {
    let bytes = Array(literal.utf8)
    return dates.moment(bytes.span)
  }

  @Test func `a number counts from what was said`() {
    #expect(moment(.unix, "1705311000")?.milliseconds == 1_705_311_000_000)
    #expect(moment(.unixMilliseconds, "1705311000000")?.milliseconds == 1_705_311_000_000)
    #expect(moment(.reference, "727003800")?.milliseconds == 1_705_311_000_000)
    #expect(moment(.reference, "0")?.milliseconds == 978_307_200_000)
    #expect(moment(.unix, "17053110.00e2")?.milliseconds == 1_705_311_000_000)
  }

  @Test(arguments: [
    ("0.0005", 1 as Int64, true), ("0.0004999", 0, true), ("-0.0005", 0, true),
    ("-0.0006", -1, true), ("-0.0015", -1, true), ("-1.5", -1500, false), ("0.1234", 123, true),
    ("1e-3", 1, false), ("1e-30", 0, true), ("-1e-30", 0, true), ("0.0", 0, false),
    ("-0", 0, false),
    ("1705311000.1235", 1_705_311_000_124, true), ("727003800.25", 727_003_800_250, false),
  ])
  func `fractions are rounded half up on their digits`(
    literal: String, expected: Int64, isReduced: Bool
  ) {
    #expect(
      moment(.unix, literal)
        == RFC3339(milliseconds: expected, isPrecisionReduced: isReduced))
  }

  @Test(arguments: ["1e15", "-1e15", "1e300", "99999999999999999999999", "1e-99999999999999999999"])
  func `a number beyond the calendar is no date`(literal: String) {
    #expect(moment(.unix, literal) == nil)
  }

  @Test func `the border of the calendar is exact`() {
    #expect(moment(.unixMilliseconds, "\(RFC3339.writable.upperBound - 1)") != nil)
    #expect(moment(.unixMilliseconds, "\(RFC3339.writable.upperBound)") == nil)
    #expect(moment(.unixMilliseconds, "\(RFC3339.writable.lowerBound)") != nil)
    #expect(moment(.unixMilliseconds, "\(RFC3339.writable.lowerBound - 1)") == nil)
  }

  @Test(arguments: NumericDates.allCases)
  func `a moment is counted by the number that names it, in as few digits as it needs`(
    dates: NumericDates
  ) {
    func literal(_ milliseconds: Int64) -> String {
      String(decoding: dates.literal(of: milliseconds), as: UTF8.self)
    }
    for milliseconds: Int64 in [
      0, 1, -1, 999, -999, 1000, 978_307_200_000, 978_307_199_999, 1_705_311_000_050,
      RFC3339.writable.lowerBound, RFC3339.writable.upperBound - 1,
    ] {
      #expect(moment(dates, literal(milliseconds))?.milliseconds == milliseconds)
    }
    let expected =
      switch dates {
      case .reference: "727003800.05"
      case .unix: "1705311000.05"
      case .unixMilliseconds: "1705311000050"
      }
    #expect(literal(1_705_311_000_050) == expected)
    #expect(!literal(1_705_311_000_000).contains("."))
    #expect(!literal(.min).isEmpty)
  }
}
