import Diagnostics
import Folders
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs

/// What a profile expects besides types: checks of values, and that references lead somewhere.
@Suite struct ProfiledExpectationTests {
  private static let file = ProfiledUpdateTests.file
  private static let january = ProfiledUpdateTests.january

  @Test(arguments: [
    ("rating", "0", "rating is 0, less than 1"), ("rating", "6", "rating is 6, more than 5"),
    (
      "edited", #""2025-01-02T07:45:10.499Z""#,
      "created is 2025-01-02T07:45:10.5Z, behind edited, which is 2025-01-02T07:45:10.499Z"
    ),
  ])
  func `a value that an app would not expect is told, and carried as it is`(
    _ example: (name: String, value: String, problem: String)
  ) throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.folder.write(ProfiledUpdateTests.note(example.name, example.value), to: Self.file)
    let report = try folder.importing()
    let found = report.findings.filter { $0.code == .unexpectedValue }
    #expect(found.map(\.message) == ["\(example.problem); it is carried as it is"])
    #expect(found.map(\.path) == [Self.file] && found.allSatisfy { $0.offset != nil })
    #expect(!report.endsWithDifferences)
    let verified = try folder.verifying()
    #expect(verified.isSound && verified.counts[0].equal == 5)
    #expect(verified.findings.contains { $0.code == .unexpectedValue })
  }

  @Test(arguments: [
    ("rating", "1"), ("rating", "5.0"), ("rating", "null"), ("rating", #""six""#),
    ("edited", #""2025-01-02T08:45:10.5+01:00""#), ("edited", #""soon""#), ("edited", nil),
  ])
  func `what is within a check, or of another type, is no such finding`(
    _ example: (name: String, value: String?)
  ) throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.folder.write(ProfiledUpdateTests.note(example.name, example.value), to: Self.file)
    #expect(try folder.importing().findings.allSatisfy { $0.code != .unexpectedValue })
  }

  @Test func `a string that is not like its pattern is told`() throws {
    let text = """
      {"profile":"parts","version":1,"kinds":[{"kind":"part","identity":{"type":"file"},
      "files":{"paths":["parts/*.json"]},"document":{"path":"parts.automerge"},
      "properties":{"code":{"type":"string"},"price":{"type":"decimal"}},
      "checks":[{"property":"code","pattern":"[A-Z]-?*"},
      {"property":"price","minimum":0.01}]}]}
      """
    let folder = try ProfiledFolder(Profile(parsing: Array(text.utf8), of: "parts.json"))
    try folder.folder.write(#"{"code":"A-1","price":"0.010"}"#, to: "parts/good.json")
    try folder.folder.write(#"{"code":"a-1\u001b","price":"0.0099"}"#, to: "parts/odd.json")
    let found = try folder.importing().findings.filter { $0.code == .unexpectedValue }
    #expect(
      found.map(\.message) == [
        #"code is "a-1\x1b", which is not like [A-Z]-?*; it is carried as it is"#,
        "price is 0.0099, less than 0.01; it is carried as it is",
      ])
    #expect(found.allSatisfy { $0.path == "parts/odd.json" })
  }

  // MARK: References

  private func dangling(_ folder: ProfiledFolder) throws -> [Finding] {
    try folder.verifying().findings.filter { $0.code == .danglingReference }
  }

  @Test func `what is referred to and is nowhere is told once`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    #expect(try dangling(folder) == [])
    let stranger = "00000009-0000-4000-8000-000000000001"
    let other = try ProfiledFolder(sample: "notes")
    try other.folder.write(ProfiledUpdateTests.note("links", "[\"\(stranger)\"]"), to: Self.file)
    let text = String(decoding: try other.folder.bytes("notes/welcome.json"), as: UTF8.self)
    try other.folder.write(
      text.replacingOccurrences(of: #""notebook": "Inbox""#, with: #""notebook": "Attic""#),
      to: "notes/welcome.json")
    try other.importing()
    let found = try dangling(other)
    #expect(
      Set(found.map(\.message)) == [
        "the note \(stranger) is nowhere, and 1 entity refers to it",
        "the notebook Attic is nowhere, and 1 entity refers to it",
      ], "\(found)")
    // Nothing becomes of a link whose note is deleted; a notebook that is gone would be cleared.
    #expect(Set(found.map(\.severity)) == [.info, .warning])
    #expect(try other.verifying().isSound)
  }

  @Test func `what was deleted and is referred to still is told`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    try folder.edit("notebooks.automerge") { try $0.delete(key: Array("Travel".utf8)) }
    let found = try dangling(folder)
    #expect(found.count == 1 && found.first?.severity == .warning)
    #expect(
      found.first?.message.hasPrefix("the notebook Travel was deleted, and ") == true, "\(found)")
  }
}
