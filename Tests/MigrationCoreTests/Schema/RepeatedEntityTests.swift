import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Entities that lie several times in JSON files, or are several lines of a stream: folds take each in once, as
/// documents that are made of them show it.
@Suite struct RepeatedEntityTests {
  private static let profile = """
    {"profile": "owners", "version": 1, "kinds": [
      {"kind": "person", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["persons/*.json"]}, "document": {"path": "persons.automerge"},
       "properties": {"name": {"type": "string"}}},
      {"kind": "card", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["cards/*.json"]}, "document": {"path": "cards.automerge"},
       "properties": {"owner": {"type": "string"}, "amount": {"type": "integer"},
         "note": {"type": "string"}}}]}
    """

  /// Steps that put amounts together: for each person, and into a new one.
  private static let plans = [
    """
    {"plan": "p", "profile": "owners", "steps": [{"id": "sum", "risk": "additive",
      "folds": {"s": {"sum": {"copy": "/amount"}, "of": "card", "by": {"copy": "/owner"}},
        "l": {"list": {"copy": "/note"}, "of": "card", "by": {"copy": "/owner"}}},
      "entities": {"person": [{"set": "sum", "to": {"fold": "s"}, "type": "integer"},
        {"set": "notes", "to": {"fold": "l"}, "type": "json"}]}}]}
    """,
    """
    {"plan": "p", "profile": "owners", "steps": [{"id": "sum", "risk": "additive",
      "folds": {"s": {"sum": {"copy": "/amount"}, "of": "card"}, "n": {"count": true, "of": "card"}},
      "create": [{"kind": "person", "id": {"constant": "all"},
        "fields": [{"set": "sum", "to": {"fold": "s"}, "type": "integer"},
          {"set": "count", "to": {"fold": "n"}, "type": "integer"}]}]}]}
    """,
  ]

  /// Makes a person for each card, with what a step behind it puts together.
  private static let making = """
    {"plan": "p", "profile": "owners", "steps": [
      {"id": "make", "risk": "additive", "create": [{"kind": "person", "for": "card",
        "id": {"concatenate": [{"constant": "of-"}, {"identity": true}]},
        "fields": [{"set": "name", "to": {"copy": "/note"}},
          {"set": "amount", "to": {"copy": "/amount"}, "type": "integer"}]}]},
      {"id": "sum", "risk": "additive",
       "folds": {"s": {"sum": {"copy": "/amount"}, "of": "person"}},
       "create": [{"kind": "person", "id": {"constant": "all"},
         "fields": [{"set": "sum", "to": {"fold": "s"}, "type": "integer"}]}]}]}
    """

  private static func app(isOfFiles: Bool, _ plan: String, copy: String) throws -> PlannedFolder {
    let app = try PlannedFolder(isOfFiles: isOfFiles, profile: profile, plan: plan)
    try app.add([
      "persons/a.json": #"{"id": "a", "name": "A"}"#,
      "cards/1.json": #"{"id": "1", "owner": "a", "amount": 1, "note": "x"}"#,
      "cards/2.json": #"{"id": "2", "owner": "a", "amount": 5, "note": "y"}"#,
      "cards/2b.json": copy,
    ])
    return app
  }

  /// What becomes of the entities of a folder as a stream, and of a folder that gets them.
  private static func streamed(_ app: PlannedFolder) throws -> [String: [String: String]] {
    let (source, result) = (try app.folder.streaming(), try TestStream([]))
    defer { withExtendedLifetime(source) {} }
    let entering = try TestStream(source.bytes)
    defer { withExtendedLifetime(entering) {} }
    var options = SchemaOptions(plans: [app.plan], source: .stream(try entering.source()))
    options.sink = result.sink
    let report = try SchemaWorkflow(options, context: app.folder.context()).perform()
    #expect(report.isPublished && report.findings.isEmpty, "\(report.findings)")
    #expect(report.readCount == 4)
    let other = try app.empty()
    try other.folder.importing(stream: result)
    return try other.folder.entities(of: "person")
  }

  @Test(
    arguments: plans,
    [
      #"{"id": "2", "owner": "a", "amount": 5, "note": "y"}"#,
      #"{"note": "y", "amount": 5, "owner": "a", "id": "2"}"#,
      #"{"id": "2", "owner": "a", "amount": 7, "note": "z"}"#,
      #"{"id": "2", "owner": "b", "amount": 7}"#, #"{"id": "2"}"#,
    ])
  func `each counts once, as documents show it`(plan: String, copy: String) throws {
    let documents = try Self.app(isOfFiles: false, plan, copy: copy)
    try documents.run()
    let expected = try documents.folder.entities(of: "person")
    #expect(expected.contains { $0.value["sum"] != nil })
    let files = try Self.app(isOfFiles: true, plan, copy: copy)
    #expect(try Self.streamed(files) == expected)
    try files.run()
    #expect(try files.folder.entities(of: "person") == expected)
    let status = try files.workflow().status()
    #expect(status.findings.isEmpty && status.standings.map(\.state) == [.applied])
  }

  @Test(
    arguments: [
      #"{"id": "2", "owner": "a", "amount": 5, "note": "y"}"#,
      #"{"id": "2", "owner": "a", "amount": 7, "note": "z"}"#, #"{"id": "2", "amount": 7}"#,
    ])
  func `one is made for all copies of an entity, as for documents`(copy: String) throws {
    let documents = try Self.app(isOfFiles: false, Self.making, copy: copy)
    try documents.run()
    let expected = try documents.folder.entities(of: "person")
    #expect(expected.keys.sorted() == ["a", "all", "of-1", "of-2"])
    let files = try Self.app(isOfFiles: true, Self.making, copy: copy)
    #expect(try Self.streamed(files) == expected)
    let report = try files.run()
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(try files.folder.entities(of: "person") == expected)
    // So it is for one that comes later.
    try files.add([
      "cards/3.json": #"{"id": "3", "amount": 2}"#, "cards/3b.json": #"{"id": "3", "amount": 4}"#,
    ])
    let late = try files.run()
    #expect(late.findings.allSatisfy { !$0.message.contains("known already") }, "\(late.findings)")
    #expect(late.effects.first?.madeCount == 1)
  }

  @Test func `what cannot be made of all copies together is told, and nothing is published`() throws
  {
    let plan = """
      {"plan": "p", "profile": "owners", "steps": [{"id": "make", "risk": "additive",
        "create": [{"kind": "person", "for": "card", "id": {"copy": "/note"},
          "fields": [{"set": "name", "to": {"copy": "/owner"}}]}]}]}
      """
    let files = try Self.app(isOfFiles: true, plan, copy: #"{"id": "2", "owner": "b"}"#)
    try files.add(["cards/2.json": #"{"id": "2", "owner": "a", "amount": 5}"#])
    let source = try files.folder.streaming()
    defer { withExtendedLifetime(source) {} }
    let entering = try TestStream(source.bytes)
    defer { withExtendedLifetime(entering) {} }
    let options = SchemaOptions(plans: [files.plan], source: .stream(try entering.source()))
    let report = try SchemaWorkflow(options, context: files.folder.context()).perform()
    #expect(!report.isPublished && report.findings.map(\.severity) == [.error])
    #expect(report.findings[0].message.hasPrefix("card 2: make: "), "\(report.findings)")
  }

  @Test func `a copy that comes later adds nothing`() throws {
    let app = try Self.app(
      isOfFiles: true, Self.plans[0], copy: #"{"id": "3", "owner": "a", "amount": 2}"#)
    try app.run()
    let persons = try app.folder.entities(of: "person")
    #expect(persons["a"]?["sum"] == "8")
    try app.add(["cards/2c.json": #"{"id": "2", "owner": "a", "amount": 5, "note": "y"}"#])
    #expect(try app.told().isEmpty)
    try app.run { $0.forced = ["sum"] }
    #expect(try app.folder.entities(of: "person") == persons)
  }
}
