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

  /// With steps between versions that were undone, and another one that was done between them.
  @Test func `what is printed to do a step once more works as it is printed`() throws {
    let profile = """
      {"profile": "people", "version": 3, "kinds": [
        {"kind": "person", "identity": {"type": "string", "property": "id"},
         "files": {"paths": ["persons/*.json"]}, "document": {"path": "persons.automerge"},
         "properties": {"email": {"type": "string"}}}]}
      """
    let plan = """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "copy", "from": 1, "to": 2, "risk": "additive", "entities": {"person": [
          {"set": "note", "to": {"copy": "/email"}, "type": "string"}]}},
        {"id": "mark", "risk": "additive", "entities": {"person": [
          {"set": "mark", "to": {"constant": "m"}, "type": "string"}]}},
        {"id": "drop", "from": 2, "to": 3, "risk": "destructive", "entities": {"person": [
          {"drop": "email"}]}}]}
      """
    let app = try PlannedFolder(isOfFiles: false, profile: profile, plan: plan)
    try app.add(["persons/a.json": #"{"id": "a", "email": "ada@example.org"}"#])
    try app.run { ($0.baseline, $0.target) = (.version(1), "mark") }
    let other = try app.copied()
    try other.run { $0.undone = "copy" }
    try app.run()
    try app.merge(other)
    let told = try app.workflow().status()
    #expect(told.standings.map(\.state) == [.undone, .applied, .applied])
    let remedy = "--undo drop, then --force copy --out-of-order, then --force drop"
    #expect(told.findings.map(\.next) == [remedy])
    try app.run { $0.undone = "drop" }
    let undone = try app.copied()
    try app.run { ($0.forced, $0.allowsOtherOrder) = (["copy"], true) }
    try app.run { $0.forced = ["drop"] }
    // Or both at once.
    let status = try undone.workflow().status()
    #expect(status.standings.map(\.state) == [.undone, .applied, .undone])
    #expect(status.standings[0].reason.hasSuffix(" --force copy --out-of-order"))
    #expect(status.standings[2].reason.hasSuffix(" --force copy --force drop --out-of-order"))
    let refused = #expect(throws: MigrationError.self) { try undone.run { $0.forced = ["drop"] } }
    #expect(
      refused?.diagnostic.remedy?.hasSuffix("--force copy --force drop --out-of-order") == true)
    try undone.run { ($0.forced, $0.allowsOtherOrder) = (["copy", "drop"], true) }
    for app in [app, undone] {
      #expect(try app.states() == [.applied, .applied, .applied])
      let person = try app.folder.entities(of: "person")["a"]
      #expect(person?["note"] == #""ada@example.org""# && person?["email"] == nil)
    }
  }

  @Test func `a step whose source another device has taken away meanwhile is told, and not forced`()
    throws
  {
    let plan = """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "copy", "risk": "additive", "entities": {"person": [
          {"set": "note", "to": {"copy": "/email"}, "type": "string"}]}},
        {"id": "drop", "risk": "destructive", "entities": {"person": [{"drop": "email"}]}}]}
      """
    let folder = try StepFolder([plan])
    try folder.run { $0.target = "copy" }
    let other = try folder.copied()
    try other.undo("copy")
    #expect(try other.workflow { $0.target = "copy" }.status().findings.isEmpty)
    try folder.run()
    try folder.merge(other)
    for report in [try folder.workflow().status(), try folder.run()] {
      #expect(report.standings.map(\.state) == [.undone, .applied] && report.differs)
      let finding = try #require(report.findings.first)
      #expect(report.findings.count == 1 && finding.severity == .warning)
      #expect(finding.next == "--undo drop, then --force copy, then --force drop")
      #expect(report.standings[0].reason.contains("--undo drop, then --force copy"))
    }
    let bytes = try folder.documents
    for isDryRun in [true, false] {
      let refused = #expect(throws: MigrationError.self) {
        let workflow = try folder.workflow {
          ($0.forced, $0.allowsOtherOrder) = (["copy"], true)
        }
        _ = try isDryRun ? workflow.plan() : workflow.perform()
      }
      #expect(refused?.diagnostic.kind == .conflictsWithData)
      #expect(refused?.diagnostic.remedy?.hasPrefix("--undo drop, then --force copy") == true)
    }
    #expect(try folder.documents == bytes)
    // As it says.
    #expect(try !folder.undo("drop").differs)
    for id: MigrationID in ["copy", "drop"] { try folder.run { $0.forced = [id] } }
    let status = try folder.workflow().status()
    #expect(status.standings.map(\.state) == [.applied, .applied])
    #expect(status.findings.isEmpty && !status.differs)
    #expect(try folder.entities()[StepFolder.ada]?["note"] == "\"ada@example.org\"")
    #expect(try folder.entities()[StepFolder.ada]?["email"] == nil)
  }

  // MARK: Entities that a step made

  private static let made = "00000000-0000-4000-8000-000000000001"

  private static func making(_ verify: String = "") -> String {
    """
    {"plan": "p", "profile": "people", "steps": [{"id": "make", "risk": "additive",
      "folds": {"n": {"count": true, "of": "person"}},
      "create": [{"kind": "person", "id": {"constant": "\(made)"}, "fields": [
        {"set": "n", "to": {"fold": "n"}, "type": "integer"},
        {"set": "email", "to": {"constant": "sum@x"}},
        {"set": "tags", "to": {"constant": ["a", "b"]}, "type": "list"}]}]\(verify)}]}
    """
  }

  @Test func `a step that makes entities makes them once more where it is forced`() throws {
    let folder = try StepFolder([Self.making()])
    let before = try folder.entities()
    try folder.run()
    let after = try folder.entities()
    #expect(after[Self.made]?["tags"] == #"["a","b"]"#)
    for _ in 0..<2 {
      try folder.undo("make")
      #expect(try folder.entities() == before)
      #expect(try folder.states() == [.undone])
      let other = try folder.copied()
      let planned = try folder.workflow { $0.forced = ["make"] }.plan()
      #expect(planned.effects.map(\.madeCount) == [1] && planned.documentCount == 1)
      let report = try folder.run { $0.forced = ["make"] }
      #expect(report.effects.map(\.madeCount) == [1] && report.findings.isEmpty)
      #expect(try folder.entities() == after)
      #expect(try folder.states() == [.applied])
      #expect(try folder.run().effects.isEmpty)
      // Devices with the same heads write the same bytes.
      try other.run { $0.forced = ["make"] }
      #expect(try folder.documents == other.documents)
    }
  }

  @Test func `what somebody deleted comes back through no step`() throws {
    let folder = try StepFolder([Self.making()])
    try folder.run()
    try folder.edit { document in try document.delete(obj: .ROOT, key: Self.made) }
    try folder.undo("make")
    let report = try folder.run { $0.forced = ["make"] }
    #expect(report.effects.map(\.madeCount) == [0])
    #expect(report.findings.contains { $0.message.contains("known already") })
    #expect(try folder.entities()[Self.made] == nil)
  }

  @Test func `what was made once more and edited stays when that is undone`() throws {
    let folder = try StepFolder([Self.making()])
    try folder.run()
    try folder.undo("make")
    try folder.run { $0.forced = ["make"] }
    try folder.edit { document in
      try document.put(obj: document.entity(Self.made), key: "email", value: .String("mine"))
    }
    let report = try folder.undo("make")
    #expect(report.findings.map(\.code) == [.editedSince])
    #expect(report.findings.first?.message.contains("it was edited since") == true)
    #expect(try folder.entities()[Self.made]?["email"] == "\"mine\"")
  }

  @Test func `what two devices made of different data is not told as edited`() throws {
    let one = try StepFolder([Self.making()])
    let other = try one.copied()
    let third = "00000000-0000-4000-8000-00000000000C"
    try other.edit { document in
      let new = try document.putObject(obj: .ROOT, key: third, ty: .Map)
      try document.put(obj: new, key: "email", value: .String("m"))
    }
    try one.run()
    try other.run()
    try one.merge(other)
    let shown = try one.entities()[Self.made]?["n"]
    let report = try one.undo("make")
    // One of both is what readers see, and it is what the step makes now, or of what was there before.
    if shown == "2" {
      #expect(report.findings.map(\.code) == [.editedSince])
      #expect(report.findings.first?.message.contains("another device's run") == true)
    } else {
      #expect(try one.entities()[Self.made] == nil)
    }
  }

  // MARK: What is told

  @Test func `a long value is cut between characters, and it is said so`() throws {
    let name = "a" + String(repeating: "é", count: 200)
    let folder = try StepFolder(
      [Self.plan([("sa", "A")])],
      #"{"people": [{"id": "\#(StepFolder.ada)", "email": "\#(name)"}]}"#)
    let property = try #require(folder.workflow().plan().changes.first?.properties.first)
    #expect(property.isCut && property.before.hasSuffix("é"))
    #expect(!property.before.contains("\u{FFFD}"))
    try folder.run()
    let undoing = try folder.workflow { $0.undone = "sa" }.plan()
    #expect(undoing.changes.first?.properties.first?.isCut == true)
    let short = try StepFolder([Self.plan([("sa", "A")])])
    #expect(try short.workflow().plan().changes.first?.properties.first?.isCut == false)
  }
}
