import Folders
import Testing

@Suite struct ExactDecimalTests {
  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("-0.000", "0"), ("0e99999999999999999999", "0"), ("007.0", "7"),
    ("12.500", "12.5"), ("1e3", "1000"), ("1E-7", "0.0000001"), ("-0.000001", "-0.000001"),
    ("120.034e1", "1200.34"), ("12e-1", "1.2"), ("100e-2", "1"), ("5e+2", "500"),
    ("99999999999999999999999999999999999999.99", "99999999999999999999999999999999999999.99"),
  ])
  func `a number has one form`(text: String, form: String) throws {
    let decimal = try #require(ExactDecimal(text))
    #expect(decimal.description == form)
    #expect(ExactDecimal(form) == decimal)
  }

  @Test(arguments: [
    "", "-", "+1", ".5", "5.", "1..2", "1e", "1e+", "1e1.5", "e5", "0x1", " 1", "1 ", "NaN", "--1",
    "1e1001", "1e-1001", "1e99999999999999999999", "1e-99999999999999999999",
  ])
  func `anything else is none`(text: String) {
    #expect(ExactDecimal(text) == nil)
  }

  @Test func `a thousand digits fit, one more does not, and zeros at the ends do not count`() throws
  {
    let digits = String(repeating: "7", count: 1000)
    #expect(try #require(ExactDecimal(digits)).description == digits)
    #expect(ExactDecimal(digits + "7") == nil)
    #expect(ExactDecimal("000" + digits + "000") != nil)
    #expect(
      ExactDecimal("0." + String(repeating: "0", count: 998) + "21")?.description.count == 1002)
    #expect(ExactDecimal("0." + String(repeating: "0", count: 1000) + "1") == nil)
    #expect(ExactDecimal("1e1000")?.description.count == 1001)
  }

  @Test func `numbers are ordered by their values`() throws {
    let ascending = try [
      "-1e1000", "-20", "-3", "-2.5", "-2.49", "-0.001", "0", "0.001", "0.01", "1", "1.0001", "2",
      "10",
      "1e1000",
    ].map { try #require(ExactDecimal($0)) }
    for (index, left) in ascending.enumerated() {
      for (other, right) in ascending.enumerated() {
        #expect((left < right) == (index < other), "\(left) \(right)")
      }
    }
  }
}
