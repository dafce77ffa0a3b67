import Testing

@testable import Folders

@Suite struct MonthTests {
  @Test func `a month is the names of two directories`() throws {
    for year in [0, 1, 9, 10, 99, 100, 999, 1000, 1970, 2024, 9999] {
      for month in 1...12 {
        let month = try #require(Month(year: year, month: month))
        var bytes = Array("records/".utf8)
        month.append(to: &bytes)
        let expected = "records/\(month.yearName)/\(month.monthName)"
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
      }
    }
  }
}
