import Diagnostics
import Folders
import Foundation
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Steps over JSON files that somebody has restored since: what files show is so, and no record.
@Suite struct RestoredFileStepTests {
  private static let bang = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "bang", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}},
      {"id": "mark", "risk": "additive", "entities": {"person": [
        {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
    """

  private static func text(_ folder: StepFolder) throws -> String {
    String(decoding: try folder.folder.folder.bytes("people.json"), as: UTF8.self)
  }

  private static func restore(_ text: String, in folder: StepFolder) throws {
    try folder.folder.folder.write(text, to: "people.json")
  }

  @Test func `a step that rewrites in place is pending again, and so are those behind it`() throws {
    let folder = try StepFolder(files: StepFolder.people, [Self.bang])
    try folder.runFiles()
    let after = try Self.text(folder)
    #expect(try folder.fileStates() == [.applied, .applied])
    try Self.restore(StepFolder.people, in: folder)
    #expect(try folder.fileStates() == [.pending, .pending])
    try folder.runFiles()
    #expect(try Self.text(folder) == after)
    #expect(try folder.fileStates() == [.applied, .applied])
    for id: MigrationID in ["mark", "bang"] { try folder.runFiles { $0.undone = id } }
    #expect(try Self.text(folder) == StepFolder.people)
    #expect(try folder.fileStates() == [.undone, .undone])
  }

  @Test(arguments: [["mark", "bang"], ["bang", "mark"]] as [[MigrationID]])
  func `restored, they are undone in either order`(ids: [MigrationID]) throws {
    let folder = try StepFolder(files: StepFolder.people, [Self.bang])
    try folder.runFiles()
    try Self.restore(StepFolder.people, in: folder)
    for id in ids {
      #expect(try folder.fileWorkflow { $0.undone = id }.plan().documentCount == 0)
      #expect(try folder.runFiles { $0.undone = id }.documentCount == 0)
    }
    #expect(try folder.fileStates() == [.undone, .undone])
    #expect(try Self.text(folder) == StepFolder.people)
  }

  @Test func `what shows a step again that was undone is undone once more`() throws {
    let folder = try StepFolder(files: StepFolder.people, [Self.bang])
    try folder.runFiles()
    let after = try Self.text(folder)
    for id: MigrationID in ["mark", "bang"] { try folder.runFiles { $0.undone = id } }
    #expect(try folder.fileStates() == [.undone, .undone])
    try Self.restore(after, in: folder)
    #expect(try folder.fileStates() == [.applied, .applied])
    #expect(try folder.runFiles().effects.isEmpty)
    try folder.runFiles { $0.undone = "mark" }
    #expect(try folder.fileStates() == [.applied, .undone])
    try folder.runFiles { $0.undone = "bang" }
    #expect(try Self.text(folder) == StepFolder.people)
    #expect(try folder.fileStates() == [.undone, .undone])
    #expect(try folder.runFiles { $0.undone = "bang" }.effects.isEmpty)
  }

  @Test func `one of several files that shows a step again that was undone is told`() throws {
    let (folder, plan) = try FileStepTests.exclaimedNotes()
    let before = try folder.folder.files().filter { $0.key.hasSuffix(".json") }
    _ = try FileStepTests.workflow(folder, plan).perform()
    let after = try folder.folder.files().filter { $0.key.hasSuffix(".json") }
    _ = try FileStepTests.workflow(folder, plan, undoing: "bang").perform()
    let path = try #require(before.keys.filter { before[$0] != after[$0] }.min())
    try folder.folder.write(try #require(after[path]), to: path)
    let status = try FileStepTests.workflow(folder, plan).status()
    #expect(status.standings.map(\.state) == [.undone])
    let finding = try #require(status.findings.first)
    #expect(status.findings.count == 1 && finding.path == path)
    // As it says.
    let next = try #require(finding.next)
    let place = String(try #require(next.firstMatch(of: /is in (.*)$/)).output.1)
    #expect(try folder.folder.bytes(place) == before[path])
    for (path, bytes) in after { try folder.folder.write(bytes, to: path) }
    #expect(
      try FileStepTests.workflow(folder, plan).status().standings.map(\.state) == [.applied])
    _ = try FileStepTests.workflow(folder, plan, undoing: "bang").perform()
    #expect(try folder.folder.files().filter { $0.key.hasSuffix(".json") } == before)
  }

  @Test func `an edit between two runs of a step is told, and what is said about it leads out`()
    throws
  {
    let folder = try StepFolder(files: StepFolder.people, [StepFolder.transforming()])
    try folder.runFiles()
    let first = try Self.text(folder)
    let late = first.replacing(
      "\"people\": [",
      with: """
        "people": [{"id": "00000000-0000-4000-8000-00000000000C", "firstName": "Mary", \
        "lastName": "Shaw", "email": "m@x", "createdAt": "2024-01-01T00:00:00Z"},
        """)
    #expect(late != first)
    try Self.restore(late, in: folder)
    try folder.runFiles()
    #expect(try Self.text(folder).contains("Mary Shaw"))
    let backups = try folder.folder.folder.files(includingState: true).count
    #expect(throws: MigrationError.self) { try folder.runFiles { $0.undone = "people-v2" } }
    #expect(try folder.folder.folder.files(includingState: true).count == backups)
    // The edit is taken back.
    try Self.restore(first, in: folder)
    #expect(try folder.runFiles { $0.undone = "people-v2" }.documentCount == 1)
    #expect(try Self.text(folder) == StepFolder.people)
    #expect(try folder.fileStates() == [.undone])
    // Or the backup is restored.
    try folder.runFiles { $0.forced = ["people-v2"] }
    try Self.restore(late, in: folder)
    try folder.runFiles()
    try Self.restore(StepFolder.people, in: folder)
    #expect(try folder.runFiles { $0.undone = "people-v2" }.documentCount == 0)
    #expect(try folder.fileStates() == [.undone])
  }

  @Test func `a file as it was before a run that was undone is as before the step`() throws {
    let (folder, plan) = try FileStepTests.exclaimedNotes()
    func files() throws -> [String: [UInt8]] {
      try folder.folder.files().filter { $0.key.hasSuffix(".json") }
    }
    let before = try files()
    _ = try FileStepTests.workflow(folder, plan).perform()
    let path = try #require(before.keys.filter { try files()[$0] != before[$0] }.sorted().first)
    _ = try FileStepTests.workflow(folder, plan, undoing: "bang").perform()
    let first = try #require(before[path])
    let edited = String(decoding: first, as: UTF8.self).replacing(
      "\"body\": \"", with: "\"body\": \"E")
    #expect(Array(edited.utf8) != first)
    try folder.folder.write(edited, to: path)
    _ = try FileStepTests.workflow(folder, plan, forcing: "bang").perform()
    let after = try files()
    try folder.folder.write(first, to: path)
    let status = try FileStepTests.workflow(folder, plan).status()
    #expect(status.standings.map(\.state) == [.pending])
    let report = try FileStepTests.workflow(folder, plan).perform()
    #expect(report.documentCount == 1)
    let now = try files()
    #expect(now.filter { $0.key != path } == after.filter { $0.key != path })
    #expect(now[path] != first)
    #expect(try FileStepTests.workflow(folder, plan).status().standings.map(\.state) == [.applied])
  }
}
