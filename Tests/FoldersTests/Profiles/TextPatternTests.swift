import Folders
import Testing

@Suite struct TextPatternTests {
  @Test(arguments: [
    ("", "", true), ("", "a", false), ("*", "", true), ("a?c", "aéc", true),
    ("a?c", "a\u{1F600}c", true),
    ("a?c", "ac", false), ("*a*b", "xxaxxb", true), ("*a*b", "xxbxxa", false),
    ("[0-9][0-9]", "42", true), ("[0-9]", "x", false), ("[a-cx]", "x", true),
    ("[\\]\\-]", "-", true),
    ("\\*", "*", true), ("\\*", "a", false), ("é", "e\u{301}", false), ("[*]", "*", true),
  ])
  func `a string looks like a pattern or does not`(
    pattern: String, string: String, isMatch: Bool
  ) throws {
    #expect(try #require(TextPattern(pattern)).matches(string.utf8) == isMatch)
  }

  @Test(arguments: [
    "\\", "[", "[]", "[a", "[a-", "[z-a]", "[a-]", "[\\", String(repeating: "a", count: 513),
  ])
  func `what is no pattern is none`(text: String) {
    #expect(TextPattern(text) == nil)
  }
}
