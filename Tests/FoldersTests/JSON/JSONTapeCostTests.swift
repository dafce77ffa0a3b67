import Folders
import Testing

@Suite struct JSONTapeCostTests {
  /// At 800,000 escapes what copies the source for each of them takes minutes.
  @Test(.timeLimit(.minutes(1)), arguments: [#"\n"#, #"\u00e4"#])
  func `a string full of escapes takes its length, not its square`(escape: String) throws {
    let count = 800_000
    var tape = JSONTape()
    let text = #"{"a":""# + String(repeating: escape, count: count) + #""}"#
    try tape.parse(Array(text.utf8))
    #expect(tape.range(of: 2).count == count * (escape == #"\n"# ? 1 : 2))
  }

  @Test(.timeLimit(.minutes(1)))
  func `many strings with an escape take the length of the text, not its square`() throws {
    let count = 100_000
    var tape = JSONTape()
    let text = "[" + (0..<count).map { #""a\"\#($0)""# }.joined(separator: ",") + "]"
    try tape.parse(Array(text.utf8))
    #expect(tape.childCount(of: 0) == count)
    #expect(String(decoding: tape.bytes(of: count), as: UTF8.self) == "a\"\(count - 1)")
  }
}
