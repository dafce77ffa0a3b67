import Automerge
import Diagnostics
import Folders
import Foundation
import SchemaMigrations
import Testing

@testable import MigrationCore
@testable import Runs

/// What folds have put together, and what comes once they have.
@Suite struct FoldedTotalsTests {
  static let profile = """
    {"profile": "owners", "version": 4, "kinds": [
      {"kind": "person", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["persons/*.json"]}, "document": {"path": "persons.automerge"},
       "properties": {"first": {"type": "string"}, "sum": {"type": "integer", "since": 2}}},
      {"kind": "card", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["cards/*.json"]}, "document": {"path": "cards.automerge"},
       "properties": {"owner": {"type": "string"}, "amount": {"type": "integer"},
         "cost": {"type": "integer"}}},
      {"kind": "slip", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["slips/*.json"]}, "document": {"path": "slips.automerge"},
       "properties": {"owner": {"type": "string"}, "amount": {"type": "integer"}}}]}
    """

  private static func plan(_ fold: String, _ ofCards: String) -> String {
    """
    {"plan": "p", "profile": "owners", "steps": [{"id": "sum", "risk": "destructive",
      "folds": {"all": {\(fold), "of": "card", "by": {"copy": "/owner"}}},
      "entities": {"person": [{"set": "sum", "to": {"fold": "all"}}]\(ofCards)}}]}
    """
  }
  /// Adds up the amounts of cards, and drops them.
  private static let consuming = plan(
    #""sum": {"copy": "/amount"}"#, #", "card": [{"drop": "amount"}]"#)
  /// Adds up the amounts of cards; the step behind that drops them.
  static let dropping = """
    {"plan": "p", "profile": "owners", "steps": [{"id": "sum", "risk": "destructive",
      "folds": {"all": {"sum": {"copy": "/amount"}, "of": "card", "by": {"copy": "/owner"}}},
      "entities": {"person": [{"set": "sum", "to": {"fold": "all"}}]}},
      {"id": "drop", "risk": "destructive", "entities": {"card": [{"drop": "amount"}]}}]}
    """
  /// Counts cards.
  private static let counting = plan(#""count": true"#, "")

  struct Owners {
    let app: PlannedFolder
    var folder: ProfiledFolder { app.folder }

    init(isOfFiles: Bool, _ plan: String, as property: String = "amount") throws {
      app = try PlannedFolder(
        isOfFiles: isOfFiles, profile: FoldedTotalsTests.profile, plan: plan)
      try add(["a", "b"], ["ka": ("a", 10), "kb": ("b", 10)], as: property)
    }

    private init(_ app: PlannedFolder) { self.app = app }

    /// The same folder once its files were imported.
    func ofDocuments() -> Owners { Owners(app.ofDocuments()) }

    /// Two devices of an app, each with a card of its own.
    static func apart(_ plan: String) throws -> (Owners, Owners) {
      let one = try Owners(isOfFiles: false, plan)
      let other = Owners(try one.app.copied())
      try one.add([], ["k1": ("a", 5)])
      try other.add([], ["k2": ("a", 7)])
      return (one, other)
    }

    func add(
      _ persons: [String] = [], _ cards: [String: (owner: String, amount: Int)] = [:],
      as property: String = "amount"
    ) throws {
      var files: [String: String] = [:]
      for person in persons {
        files["persons/\(person).json"] = #"{"id": "\#(person)", "first": "F"}"#
      }
      for (id, card) in cards {
        files["cards/\(id).json"] =
          #"{"id": "\#(id)", "owner": "\#(card.owner)", "\#(property)": \#(card.amount)}"#
      }
      try app.add(files)
    }

    @discardableResult
    func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
      try app.run(configure)
    }

    /// Writes a number as the app does.
    func write(_ number: Int64, to property: String, of id: String, in path: String) throws {
      try folder.folder.write(
        folder.edited(path) { document in
          try document.put(obj: document.entity(id), key: property, value: .Int(number))
        }, to: path)
    }

    /// The sums that persons show.
    func sums() throws -> [String: String] {
      try folder.entities(of: "person").mapValues { $0["sum"] ?? "none" }
    }
  }

  @Test(arguments: [true, false])
  func `a total is not overwritten by one of what came later alone`(isOfFiles: Bool) throws {
    let owners = try Owners(isOfFiles: isOfFiles, Self.consuming)
    try owners.run()
    #expect(try owners.sums() == ["a": "10", "b": "10"])
    for hasLate in [false, true] {
      if hasLate { try owners.add(["d"], ["late": ("a", 5), "lated": ("d", 7)]) }
      let files = try owners.folder.folder.files(includingState: true)
      for isDryRun in [true, false] {
        let refused = #expect(throws: MigrationError.self) {
          let workflow = try owners.app.workflow { $0.forced = ["sum"] }
          _ = try isDryRun ? workflow.plan() : workflow.perform()
        }
        let problem = refused?.diagnostic.problem ?? ""
        #expect(refused?.diagnostic.kind == .conflictsWithData)
        #expect(problem.contains("2 entities are as after a step"), "\(problem)")
        #expect(
          problem.contains("sum of person a is 10, and would be \(hasLate ? 5 : 0)"), "\(problem)")
        #expect(refused?.diagnostic.remedy?.contains("--undo sum") == true)
        #expect(refused?.diagnostic.remedy?.contains("--force sum") == true)
      }
      #expect(try owners.folder.folder.files(includingState: true) == files)
    }
    try owners.run { $0.undone = "sum" }
    try owners.run { $0.forced = ["sum"] }
    #expect(try owners.sums() == ["a": "15", "b": "10", "d": "7"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test(arguments: [true, false])
  func `totals that do not hold what came later are told`(isOfFiles: Bool) throws {
    let owners = try Owners(isOfFiles: isOfFiles, Self.consuming)
    try owners.run()
    #expect(try owners.app.told().isEmpty)
    try owners.add(["d", "e"], ["late": ("a", 5), "lated": ("d", 7)])
    #expect(
      try owners.app.told() == [
        "sum: 4 entities came since, and what the step put together does not hold them: "
          + "person a (sum), person d (sum), person e (sum); "
          + "--undo sum, then --force sum puts all of it together"
      ])
    try owners.run { $0.undone = "sum" }
    #expect(try owners.app.workflow().status().findings.isEmpty)
    try owners.run { $0.forced = ["sum"] }
    #expect(try owners.sums() == ["a": "15", "b": "10", "d": "7", "e": "0"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test(arguments: [true, false])
  func `what is all there still is put together once more`(isOfFiles: Bool) throws {
    let owners = try Owners(isOfFiles: isOfFiles, Self.counting)
    try owners.run()
    try owners.add([], ["late": ("a", 5), "other": ("nobody", 1)])
    #expect(
      try owners.app.told() == [
        "sum: 1 entity came since, and what the step put together does not hold it: "
          + "person a (sum); --force sum puts all of it together"
      ])
    try owners.run { $0.forced = ["sum"] }
    #expect(try owners.sums() == ["a": "2", "b": "1"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test(arguments: [true, false])
  func `what was deleted since makes no total less`(isOfFiles: Bool) throws {
    let owners = try Owners(isOfFiles: isOfFiles, Self.counting)
    try owners.run()
    if isOfFiles {
      try owners.folder.folder.remove("cards/ka.json")
    } else {
      let path = "cards.automerge"
      try owners.folder.folder.write(
        owners.folder.edited(path) { try $0.delete(obj: .ROOT, key: "ka") }, to: path)
    }
    let refused = #expect(throws: MigrationError.self) {
      try owners.run { $0.forced = ["sum"] }
    }
    let problem = refused?.diagnostic.problem ?? ""
    #expect(problem.contains("sum of person a is 1, and would be 0"), "\(problem)")
    #expect(refused?.diagnostic.remedy?.contains("leave it as it is") == true)
    #expect(try owners.sums() == ["a": "1", "b": "1"])
  }

  @Test(arguments: [true, false])
  func `what a total does not hold yet no step behind it takes away`(isOfFiles: Bool) throws {
    for isFirst in [true, false] {
      let owners = try Owners(isOfFiles: isOfFiles, Self.dropping)
      try owners.run { if isFirst { $0.target = "sum" } }
      try owners.add([], ["late": ("a", 5)])
      for report in [try owners.app.workflow().status(), try owners.run(), try owners.run()] {
        #expect(report.standings.map(\.state) == [.applied, .waiting])
        #expect(report.standings[1].reason.contains("sum has still to put together"))
        #expect(report.effects.isEmpty && report.endsWithDifferences)
        let remedy =
          (isFirst ? "" : "--undo drop, then ") + "--force sum"
          + (isFirst ? "" : ", then --force drop") + " puts all of it together"
        #expect(report.findings.compactMap(\.next) == [remedy])
      }
      #expect(try owners.folder.entities(of: "card")["late"]?["amount"] == "5")
      if !isFirst { try owners.run { $0.undone = "drop" } }
      try owners.run {
        $0.forced = ["sum"]
        $0.target = "sum"
      }
      try owners.run { if !isFirst { $0.forced = ["drop"] } }
      #expect(try owners.sums() == ["a": "15", "b": "10"])
      #expect(try owners.folder.entities(of: "card")["late"]?["amount"] == nil)
      #expect(try owners.app.told().isEmpty)
    }
  }

  @Test(arguments: [consuming, dropping])
  func `totals made apart of what is gone since are told`(plan: String) throws {
    let (one, other) = try Owners.apart(plan)
    try one.run()
    try other.run()
    try one.app.merge(other.app)
    let told = try one.app.told()
    #expect(told.count == 1 && told[0].contains("2 entities came since"), "\(told)")
    let isAlone = plan == Self.consuming
    #expect(told[0].contains("--undo \(isAlone ? "sum" : "drop"), then --force sum"), "\(told)")
    try one.run { $0.undone = isAlone ? "sum" : "drop" }
    try one.run { $0.forced = ["sum"] }
    if !isAlone { try one.run { $0.forced = ["drop"] } }
    #expect(try one.sums() == ["a": "22", "b": "10"])
    #expect(try one.app.told().isEmpty)
  }

  @Test func `a fold that was undone is not forced over what another device has taken away`() throws
  {
    let owners = try Owners(isOfFiles: false, Self.dropping)
    try owners.run { $0.target = "sum" }
    let other = try owners.app.copied()
    try other.run { $0.undone = "sum" }
    try owners.run()
    try owners.app.merge(other)
    let remedy = "--undo drop, then --force sum, then --force drop"
    for report in [try owners.app.workflow().status(), try owners.run()] {
      #expect(report.standings.map(\.state) == [.undone, .applied] && report.endsWithDifferences)
      #expect(report.findings.compactMap(\.next) == [remedy])
    }
    let refused = #expect(throws: MigrationError.self) {
      try owners.run { ($0.forced, $0.allowsOtherOrder) = (["sum"], true) }
    }
    #expect(refused?.diagnostic.kind == .conflictsWithData)
    #expect(refused?.diagnostic.problem.contains("put together only a part") == true)
    #expect(refused?.diagnostic.remedy == remedy)
    try owners.run { $0.undone = "drop" }
    for id: MigrationID in ["sum", "drop"] { try owners.run { $0.forced = [id] } }
    #expect(try owners.sums() == ["a": "10", "b": "10"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test func `what shows again that a step with a fold takes away is told`() throws {
    let (one, other) = try Owners.apart(Self.consuming)
    try one.run()
    try other.run()
    try other.run { $0.undone = "sum" }
    try one.app.merge(other.app)
    for report in [try one.app.workflow().status(), try one.run()] {
      let told = report.findings.filter { $0.message.contains("again what the step takes away") }
      #expect(told.map(\.severity) == [.warning], "\(report.findings)")
      #expect(told[0].message.contains("2 entities show again"), "\(told)")
    }
    try one.run { $0.undone = "sum" }
    try one.run { $0.forced = ["sum"] }
    #expect(try one.sums() == ["a": "22", "b": "10"])
    #expect(try one.app.workflow().status().findings.isEmpty)
  }

  @Test func `a total that the app keeps since is its own`() throws {
    let owners = try Owners(isOfFiles: false, Self.counting)
    try owners.run()
    try owners.add([], ["late": ("a", 5)])
    #expect(try owners.app.told().count == 1)
    try owners.write(7, to: "sum", of: "a", in: "persons.automerge")
    #expect(try owners.app.told().isEmpty)
  }
}
