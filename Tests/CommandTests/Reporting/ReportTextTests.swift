import Diagnostics
import Folders
import Testing

@testable import CommandLineSupport

@Suite struct ReportTextTests {
  @Test func `columns are aligned and numbers stand to the right`() {
    var table = TextTable(heading: ["kind", "month", "read"])
    table.add(["tag", "", "12"])
    table.add(["record", "2024-01", "1,300"])
    #expect(
      table.lines == [
        "  kind    month     read",
        "  tag                 12",
        "  record  2024-01  1,300",
      ])
  }

  @Test func `a table without rows is empty`() {
    #expect(TextTable(heading: ["kind"]).isEmpty)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567"),
  ])
  func `digits are grouped by three`(number: Int, text: String) {
    #expect(number.grouped == text)
  }

  @Test(arguments: [
    (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (99_950, "99.9 kB"),
    (123_456, "123 kB"), (3_400_000, "3.4 MB"), (7_000_000_000_000, "7 TB"),
  ])
  func `sizes keep the digits that matter`(bytes: Int, text: String) {
    #expect(bytes.byteCountText == text)
  }

  @Test func `one thing is singular`() {
    #expect(1.counted("file") == "1 file")
    #expect(2.counted("entity", "entities") == "2 entities")
    #expect(0.counted("file") == "0 files")
  }

  @Test(arguments: [
    (Duration.milliseconds(4), "0.00 s"), (.milliseconds(215), "0.22 s"),
    (.milliseconds(9994), "9.99 s"), (.seconds(14), "14 s"), (.seconds(187), "3:07 min"),
  ])
  func `durations keep the digits that matter`(duration: Duration, text: String) {
    #expect(duration.text == text)
  }

  @Test func `what could move a cursor is escaped`() {
    #expect("plain Küche ☕".safeForTerminal == "plain Küche ☕")
    #expect("a\u{1B}[2Jb\u{7}".safeForTerminal == "a\\u{1b}[2Jb\\u{7}")
    #expect("evil\u{202E}gpj.exe".safeForTerminal == "evil\\u{202e}gpj.exe")
    #expect("two\nlines".safeForTerminal == "two\\nlines")
  }

  @Test(arguments: [
    ("30d", 2_592_000), ("12h", 43_200), ("90m", 5_400), ("45s", 45), ("0d", 0), ("8w", 4_838_400),
  ])
  func `an age has a number and a unit`(text: String, seconds: Int) {
    #expect(Age(argument: text)?.seconds == seconds)
  }

  @Test(arguments: ["", "d", "30", "-1d", "1y", "1.5d", "9223372036854775807d"])
  func `anything else is no age`(text: String) {
    #expect(Age(argument: text) == nil)
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1),
    ("2000-02-29T12:00:00Z", 951_825_600), ("2024-12-31T23:59:59Z", 1_735_689_599),
    ("2100-03-01T00:00:00Z", 4_107_542_400),
  ])
  func `an age is counted from the moment of a report`(text: String, seconds: Int) {
    #expect(UTCText.age(of: text, at: seconds + 59) == "just now")
    #expect(UTCText.age(of: text, at: seconds + 60) == "1 minute")
  }

  @Test(arguments: ["", "2024-13-01T00:00:00Z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00+01"])
  func `of anything else there is no age`(text: String) {
    #expect(UTCText.age(of: text, at: 0).isEmpty)
  }

  @Test(arguments: [
    (59, "just now"), (60, "1 minute"), (7_199, "1 hour"), (86_400, "1 day"),
    (30 * 86_400, "30 days"), (-5, "in the future"),
  ])
  func `an age is said in its largest unit`(age: Int, text: String) {
    #expect(UTCText.age(of: "2026-01-06T12:00:00Z", at: 1_767_700_800 + age) == text)
  }
}
