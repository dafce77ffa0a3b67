import FolderDocuments
import Foundation
import Runs
import SafeFiles
import Testing

@Suite struct DocumentPublisherTests {
  private let folder: TestFolder
  private let context = RunContext(command: "test", workerCount: 2, lockTimeoutSeconds: 2)

  init() throws { folder = try TestFolder() }

  private func document(_ path: RelativePath, _ text: String) -> BuiltDocument {
    BuiltDocument(path: path, bytes: Array(text.utf8), entitiesAdded: 1, changesAdded: 1)
  }

  private func publisher() throws -> DocumentPublisher {
    DocumentPublisher(try Directory.open(path: folder.path))
  }

  private func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func `a staged document has no name yet, and its bytes are let go`() throws {
    let publisher = try publisher()
    var staged = document("logs/2024/05.automerge", "may")
    try publisher.stage(&staged)
    #expect(staged.bytes == nil)
    #expect(staged.byteCount == 3)
    #expect(try names().contains { $0.hasPrefix("logs/2024/") })
    #expect(try !names().contains("logs/2024/05.automerge"))
    try publisher.publish([staged, document("logs/2024/06.automerge", "june")], context: context)
    publisher.discard()
    #expect(
      try names() == [
        "logs", "logs/2024", "logs/2024/05.automerge", "logs/2024/06.automerge",
      ])
  }

  @Test func `what is not published goes, and the directories made for it`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/kept", withIntermediateDirectories: true)
    let publisher = try publisher()
    var kept = document("kept/new/a.automerge", "a")
    var shared = document("made/b.automerge", "b")
    var gone = document("made/deeper/c.automerge", "c")
    try publisher.stage(&kept)
    try publisher.stage(&shared)
    try publisher.stage(&gone)
    try publisher.publish([shared], context: context)
    publisher.discard()
    #expect(try names() == ["kept", "made", "made/b.automerge"])
  }

  @Test func `a directory in which somebody wrote stays`() throws {
    let publisher = try publisher()
    var staged = document("made/a.automerge", "a")
    try publisher.stage(&staged)
    try "theirs".write(
      toFile: folder.path + "/made/theirs", atomically: false, encoding: .utf8)
    publisher.discard()
    #expect(try names() == ["made", "made/theirs"])
  }

  @Test func `a document made again takes the place of the one before`() throws {
    let publisher = try publisher()
    var first = document("a.automerge", "first")
    var second = document("a.automerge", "second")
    try publisher.stage(&first)
    try publisher.stage(&second)
    #expect(try names().count == 1)
    try publisher.publish([second], context: context)
    publisher.discard()
    #expect(
      try String(contentsOfFile: folder.path + "/a.automerge", encoding: .utf8) == "second")
  }

  @Test func `a document that is there already is never replaced`() throws {
    try "theirs".write(
      toFile: folder.path + "/a.automerge", atomically: false, encoding: .utf8)
    let publisher = try publisher()
    var staged = document("a.automerge", "ours")
    #expect(throws: MigrationError.self) { try publisher.stage(&staged) }
    publisher.discard()
    #expect(
      try String(contentsOfFile: folder.path + "/a.automerge", encoding: .utf8) == "theirs")
  }
}
