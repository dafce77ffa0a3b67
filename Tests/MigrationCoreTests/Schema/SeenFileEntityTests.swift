import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Entities that show again that they are as before a step, and that steps behind it have seen.
@Suite struct SeenFileEntityTests {
  private static func app(
    isOfFiles: Bool = true, _ steps: [(id: String, person: String)], _ persons: [String: String]
  ) throws -> PlannedFolder {
    let profile = """
      {"profile": "people", "version": 3, "kinds": [
        {"kind": "person", "identity": {"type": "string", "property": "id"},
         "files": {"paths": ["persons/*.json"]}, "document": {"path": "persons.automerge"},
         "properties": {"mood": {"type": "string"}, "age": {"type": "integer"},
           "t": {"type": "string"}, "n1": {"type": "string", "until": 2},
           "n2": {"type": "string", "since": 2}, "old": {"type": "string", "until": 3},
           "new": {"type": "string", "since": 3}}}]}
      """
    let steps = steps.enumerated().map { number, step in
      """
      {"id": "\(step.id)", "from": \(number + 1), "to": \(number + 2), "risk": "destructive",
       "entities": {"person": [\(step.person)]}}
      """
    }
    let plan = #"{"plan": "p", "profile": "people", "steps": [\#(steps.joined(separator: ","))]}"#
    let app = try PlannedFolder(isOfFiles: isOfFiles, profile: profile, plan: plan)
    try add(persons, to: app)
    return app
  }

  /// Writes the fields of persons, as an app would.
  private static func add(_ persons: [String: String], to app: PlannedFolder) throws {
    var files: [String: String] = [:]
    for (id, fields) in persons { files["persons/\(id).json"] = #"{"id": "\#(id)", \#(fields)}"# }
    try app.add(files)
  }

  private static func fields(_ app: PlannedFolder, _ id: String) throws -> [String: String] {
    var fields = try #require(try app.folder.entities(of: "person")[id])
    fields["id"] = nil
    return fields.mapValues { $0.filter { $0 != "\"" } }
  }

  private static let look = """
    {"set": "mood", "to": {"lookUp": {"copy": "/mood"}, "in": {"a": "b"}, "else": {"copy": "/mood"}}}
    """
  private static let joined = """
    {"set": "t", "to": {"concatenate": [{"copy": "/mood"}, {"constant": "-"}, {"copy": "/t"}]}}
    """
  private static let marked = """
    {"set": "t", "to": {"concatenate": [{"constant": "!"}, {"copy": "/t"}]}}
    """
  private static let number =
    #"{"set": "age", "to": {"convert": {"copy": "/age"}, "to": "integer"}}"#

  @Test func `a value of the type of before gets its step again, and the step behind it is not`()
    throws
  {
    let app = try Self.app(
      [("s1", Self.number), ("s2", Self.marked)],
      ["1": #""age": "5", "t": "x""#, "2": #""age": 7, "t": "x""#])
    try app.run { $0.baseline = .version(1) }
    try Self.add(["1": #""age": "6", "t": "!x""#, "2": #""age": "8", "t": "!x""#], to: app)
    let planned = try app.workflow().plan()
    let report = try app.run()
    #expect(planned.effects.map(\.changedCount) == [2])
    #expect(report.effects.map(\.changedCount) == [2])
    #expect(try Self.fields(app, "1") == ["age": "6", "t": "!x"])
    #expect(try Self.fields(app, "2") == ["age": "8", "t": "!x"])
    #expect(try app.states() == [.applied, .applied])
    // What comes later is as before both, and gets both; written again it gets the first alone.
    try Self.add(["3": #""age": "9", "t": "x""#], to: app)
    #expect(try app.run().effects.map(\.changedCount) == [1, 1])
    #expect(try Self.fields(app, "3") == ["age": "9", "t": "!x"])
    try Self.add(["3": #""age": "10", "t": "!x""#], to: app)
    #expect(try app.run().effects.map(\.changedCount) == [1])
    #expect(try Self.fields(app, "3") == ["age": "10", "t": "!x"])
  }

  @Test(arguments: [false, true])
  func `an edit of what was there when the step was done is none that came later`(
    isBaseline: Bool
  ) throws {
    let app = try Self.app(
      [("s1", Self.look), ("s2", Self.joined)],
      isBaseline
        ? ["1": #""mood": "b", "t": "b-x""#, "2": #""mood": "c", "t": "c-x""#]
        : ["1": #""mood": "a", "t": "x""#, "2": #""mood": "c", "t": "x""#])
    try app.run { $0.baseline = .version(isBaseline ? 3 : 1) }
    try Self.add(["1": #""mood": "a", "t": "b-x""#, "2": #""mood": "a", "t": "c-x""#], to: app)
    let status = try app.workflow().status()
    #expect(status.standings.map(\.state) == [.applied, .applied])
    #expect(status.findings.contains { $0.message.hasPrefix("s1: ") })
    #expect(try app.run().effects.isEmpty)
    #expect(try Self.fields(app, "1") == ["mood": "a", "t": "b-x"])
    #expect(try Self.fields(app, "2") == ["mood": "a", "t": "c-x"])
    try Self.add(["3": #""mood": "a", "t": "x""#], to: app)
    #expect(try app.run().effects.map(\.changedCount) == [1, 1])
    #expect(try Self.fields(app, "3") == ["mood": "b", "t": "b-x"])
  }

  @Test(arguments: [#"{"set": "n2", "to": {"copy": "/n1"}}, {"drop": "n1"}"#, renaming])
  func `what an older app writes again beside what came of it stays, and is told`(
    renaming: String
  ) throws {
    let app = try Self.app(
      [("r", renaming), ("c", Self.marked)],
      ["1": #""n1": "v", "t": "x""#, "2": #""n1": "v", "t": "x""#])
    try app.run { $0.baseline = .version(1) }
    let again = #""n2": "v", "n1": "again", "t": "!x""#
    try Self.add(["1": again, "3": #""n1": "late", "t": "x""#], to: app)
    #expect(try app.run().effects.map(\.changedCount) == [1, 1])
    #expect(try Self.fields(app, "1") == ["n1": "again", "n2": "v", "t": "!x"])
    #expect(try Self.fields(app, "3") == ["n2": "late", "t": "!x"])
    // What lacks what the first gives, and is otherwise as the second found it, gets both.
    try Self.add(["2": #""n1": "v2", "t": "x""#], to: app)
    #expect(try app.run().effects.map(\.changedCount) == [1, 1])
    #expect(try Self.fields(app, "2") == ["n2": "v2", "t": "!x"])
    for report in [try app.workflow().status(), try app.run()] {
      #expect(report.effects.isEmpty && report.standings.map(\.state) == [.applied, .applied])
      let told = report.findings.filter { $0.severity == .warning }
        .map { "\($0.path): \($0.message)" }
      #expect(
        told == [
          "persons/1.json: r: 1 entity shows again what the step takes away: an older version of the "
            + "app wrote it since"
        ])
    }
  }
  private static let renaming = #"{"rename": "n1", "to": "n2"}"#

  @Test(arguments: [true, false])
  func `what shows that it is before a step gets those behind it as well`(isOfFiles: Bool) throws {
    let app = try Self.app(
      isOfFiles: isOfFiles, [("s1", Self.look), ("s2", Self.joined)],
      ["1": #""mood": "a", "t": "x""#])
    try app.run { $0.baseline = .version(1) }
    try Self.add(["7": #""mood": "a", "t": "x""#], to: app)
    #expect(try app.workflow().plan().effects.map(\.changedCount) == [1, 1])
    #expect(try app.run().effects.map(\.changedCount) == [1, 1])
    #expect(try Self.fields(app, "7") == ["mood": "b", "t": "b-x"])
    #expect(try app.run().effects.isEmpty)
    #expect(try app.states() == [.applied, .applied])
  }

  @Test(arguments: [true, false])
  func `of what a step leaves it is said that later ones may change it`(isOfFiles: Bool) throws {
    let both = Self.look.replacing(#""a": "b""#, with: #""a": "b", "b": "c""#)
    let app = try Self.app(
      isOfFiles: isOfFiles, [("look", both), ("r", #"{"rename": "old", "to": "new"}"#)],
      ["1": #""mood": "a", "old": "v""#])
    try app.run { $0.baseline = .version(1) }
    try Self.add(["3": #""mood": "b", "old": "v""#], to: app)
    let report = try app.run()
    #expect(report.effects.map(\.changedCount) == [1])
    #expect(try Self.fields(app, "3") == ["mood": "b", "new": "v"])
    let told = try #require(report.findings.first { $0.message.hasPrefix("look: ") })
    #expect(told.next?.hasSuffix("and later steps may change \(isOfFiles ? "it" : "them")") == true)
  }
}
