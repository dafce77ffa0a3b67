import Automerge
import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Values that a step would change, and can have written itself: they show nothing of whether it was done.
@Suite struct OwnValueTests {
  private static let profile = """
    {"profile": "moods", "version": 1, "kinds": [
      {"kind": "person", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["persons/*.json"]}, "document": {"path": "persons.automerge"},
       "properties": {"mood": {"type": "string"}}}]}
    """

  /// Steps whose tables lead from one value to another.
  private static func plan(_ tables: (id: String, table: String)...) -> String {
    let steps = tables.map { id, table in
      """
      {"id": "\(id)", "risk": "transformative", "entities": {"person": [
        {"set": "mood", "to": {"lookUp": {"copy": "/mood"}, "in": \(table),
          "else": {"copy": "/mood"}}}]}}
      """
    }
    return #"{"plan": "p", "profile": "moods", "steps": [\#(steps.joined(separator: ","))]}"#
  }

  private static let chain = plan(("look", #"{"a": "b", "b": "c", "x": "y"}"#))

  private static func app(
    isOfFiles: Bool, _ plan: String = chain, moods: [String: String]
  ) throws -> PlannedFolder {
    let app = try PlannedFolder(isOfFiles: isOfFiles, profile: profile, plan: plan)
    try add(moods, to: app)
    return app
  }

  private static func add(_ moods: [String: String], to app: PlannedFolder) throws {
    var files: [String: String] = [:]
    for (id, mood) in moods {
      files["persons/\(id).json"] = #"{"id": "\#(id)", "mood": "\#(mood)"}"#
    }
    try app.add(files)
  }

  private static func moods(_ app: PlannedFolder) throws -> [String: String] {
    try app.folder.entities(of: "person").compactMapValues { fields in
      fields["mood"].map { $0.filter { $0 != "\"" } }
    }
  }

  /// Expects that a run does nothing, and that it and a look tell of so many entities.
  private static func expectDoubt(of count: Int, in app: PlannedFolder) throws {
    let before = try moods(app)
    let reports = [
      try app.workflow().status(), try app.workflow().plan(), try app.run(),
    ]
    for report in reports {
      #expect(report.standings.map(\.state) == [.applied] && report.effects.isEmpty)
      #expect(report.standings[0].reason.contains("of \(count.counted("entity", "entities"))"))
    }
    #expect(try moods(app) == before)
  }

  @Test(arguments: [true, false])
  func `what came since stays, and is told, unless the step cannot have written it`(
    isOfFiles: Bool
  ) throws {
    let app = try Self.app(isOfFiles: isOfFiles, moods: ["1": "a", "2": "b"])
    try app.run()
    try Self.add(["3": "b"], to: app)
    try Self.expectDoubt(of: 1, in: app)
    try Self.add(["4": "x"], to: app)
    #expect(try app.run().effects.map(\.changedCount) == [1])
    #expect(try Self.moods(app) == ["1": "b", "2": "c", "3": "b", "4": "y"])
  }

  @Test func `files of another device that has done the step stay as they are`() throws {
    let app = try Self.app(isOfFiles: true, moods: ["1": "b", "2": "c"])
    try app.run { $0.baseline = .step("look") }
    try Self.expectDoubt(of: 1, in: app)
    // What the app writes since is no less what the step would have written.
    try Self.add(["2": "b"], to: app)
    try Self.expectDoubt(of: 2, in: app)
    #expect(try Self.moods(app) == ["1": "b", "2": "b"])
  }

  @Test(arguments: [true, false])
  func `what an earlier step makes of what came gets the later one, too`(isOfFiles: Bool) throws {
    let plan = Self.plan(("first", #"{"a": "b"}"#), ("second", #"{"b": "c", "c": "b2", "x": "b"}"#))
    let app = try Self.app(isOfFiles: isOfFiles, plan, moods: ["1": "a"])
    try app.run()
    #expect(try Self.moods(app) == ["1": "c"])
    try Self.add(["2": "a"], to: app)
    let planned = try app.workflow().plan()
    let report = try app.run()
    #expect(planned.effects.map(\.changedCount) == [1, 1])
    #expect(report.effects.map(\.changedCount) == [1, 1])
    #expect(try Self.moods(app) == ["1": "c", "2": "c"])
    #expect(try app.run().effects.isEmpty)
  }

  @Test(arguments: [true, false])
  func `what a later step can have written is not as before an earlier one`(isOfFiles: Bool) throws
  {
    let plan = Self.plan(("first", #"{"a": "b"}"#), ("second", #"{"y": "a"}"#))
    let app = try Self.app(isOfFiles: isOfFiles, plan, moods: ["1": "y"])
    try app.run { $0.target = "first" }
    // The later one was not done yet.
    try Self.add(["2": "a"], to: app)
    try app.run()
    #expect(try Self.moods(app) == ["1": "a", "2": "b"])
    try Self.add(["3": "a"], to: app)
    #expect(try app.run().effects.isEmpty)
    #expect(try Self.moods(app) == ["1": "a", "2": "b", "3": "a"])
  }
}
