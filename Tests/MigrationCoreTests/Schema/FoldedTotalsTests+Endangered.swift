import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

// What folds have put together, before a later step takes away what it is made of.
extension FoldedTotalsTests {
  /// Adds up the amounts of cards for a slip of each owner; the step behind that drops them.
  fileprivate static let slips = dropping.replacing(
    #""entities": {"person": [{"set": "sum", "to": {"fold": "all"}}]}"#,
    with: #"""
      "create": [{"kind": "slip", "for": "person", "id": {"identity": true},
        "fields": [{"set": "amount", "to": {"fold": "all"}}]}]
      """#, maxReplacements: 1)

  @Test(arguments: [true, false])
  func `a total that undoing elsewhere has taken away is told before what it was made of goes`(
    hasLate: Bool
  ) throws {
    let owners = try Owners(isOfFiles: false, Self.dropping)
    try owners.run { $0.target = "sum" }
    let other = try owners.app.copied()
    if hasLate { try owners.add([], ["late": ("b", 5)]) }
    try owners.run { ($0.forced, $0.target) = (["sum"], "sum") }
    try other.run { $0.undone = "sum" }
    try owners.app.merge(other)
    for report in [try owners.app.workflow().status(), try owners.run()] {
      #expect(report.standings.map(\.state) == [.applied, .waiting] && report.endsWithDifferences)
      let told = report.findings.filter { $0.severity == .warning }
      #expect(told.map(\.next) == ["--force sum puts all of it together"])
      #expect(told[0].message.contains("person a (sum)"), "\(told)")
    }
    #expect(try owners.folder.entities(of: "card")["ka"]?["amount"] == "10")
    try owners.run { ($0.forced, $0.target) = (["sum"], "sum") }
    try owners.run()
    #expect(try owners.sums() == ["a": "10", "b": hasLate ? "15" : "10"])
    #expect(try owners.folder.entities(of: "card")["ka"]?["amount"] == nil)
    #expect(try owners.app.told().isEmpty)
  }

  @Test func `what undoing elsewhere has taken away is not made anew of nothing`() throws {
    let owners = try Owners(isOfFiles: false, Self.slips)
    try owners.run { $0.target = "sum" }
    let other = try owners.app.copied()
    try owners.add(["d"])
    try owners.run()
    try owners.run()
    try other.run { $0.undone = "sum" }
    try owners.app.merge(other)
    let remedy = "--undo drop, then --force sum, then --force drop"
    for report in [try owners.app.workflow().status(), try owners.run()] {
      #expect(report.standings.map(\.state) == [.waiting, .applied] && report.endsWithDifferences)
      #expect(report.standings[0].reason.contains("drop, which was done, has taken away"))
      #expect(report.findings.compactMap(\.next) == [remedy])
    }
    #expect(try owners.folder.entities(of: "slip").keys.sorted() == ["d"])
    try owners.run { $0.undone = "drop" }
    for id: MigrationID in ["sum", "drop"] { try owners.run { $0.forced = [id] } }
    #expect(
      try owners.folder.entities(of: "slip").mapValues { $0["amount"] }
        == ["a": "10", "b": "10", "d": "0"])
    #expect(try owners.app.told().isEmpty)
  }

  @Test(arguments: [true, false])
  func `an owner that came late has still to get its total once others are made for it`(
    isOfFiles: Bool
  ) throws {
    let plan = Self.slips.replacing(
      #""create""#,
      with: #""entities": {"person": [{"set": "sum", "to": {"fold": "all"}}]}, "create""#,
      maxReplacements: 1)
    let owners = try Owners(isOfFiles: isOfFiles, plan)
    try owners.run()
    try owners.add(["d"], ["late": ("d", 5)])
    #expect(try owners.run().effects.map(\.madeCount) == [1])
    for report in [try owners.app.workflow().status(), try owners.run()] {
      #expect(report.standings.map(\.state) == [.applied, .waiting] && report.effects.isEmpty)
      let told = report.findings.filter { $0.severity == .warning }
      #expect(told.count == 1 && told[0].message.contains("person d (sum)"), "\(told)")
    }
    #expect(try owners.folder.entities(of: "card")["late"]?["amount"] == "5")
  }

  @Test func `steps over JSON are not taken as done where that loses what came late`() throws {
    for isDropped in [false, true] {
      let files = try Owners(isOfFiles: true, Self.dropping)
      try files.run { if !isDropped { $0.target = "sum" } }
      let owners = files.ofDocuments()
      try owners.add([], ["late": ("a", 5)])
      if isDropped {
        let refused = #expect(throws: MigrationError.self) {
          try owners.run { $0.baseline = .step("drop") }
        }
        #expect(refused?.diagnostic.kind == .conflictsWithData)
        #expect(refused?.diagnostic.problem.contains("no total of sum holds it") == true)
      }
      for _ in 1...2 {
        let report = try owners.run { $0.baseline = .step("sum") }
        #expect(report.standings.map(\.state) == [.applied, .waiting])
        #expect(report.endsWithDifferences)
        if isDropped { continue }
        let told = report.findings.filter { $0.severity == .warning }
        #expect(told.map(\.next) == ["--force sum puts all of it together"], "\(report.findings)")
      }
      #expect(try owners.folder.entities(of: "card")["late"]?["amount"] == "5")
      if isDropped { continue }
      try owners.run { ($0.forced, $0.target) = (["sum"], "sum") }
      try owners.run()
      #expect(try owners.sums() == ["a": "15", "b": "10"])
    }
  }

  @Test(arguments: [true, false])
  func `a total is not made of what a step has taken away that was taken as done`(
    isOfFiles: Bool
  ) throws {
    let files = try Owners(isOfFiles: true, Self.dropping)
    try files.run()
    if isOfFiles { try files.folder.folder.remove(".automerge-migrate.nosync") }
    let owners = isOfFiles ? files : files.ofDocuments()
    if !isOfFiles { try owners.add() }
    let attempts: [Set<MigrationID>] = isOfFiles ? [["sum"]] : [["sum"], ["sum", "drop"]]
    for isAdopted in isOfFiles ? [true] : [false, true] {
      if isAdopted { try owners.run { $0.baseline = .step("drop") } }
      for forced in attempts {
        let refused = #expect(throws: MigrationError.self) {
          try owners.run { ($0.forced, $0.allowsOtherOrder) = (forced, true) }
        }
        let problem = refused?.diagnostic.problem ?? ""
        #expect(refused?.diagnostic.kind == .conflictsWithData)
        #expect(problem.contains("sum of person a is 10, and would be 0"), "\(problem)")
      }
    }
    #expect(try owners.sums() == ["a": "10", "b": "10"])
  }

  @Test func `what the step put together is compared with what is there before that goes`() throws {
    let owners = try Owners(isOfFiles: false, Self.dropping)
    try owners.run { $0.target = "sum" }
    try owners.write(12, to: "amount", of: "ka", in: "cards.automerge")
    for report in [try owners.app.workflow().status(), try owners.run()] {
      #expect(report.standings.map(\.state) == [.applied, .waiting] && report.endsWithDifferences)
      #expect(
        report.findings.map(\.message) == [
          "sum: a later step takes away what the step put together, and that is not what it makes of "
            + "what is there: person a (sum)"
        ])
      #expect(report.findings.compactMap(\.next) == ["--force sum puts all of it together"])
    }
    // What somebody wrote is not what the step put together.
    try owners.write(11, to: "sum", of: "a", in: "persons.automerge")
    #expect(try owners.app.workflow().status().findings.isEmpty)
    #expect(try owners.run().standings.map(\.state) == [.applied, .applied])
    #expect(try owners.app.told().isEmpty)
    #expect(try owners.sums() == ["a": "11", "b": "10"])
  }

  @Test(arguments: [
    #"[{"copy": "/first"}, {"convert": {"fold": "all"}, "to": "text"}]"#,
    #"[{"parameter": "at"}, {"convert": {"fold": "all"}, "to": "text"}]"#,
  ])
  func `a total that is made of more than what was put together is not compared`(
    parts: String
  ) throws {
    let plan = Self.dropping
      .replacing(
        #"{"set": "sum", "to": {"fold": "all"}}"#,
        with: #"{"set": "first", "to": {"concatenate": \#(parts)}}"#
      )
      .replacing(
        #""profile": "owners","#,
        with:
          #""profile": "owners", "parameters": {"at": {"type": "text", "description": "a word"}},"#)
    let owners = try Owners(isOfFiles: false, plan)
    try owners.run {
      $0.target = "sum"
      $0.context.parameters["at"] = .text("now ")
    }
    let report = try owners.run { $0.context.parameters["at"] = .text("later ") }
    #expect(report.standings.map(\.state) == [.applied, .applied] && report.findings.isEmpty)
    #expect(try owners.folder.entities(of: "card")["ka"]?["amount"] == nil)
  }

  @Test func `nothing is missing as long as nothing is taken away`() throws {
    let owners = try Owners(isOfFiles: false, Self.dropping)
    try owners.run { $0.target = "sum" }
    try owners.write(12, to: "amount", of: "ka", in: "cards.automerge")
    let status = try owners.app.workflow { $0.target = "sum" }.status()
    #expect(status.findings.isEmpty && !status.hasStepsToRun && !status.endsWithDifferences)
    try owners.run { ($0.forced, $0.target) = (["sum"], "sum") }
    try owners.run()
    try owners.run { $0.undone = "drop" }
    try owners.write(13, to: "amount", of: "ka", in: "cards.automerge")
    let undone = try owners.app.workflow().status()
    #expect(undone.findings.map(\.severity) == [.info] && !undone.endsWithDifferences)
  }

  @Test func `what a step has called otherwise is what the total is made of`() throws {
    let plan = Self.dropping.replacing(
      #"{"id": "drop", "risk": "destructive", "entities": {"card": [{"drop": "amount"}]}}"#,
      with: #"""
        {"id": "rename", "risk": "destructive", "entities": {"card": [{"rename": "amount", "to": "cost"}]}},
        {"id": "drop", "risk": "destructive", "entities": {"card": [{"drop": "cost"}]}}
        """#)
    let owners = try Owners(isOfFiles: false, plan)
    try owners.run { $0.target = "sum" }
    let other = try owners.app.copied()
    try owners.add([], ["late": ("b", 5)])
    try owners.run { ($0.forced, $0.target) = (["sum"], "sum") }
    try owners.run { $0.target = "rename" }
    try other.run { $0.undone = "sum" }
    try owners.app.merge(other)
    let report = try owners.run()
    #expect(report.standings[2].state == .waiting && report.endsWithDifferences)
    #expect(try owners.folder.entities(of: "card")["ka"]?["cost"] == "10")
  }

  @Test func `what came late and adds nothing keeps no step from being taken as done`() throws {
    let files = try Owners(isOfFiles: true, Self.dropping)
    try files.run()
    let owners = files.ofDocuments()
    try owners.app.add(["cards/late.json": #"{"id": "late", "amount": 5}"#])
    let report = try owners.run { $0.baseline = .step("drop") }
    #expect(report.standings.map(\.state) == [.applied, .applied])
    #expect(try owners.folder.entities(of: "card")["late"]?["amount"] == nil)
    #expect(try owners.sums() == ["a": "10", "b": "10"])
  }

  @Test(arguments: [true, false])
  func `what a step makes is not before another one that takes such away`(isOfFiles: Bool) throws {
    for action in [#"{"drop": "amount"}"#, #"{"rename": "amount", "to": "cost"}"#] {
      let plan = """
        {"plan": "p", "profile": "owners", "steps": [
          {"id": "first", "risk": "destructive", "entities": {"slip": [\(action)]}},
          {"id": "make", "risk": "additive", "create": [
            {"kind": "slip", "for": "person", "id": {"identity": true},
             "fields": [{"set": "amount", "to": {"constant": 1}}]}]}]}
        """
      let profile = Self.profile.replacing(
        #""properties": {"owner": {"type": "string"}, "amount": {"type": "integer"}}}]}"#,
        with: #"""
          "properties": {"owner": {"type": "string"}, "amount": {"type": "integer"},
            "cost": {"type": "integer"}}}]}
          """#)
      let app = try PlannedFolder(isOfFiles: isOfFiles, profile: profile, plan: plan)
      try app.add([
        "persons/a.json": #"{"id": "a", "first": "F"}"#,
        "slips/old.json": #"{"id": "old", "amount": 7}"#,
      ])
      try app.run()
      let report = try app.run()
      #expect(report.standings.map(\.state) == [.applied, .applied] && report.effects.isEmpty)
      let slips = try app.folder.entities(of: "slip")
      #expect(slips["a"]?["amount"] == "1" && slips["old"]?["amount"] == nil)
    }
  }
}
