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
}
