import Diagnostics
import FileFaults
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Steps over JSON that ran more than once, because entities came later: they are undone as a whole, or it is
/// said what of them stays, and why.
@Suite struct RepeatedFileStepTests {
  /// A folder of three people, of whom one came once there were cards.
  private static func withLateCard() throws -> CardFolder {
    let folder = try CardFolder(CardFolder.cards)
    try folder.run { $0.baseline = .version(1) }
    try folder.write(CardFolder.person(3), to: "people/3.json")
    #expect(try folder.states() == [.pending, .applied])
    try folder.run()
    #expect(try folder.states() == [.applied, .applied])
    return folder
  }

  private static func cards(_ folder: CardFolder) throws -> [String] {
    try folder.folder.folder.files().keys.filter { $0.hasPrefix("cards/") }.sorted()
      .map { try folder.text($0) }
  }

  @Test func `all runs are undone at once, whatever another step did to other files between`()
    throws
  {
    let folder = try Self.withLateCard()
    #expect(try Self.cards(folder).count { $0.contains("local") } == 3)
    let planned = try folder.workflow { $0.undone = "st" }.plan()
    #expect(planned.documentCount == 3)
    let report = try folder.undo("st")
    #expect(report.documentCount == 3 && report.standings.map(\.state) == [.applied, .undone])
    #expect(try Self.cards(folder).count { !$0.contains("local") } == 3)
    #expect(try folder.states() == [.applied, .undone])
    #expect(try folder.undo("mk").standings.map(\.state) == [.undone, .undone])
    #expect(try Self.cards(folder).isEmpty)
    #expect(try folder.states() == [.undone, .undone])
  }

  @Test func `files that cannot be read fit no version, and no baseline is taken`() throws {
    let folder = try CardFolder(CardFolder.cards)
    try folder.write(#"{"id": "#, to: "people/9.json")
    let error = #expect(throws: MigrationError.self) {
      try folder.run { $0.baseline = .version(1) }
    }
    #expect(error?.diagnostic.kind == .conflictsWithData)
    #expect(error?.diagnostic.problem.contains("people/9.json") == true, "\(error as Any)")
    try folder.write(CardFolder.person(3), to: "people/9.json")
    try folder.run { $0.baseline = .version(1) }
    #expect(try folder.states() == [.applied, .applied])
  }

  @Test func `wherever that dies, the same once more undoes what one undoing does`() throws {
    for call in 1... {
      let folder = try Self.withLateCard()
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? folder.workflow(faults: plan) { $0.undone = "st" }.perform()
      guard plan.hasFired else {
        #expect(call > 10)
        return
      }
      try folder.undo("st")
      #expect(try Self.cards(folder).count { !$0.contains("local") } == 3, "call \(call)")
      #expect(try folder.states() == [.applied, .undone], "call \(call)")
    }
  }

  @Test func `a file that was given back what it was keeps no earlier run from being undone`()
    throws
  {
    let bang = String(CardFolder.bang.drop { $0 != "[" }.dropFirst().dropLast(2))
    let ask = bang.replacing("bang", with: "ask").replacing("!", with: "?")
    let plan = #"{"plan": "b", "profile": "pc", "steps": [\#(bang), \#(ask)]}"#
    let folder = try CardFolder(plan)
    try folder.run()
    try folder.write(CardFolder.person(1), to: "people/1.json")
    try folder.run()
    #expect(try folder.text("people/1.json") == CardFolder.person(1, "!?"))
    #expect(try folder.undo("ask").standings.map(\.state) == [.applied, .undone])
    for number in [1, 2] {
      #expect(try folder.text("people/\(number).json") == CardFolder.person(number, "!"))
    }
    #expect(try folder.undo("bang").standings.map(\.state) == [.undone, .undone])
    for number in [1, 2] {
      #expect(try folder.text("people/\(number).json") == CardFolder.person(number))
    }
  }

  // MARK: Files that both have changed in turns

  /// A folder of people whom two steps have changed, one of whom somebody then wrote as before them, so that
  /// both changed that one once more; and what the file was in between.
  private static func inTurns() throws -> (folder: CardFolder, between: String) {
    let folder = try CardFolder(
      """
      {"plan": "t", "profile": "pc", "steps": [
        {"id": "mark", "from": 1, "to": 2, "risk": "additive", "entities": {"person": [
          {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}},
        {"id": "tag", "from": 2, "to": 3, "risk": "additive", "entities": {"person": [
          {"set": "tagged", "to": {"constant": true}, "type": "boolean"}]}}]}
      """)
    try folder.run { $0.baseline = .version(1) }
    let between = try folder.text("people/1.json")
    try folder.write(CardFolder.person(1, n: 2), to: "people/1.json")
    try folder.run()
    return (folder, between)
  }

  @Test func `of such files the last run is undone, and it is said what stays, and how it goes`()
    throws
  {
    let (folder, between) = try Self.inTurns()
    #expect(try folder.text("people/1.json").contains("tagged"))
    let report = try folder.undo("tag")
    let tag = try #require(report.standings.last)
    #expect(tag.state == .applied && tag.reason.contains("undo mark, then this once more"))
    #expect(report.versionAfter == 3 && report.documentCount == 1)
    #expect(try !folder.text("people/1.json").contains("tagged"))
    #expect(try folder.text("people/2.json").contains("tagged"))
    // As it says: there is a way on.
    #expect(throws: MigrationError.self) { try folder.undo("tag") }
    let mark = try #require(try folder.undo("mark").standings.first)
    #expect(mark.state == .applied && mark.reason.contains("undo tag, then this once more"))
    #expect(try folder.text("people/1.json") == CardFolder.person(1, n: 2))
    // Before the edit there is no way but without it.
    let refusal = #expect(throws: MigrationError.self) { try folder.undo("tag") }
    #expect(refusal?.diagnostic.problem.contains("was edited since") == true)
    try folder.write(between, to: "people/1.json")
    try folder.undo("tag")
    try folder.undo("mark")
    #expect(try folder.states() == [.undone, .undone])
    for number in [1, 2] {
      #expect(try folder.text("people/\(number).json") == CardFolder.person(number))
    }
  }

  @Test func `wherever that dies, the same once more undoes that run alone`() throws {
    for call in 1... {
      let (folder, _) = try Self.inTurns()
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? folder.workflow(faults: plan) { $0.undone = "tag" }.perform()
      guard plan.hasFired else {
        #expect(call > 10)
        return
      }
      // Where all was done it has nothing left that could be.
      do { try folder.undo("tag") } catch {
        let problem = (error as? MigrationError)?.diagnostic.problem
        #expect(problem == "mark has changed the same files after it")
      }
      #expect(try !folder.text("people/1.json").contains("tagged"), "call \(call)")
      #expect(try folder.text("people/1.json").contains("marked"), "call \(call)")
      #expect(try folder.text("people/2.json").contains("tagged"), "call \(call)")
    }
  }
}
