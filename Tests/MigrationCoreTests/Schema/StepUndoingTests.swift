import Automerge
import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Steps that are undone in documents, and done once more.
@Suite struct StepUndoingTests {
  /// Steps between no versions, of which each writes the same property.
  private static func plan(_ values: [(id: String, value: String)]) -> String {
    let steps = values.map { id, value in
      """
      {"id": "\(id)", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"constant": "\(value)"}}]}}
      """
    }
    return #"{"plan": "p", "profile": "people", "steps": [\#(steps.joined(separator: ","))]}"#
  }

  private static func email(_ folder: StepFolder) throws -> String? {
    try folder.entities()[StepFolder.ada]?["email"]
  }

  // MARK: Order

  @Test func `a step is not undone before one that has changed the same after it`() throws {
    let folder = try StepFolder([Self.plan([("sa", "A"), ("sb", "B")])])
    let before = try folder.entities()
    try folder.run()
    let bytes = try folder.documents
    for isDryRun in [true, false] {
      let refused = #expect(throws: MigrationError.self) {
        let workflow = try folder.workflow { $0.undone = "sa" }
        _ = try isDryRun ? workflow.plan() : workflow.perform()
      }
      #expect(refused?.diagnostic.kind == .conflictsWithData)
      #expect(refused?.diagnostic.remedy == "undo sb first")
    }
    #expect(try folder.documents == bytes)
    try folder.undo("sb")
    #expect(try Self.email(folder) == "\"A\"")
    try folder.undo("sa")
    #expect(try folder.entities() == before)
    #expect(try folder.states() == [.undone, .undone])
  }

  @Test func `one that has changed something else is no obstacle`() throws {
    let folder = try StepFolder([
      """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "sa", "risk": "destructive", "entities": {"person": [
          {"set": "email", "to": {"constant": "A"}}]}},
        {"id": "sb", "risk": "additive", "entities": {"person": [
          {"set": "note", "to": {"constant": "B"}, "type": "string"}]}}]}
      """
    ])
    try folder.run()
    try folder.undo("sa")
    #expect(try folder.entities()[StepFolder.ada]?["email"] == "\"ada@example.org\"")
    #expect(try folder.entities()[StepFolder.ada]?["note"] == "\"B\"")
  }

  @Test func `what an undone step wrote does not come back with another one`() throws {
    // Forced in turn: sa, sb, sa again.
    let folder = try StepFolder([Self.plan([("sa", "A"), ("sb", "B")])])
    let before = try folder.entities()
    try folder.run()
    try folder.run { $0.forced = ["sa"] }
    #expect(try Self.email(folder) == "\"A\"")
    let refused = #expect(throws: MigrationError.self) { try folder.undo("sb") }
    #expect(refused?.diagnostic.remedy == "undo sa first")
    try folder.undo("sa")
    #expect(try Self.email(folder) == "\"B\"")
    try folder.undo("sb")
    #expect(try folder.entities() == before)
  }

  @Test func `what a step wrote that was undone and done again comes back`() throws {
    let folder = try StepFolder([Self.plan([("sa", "A"), ("sb", "B")])])
    try folder.run { $0.target = "sa" }
    try folder.undo("sa")
    try folder.run()
    try folder.run {
      $0.forced = ["sa"]
      $0.allowsOtherOrder = true
    }
    try folder.run { $0.forced = ["sb"] }
    #expect(try Self.email(folder) == "\"B\"")
    try folder.undo("sb")
    #expect(try Self.email(folder) == "\"A\"")
    #expect(try folder.states() == [.applied, .undone])
    try folder.undo("sa")
    #expect(try Self.email(folder) == "\"ada@example.org\"")
  }
}
