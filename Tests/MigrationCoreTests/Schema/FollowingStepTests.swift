import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Entities that come once several steps were done get all of them in one run, also those of which nothing
/// shows before the one before them has run.
@Suite struct FollowingStepTests {
  private static let plan = plan(risk: "transformative")

  private static func plan(risk: String) -> String {
    """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "s1", "risk": "transformative", "entities": {"person": [
        {"set": "nick", "type": "string", "to": {"copy": "/firstName"}}, {"drop": "firstName"}]}},
      {"id": "s2", "risk": "\(risk)", "entities": {"person": [
        {"set": "nick2", "type": "string", "to": {"copy": "/nick"}}, {"drop": "nick"}]}}]}
    """
  }

  private static let mary = """
    {"id": "00000000-0000-4000-8000-00000000000C", "firstName": "Mary"}
    """

  private static func late(_ people: String) -> String {
    people.replacing("\"people\": [", with: "\"people\": [\(mary),")
  }

  @Test func `over documents`() throws {
    let folder = try StepFolder([Self.plan])
    try folder.run()
    try folder.folder.folder.write(Self.late(StepFolder.people), to: "people.json")
    try folder.folder.importing()
    try folder.folder.folder.remove("people.json")
    #expect(try folder.states() == [.pending, .applied])
    let dry = try folder.workflow().plan()
    let report = try folder.run()
    #expect(report.effects.map(\.id.rawValue) == ["s1", "s2"])
    #expect(report.effects.map(\.changedCount) == [1, 1])
    #expect(dry.effects.map(\.changedCount) == [1, 1])
    #expect(report.standings.map(\.state) == [.applied, .applied])
    #expect(try folder.states() == [.applied, .applied])
    let text = try folder.entities().map { "\($0)" }.joined()
    #expect(text.contains("nick2") && !text.contains("firstName"))
    let documents = try folder.documents
    #expect(try folder.run().effects.isEmpty)
    #expect(try folder.documents == documents)
  }

  @Test func `over JSON files`() throws {
    let folder = try StepFolder(files: StepFolder.people, [Self.plan])
    try folder.runFiles()
    let after = String(decoding: try folder.folder.folder.bytes("people.json"), as: UTF8.self)
    try folder.folder.folder.write(Self.late(after), to: "people.json")
    #expect(try folder.fileStates() == [.pending, .applied])
    let report = try folder.runFiles()
    #expect(report.effects.map(\.changedCount) == [1, 1])
    #expect(try folder.fileStates() == [.applied, .applied])
    let text = String(decoding: try folder.folder.folder.bytes("people.json"), as: UTF8.self)
    #expect(text.contains(#""nick2":"Mary""#) || text.contains(#""nick2": "Mary""#))
    #expect(!text.contains(#""nick":"#) && !text.contains("firstName"))
    #expect(try folder.runFiles().effects.isEmpty)
  }

  @Test func `one that destroys something needs consent`() throws {
    let folder = try StepFolder([Self.plan(risk: "destructive")])
    try folder.run { $0.allowsDestructive = true }
    try folder.folder.folder.write(Self.late(StepFolder.people), to: "people.json")
    try folder.folder.importing()
    try folder.folder.folder.remove("people.json")
    let before = try folder.documents
    let error = #expect(throws: MigrationError.self) {
      try folder.run { $0.allowsDestructive = false }
    }
    #expect(error?.diagnostic.kind == .conflictsWithData)
    #expect(try folder.documents == before)
    try folder.run { $0.allowsDestructive = true }
    #expect(try folder.states() == [.applied, .applied])
  }
}
