import Diagnostics
import Folders
import Foundation
import SchemaMigrations
import Testing

@testable import MigrationCore
@testable import Runs

// What steps around one with folds bring and take away, and what it has made once it is done again.
extension FoldedTotalsTests {
  /// Brings what cards cost into the form that is added up; the step behind that drops it.
  fileprivate static let renaming = feeding(
    #""entities": {"card": [{"rename": "cost", "to": "amount"}]}"#, "card")
  /// Makes of each card a slip with what it costs; the step behind that drops it.
  fileprivate static let making = feeding(
    """
    "create": [{"kind": "slip", "for": "card", "id": {"identity": true},
      "fields": [{"set": "owner", "to": {"copy": "/owner"}},
        {"set": "amount", "to": {"copy": "/cost"}}]}],
    "entities": {"card": [{"drop": "cost"}]}
    """, "slip")

  private static func feeding(_ first: String, _ kind: String) -> String {
    """
    {"plan": "p", "profile": "owners", "steps": [{"id": "first", "risk": "destructive", \(first)},
      {"id": "sum", "risk": "destructive",
      "folds": {"all": {"sum": {"copy": "/amount"}, "of": "\(kind)", "by": {"copy": "/owner"}}},
      "entities": {"person": [{"set": "sum", "to": {"fold": "all"}}]}},
      {"id": "drop", "risk": "destructive", "entities": {"\(kind)": [{"drop": "amount"}]}}]}
    """
  }
  /// Adds up the amounts of cards, also for a slip of each owner; the step behind that drops them.
  fileprivate static let sharing = dropping.replacing(
    #""entities": {"person""#,
    with: #"""
      "create": [{"kind": "slip", "for": "person", "id": {"identity": true},
        "fields": [{"set": "amount", "to": {"fold": "all"}}]}], "entities": {"person"
      """#, maxReplacements: 1)

  @Test(arguments: [true, false], [renaming, making])
  func `what an earlier step brings no step behind the total takes away`(
    isOfFiles: Bool, plan: String
  ) throws {
    let owners = try Owners(isOfFiles: isOfFiles, plan, as: "cost")
    try owners.run { $0.target = "sum" }
    try owners.add([], ["late": ("a", 5)], as: "cost")
    let (status, planned) = (
      try owners.app.workflow().status(), try owners.app.workflow().plan()
    )
    let ran = try owners.run()
    for report in [status, planned, ran] {
      #expect(report.endsWithDifferences && report.standings[2].state == .waiting)
      #expect(report.standings[2].reason.contains("sum has put together, and first may bring more"))
      #expect(!report.effects.contains { $0.id == "drop" })
    }
    for report in [status, planned] {
      #expect(report.findings.contains { $0.message.hasPrefix("sum: first is to run before it") })
    }
    for report in [ran, try owners.run()] {
      let told = report.findings.filter { $0.severity == .warning }
      #expect(told.map(\.next) == ["--force sum puts all of it together"], "\(told)")
      #expect(report.standings.map(\.state) == [.applied, .applied, .waiting])
    }
    try owners.run {
      $0.forced = ["sum"]
      $0.target = "sum"
    }
    try owners.run()
    #expect(try owners.sums() == ["a": "15", "b": "10"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test(arguments: [renaming, making])
  func `a step is not taken as done whose totals lack what came late`(plan: String) throws {
    let files = try Owners(isOfFiles: true, plan, as: "cost")
    try files.run { $0.target = "sum" }
    try files.add([], ["late": ("a", 5)], as: "cost")
    try files.folder.importing { _ in }
    let owners = files.ofDocuments()
    #expect(try owners.app.workflow().status().adoptable == "first")
    for (step, remedy) in [("sum", "--baseline first "), ("drop", "take what came late out")] {
      let error = #expect(throws: MigrationError.self) {
        try owners.run { $0.baseline = .step(MigrationID(rawValue: step)) }
      }
      #expect(error?.diagnostic.problem.contains("first has still to bring") == true)
      #expect(error?.diagnostic.remedy?.hasPrefix(remedy) == true)
    }
    try owners.run { ($0.baseline, $0.target) = (.step("first"), "first") }
    try owners.run { ($0.forced, $0.target) = (["sum"], "sum") }
    #expect(try owners.sums() == ["a": "15", "b": "10"])
    try owners.run()
    #expect(try owners.sums() == ["a": "15", "b": "10"])
  }

  @Test(arguments: [true, false], [renaming, making])
  func `the run tells that an earlier step has brought something`(
    isOfFiles: Bool, plan: String
  ) throws {
    let owners = try Owners(isOfFiles: isOfFiles, plan, as: "cost")
    try owners.run()
    try owners.add([], ["late": ("a", 5)], as: "cost")
    let planned = try owners.app.workflow().plan()
    #expect(planned.endsWithDifferences)
    #expect(planned.findings.contains { $0.message.hasPrefix("sum: first is to run before it") })
    let ran = try owners.run()
    let status = try owners.app.workflow().status()
    #expect(ran.endsWithDifferences)
    #expect(ran.findings.map(\.message) == status.findings.map(\.message))
    let remedy = "--undo drop, then --force sum, then --force drop puts all of it together"
    #expect(ran.findings.map(\.next) == [remedy])
    try owners.run { $0.undone = "drop" }
    try owners.run { $0.forced = ["sum"] }
    try owners.run { $0.forced = ["drop"] }
    #expect(try owners.sums() == ["a": "15", "b": "10"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test(arguments: [true, false])
  func `what was made of a total and stays does not hold what came later`(isOfFiles: Bool) throws {
    let owners = try Owners(isOfFiles: isOfFiles, Self.sharing)
    try owners.run { $0.target = "sum" }
    func slips() throws -> [String: String] {
      try owners.folder.entities(of: "slip").mapValues { $0["amount"] ?? "none" }
    }
    try owners.add([], ["late": ("a", 5)])
    let forced = try owners.run { $0.forced = ["sum"] }
    #expect(try owners.sums() == ["a": "15", "b": "10"])
    #expect(try slips() == ["a": "10", "b": "10"])
    for report in [forced, try owners.app.workflow().status(), try owners.run()] {
      #expect(report.endsWithDifferences)
      #expect(report.standings.map(\.state) == [.applied, .waiting])
      let told = report.findings.filter { $0.next?.contains("puts all of it together") == true }
      #expect(told.map(\.next) == ["--undo sum, then --force sum puts all of it together"])
      #expect(told.allSatisfy { $0.message.hasSuffix("does not hold it: slip a (amount)") })
    }
    #expect(try owners.folder.entities(of: "card")["late"]?["amount"] == "5")
    try owners.run { $0.undone = "sum" }
    try owners.run { $0.forced = ["sum"] }
    try owners.run()
    #expect(try owners.sums() == ["a": "15", "b": "10"])
    #expect(try slips() == ["a": "15", "b": "10"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test(arguments: [true, false])
  func `nothing is told any more of what was made for those that came`(isOfFiles: Bool) throws {
    let owners = try Owners(isOfFiles: isOfFiles, Self.sharing)
    try owners.run { $0.target = "sum" }
    try owners.add(["d"], ["lated": ("d", 7)])
    let forced = try owners.run {
      ($0.forced, $0.target) = (["sum"], "sum")
    }
    #expect(!forced.endsWithDifferences)
    #expect(try owners.folder.entities(of: "slip")["d"]?["amount"] == "7")
    try owners.run()
    #expect(try owners.sums() == ["a": "10", "b": "10", "d": "7"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test(arguments: [true, false])
  func `what was undone is not to be undone once more`(isOfFiles: Bool) throws {
    let owners = try Owners(isOfFiles: isOfFiles, Self.sharing)
    try owners.run()
    try owners.add([], ["late": ("a", 5)])
    let undone = try owners.run { $0.undone = "drop" }
    let remedy = "--undo sum, then --force sum puts all of it together"
    for report in [undone, try owners.app.workflow().status()] {
      #expect(report.endsWithDifferences && report.findings.map(\.next) == [remedy])
    }
  }

  /// Makes slips of cards, and adds these up; another step was done meanwhile.
  private static let slips = """
    {"plan": "p", "profile": "owners", "steps": [
      {"id": "slips", "from": 1, "to": 2, "risk": "transformative",
       "create": [{"kind": "slip", "for": "card", "id": {"identity": true}, "fields": [
         {"set": "owner", "to": {"copy": "/owner"}}, {"set": "amount", "to": {"copy": "/amount"}}]}],
       "entities": {"card": [{"drop": "amount"}]}},
      {"id": "mark", "risk": "additive", "entities": {"card": [
        {"set": "mark", "to": {"constant": 1}, "type": "integer"}]}},
      {"id": "sum", "from": 2, "to": 3, "risk": "destructive",
       "folds": {"all": {"sum": {"copy": "/amount"}, "of": "slip", "by": {"copy": "/owner"}}},
       "entities": {"person": [{"set": "sum", "to": {"fold": "all"}}],
         "slip": [{"drop": "amount"}]}}]}
    """

  @Test func `what puts totals together does what was undone before them first`() throws {
    let owners = try Owners(isOfFiles: false, Self.slips)
    try owners.run { ($0.baseline, $0.target) = (.version(1), "slips") }
    let other = try owners.app.copied()
    try owners.run()
    try other.run { $0.undone = "slips" }
    try owners.add(["d"])
    try owners.app.merge(other)
    let status = try owners.app.workflow().status()
    #expect(status.standings.map(\.state) == [.undone, .applied, .applied])
    let remedy =
      "--undo sum, then --force slips --out-of-order, then --force sum puts all of it together"
    #expect(status.findings.compactMap(\.next).contains(remedy), "\(status.findings)")
    try owners.run { $0.undone = "sum" }
    try owners.run { ($0.forced, $0.allowsOtherOrder) = (["slips"], true) }
    try owners.run { $0.forced = ["sum"] }
    #expect(try owners.sums() == ["a": "10", "b": "10", "d": "0"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test func `a file that holds what came is to be as the steps have left it`() throws {
    let app = try PlannedFolder(
      isOfFiles: true,
      profile: Self.profile.replacing(
        #""paths": ["cards/*.json"]"#, with: #""paths": ["cards.json"], "elements": "/cards""#),
      plan: Self.dropping)
    try app.add(
      ["persons/a.json": #"{"id": "a", "first": "F"}"#],
      toListsOf: ["cards": [#"{"id": "ka", "owner": "a", "amount": 10}"#]])
    try app.run()
    let left = try app.folder.folder.bytes("cards.json")
    let late = ["cards": [#"{"id": "late", "owner": "a", "amount": 5}"#]]
    try app.add(toListsOf: late)
    let told = try app.workflow().status().findings.compactMap(\.next)
    #expect(
      told == [
        "take out of cards.json what came since, so that it is to the byte as the steps have left "
          + "it, then --undo drop, then put that in again, then --force sum, then --force drop puts "
          + "all of it together"
      ])
    #expect(throws: MigrationError.self) { try app.run { $0.undone = "drop" } }
    try app.folder.folder.write(String(decoding: left, as: UTF8.self), to: "cards.json")
    try app.run { $0.undone = "drop" }
    try app.add(toListsOf: late)
    try app.run { $0.forced = ["sum"] }
    try app.run { $0.forced = ["drop"] }
    #expect(try app.folder.entities(of: "person")["a"]?["sum"] == "15")
    #expect(try app.told().isEmpty)
  }
}
