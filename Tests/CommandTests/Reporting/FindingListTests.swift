import Diagnostics
import Testing

@testable import CommandLineSupport

@Suite struct FindingListTests {
  private let plain = TextStyle(.never, isTerminal: true)

  @Test func `errors come last, with their place and what to do`() {
    let list = FindingList(
      [
        Finding(
          .damaged, .error, path: "records/2024/01/x.json", message: "unexpected end",
          next: "fetch the file again", offset: 12),
        Finding(.foreignFile, .info, path: "notes.txt", message: "not ours"),
      ], style: plain)
    #expect(
      list.lines == [
        "info foreign-file: notes.txt: not ours",
        "error damaged: records/2024/01/x.json: unexpected end (offset 12)",
        "  next: fetch the file again",
      ])
  }

  @Test func `a flood of one kind is cut and counted`() {
    let flood = (0..<1234).map { Finding(.precisionReduced, .warning, message: "number \($0)") }
    let lines = FindingList(flood, style: plain).lines
    #expect(lines.count == 11)
    #expect(lines.last == "warning precision-reduced: and 1,224 more (--json lists all)")
  }

  @Test func `the same advice is given once`() {
    let findings = (0..<3).map {
      Finding(.placeholder, .error, path: "\($0)", message: "not here", next: "download it")
    }
    #expect(FindingList(findings, style: plain).lines.filter { $0.contains("next:") }.count == 1)
  }

  @Test func `hostile text from a file is harmless`() {
    let finding = Finding(.damaged, .error, path: "a", message: "is \u{1B}[2J")
    #expect(FindingList([finding], style: plain).lines == ["error damaged: a: is \\u{1b}[2J"])
  }

  @Test func `colour is only where it is wanted`() {
    let finding = Finding(.damaged, .error, message: "x")
    let coloured = TextStyle(.always, isTerminal: false)
    #expect(
      FindingList([finding], style: coloured).lines == ["\u{1B}[31merror\u{1B}[0m damaged: x"])
    let piped = TextStyle(.auto, isTerminal: false)
    #expect(FindingList([finding], style: piped).lines == ["error damaged: x"])
  }
}
