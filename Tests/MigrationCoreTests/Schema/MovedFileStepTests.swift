import Diagnostics
import Folders
import Foundation
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Files that somebody has renamed once a step had changed them: what they hold says which they are.
@Suite struct MovedFileStepTests {
  private static let plan = """
    {"plan": "n", "profile": "people", "steps": [
      {"id": "bang", "risk": "transformative", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
    """

  private static let making = """
    {"plan": "n", "profile": "people", "steps": [
      {"id": "make", "risk": "additive", "create": [
        {"kind": "person", "id": {"constant": "\(id(7))"},
         "fields": [{"set": "email", "to": {"constant": "made"}}]}]}]}
    """

  private static func id(_ number: Int) -> String { "\(number)0000000-0000-4000-8000-000000000000" }

  private static func person(_ number: Int, _ email: String = "x") -> String {
    #"{"people":[{"id":"\#(id(number))","firstName":"F","email":"\#(email)"}]}"#
  }

  /// A folder with a file for each person.
  private struct People {
    let folder: ProfiledFolder
    let plan: Plan

    init(_ plan: String = MovedFileStepTests.plan) throws {
      let text = try String(
        contentsOf: StepFolder.directory.appending(path: "profile.json"), encoding: .utf8)
      let profile = try Profile(
        parsing: Array(text.replacing(#""people.json""#, with: #""people/*.json""#).utf8),
        of: "profile.json")
      folder = try ProfiledFolder(profile)
      self.plan = try Plan(parsing: Array(plan.utf8), of: "plan.json") { _ in profile }
      for number in [1, 2] { try write(person(number), to: "\(number)") }
    }

    func write(_ text: String, to name: String) throws {
      try folder.folder.write(text, to: "people/\(name).json")
    }

    func text(_ name: String) throws -> String {
      String(decoding: try folder.folder.bytes("people/\(name).json"), as: UTF8.self)
    }

    func rename(_ name: String, to other: String) throws {
      let text = try text(name)
      try folder.folder.remove("people/\(name).json")
      try write(text, to: other)
    }

    func workflow(
      _ configure: (inout SchemaOptions) -> Void = { _ in }
    ) throws -> FileStepWorkflow {
      try FileStepTests.workflow(folder, plan) { options in
        options.allowsDestructive = true
        configure(&options)
      }
    }

    @discardableResult
    func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
      try workflow(configure).perform()
    }

    func states() throws -> [StepStanding.State] { try workflow().status().standings.map(\.state) }
  }

  @Test func `one is as after the step, and is undone under the name that it has`() throws {
    let people = try People()
    try people.run()
    try people.rename("1", to: "9")
    let status = try people.workflow().status()
    #expect(status.standings.map(\.state) == [.applied])
    #expect(status.standings[0].reason.isEmpty && status.findings.isEmpty)
    #expect(try people.run().effects.isEmpty)
    let planned = try people.workflow { $0.undone = "bang" }.plan()
    let report = try people.run { $0.undone = "bang" }
    #expect(report.documentCount == 2 && planned.documentCount == 2)
    #expect(report.standings.map(\.state) == [.undone])
    let told = try #require(report.findings.first)
    #expect(report.findings.count == 1 && told.severity == .info && told.path == "people/9.json")
    #expect(told.message.contains("people/1.json"))
    #expect(try people.text("9") == Self.person(1) && people.text("2") == Self.person(2))
    #expect(!people.folder.folder.exists("people/1.json"))
    #expect(try people.states() == [.undone])
    try people.run { $0.forced = ["bang"] }
    #expect(try people.text("9") == Self.person(1, "x!"))
    #expect(try people.states() == [.applied])
  }

  @Test func `one that is as it was before gets the step again, and the others do not`() throws {
    let people = try People()
    try people.run()
    try people.folder.folder.remove("people/1.json")
    try people.write(Self.person(1), to: "9")
    #expect(try people.states() == [.pending])
    #expect(try people.run().effects.map(\.changedCount) == [1])
    #expect(try people.text("9").contains(#""x!""#) && people.text("2").contains(#""x!""#))
    #expect(try people.states() == [.applied])
  }

  @Test func `one that was written since as well is told, and the rest is undone`() throws {
    let people = try People()
    try people.run()
    try people.rename("1", to: "9")
    try people.write(Self.person(1, "y!"), to: "9")
    let report = try people.run { $0.undone = "bang" }
    let told = try #require(report.findings.first { $0.severity == .error })
    #expect(told.path == "people/9.json" && !report.isPublished)
    #expect(told.message.contains("people/1.json"))
    #expect(told.next?.contains("schema/bang/1/people/1.json") == true)
    #expect(try people.text("9") == Self.person(1, "y!"))
    #expect(try people.text("2") == Self.person(2))
    // Forced, it is not done twice.
    let forced = try people.run { $0.forced = ["bang"] }
    #expect(try people.text("9") == Self.person(1, "y!"))
    let why = try #require(forced.findings.first { $0.severity == .error })
    #expect(why.path == "people/9.json" && !forced.isPublished)
  }

  @Test func `one that is as after a step that was undone stays so where that is forced`() throws {
    for name in ["1", "9"] {
      let people = try People()
      try people.run()
      let after = try people.text("1")
      try people.run { $0.undone = "bang" }
      if name == "9" { try people.folder.folder.remove("people/1.json") }
      try people.write(after, to: name)
      let status = try people.workflow().status()
      #expect(status.findings.contains { $0.path == "people/\(name).json" })
      let report = try people.run { $0.forced = ["bang"] }
      #expect(report.effects.map(\.changedCount) == [1])
      #expect(report.findings.contains { $0.path == "people/\(name).json" })
      #expect(try people.text(name) == after)
      #expect(try people.text("2").contains(#""x!""#))
      #expect(try people.states() == [.applied])
      // And it is undone with the others.
      try people.run { $0.undone = "bang" }
      #expect(try people.text(name) == Self.person(1) && people.text("2") == Self.person(2))
    }
  }

  @Test func `one that a step has made goes under the name that it has`() throws {
    let people = try People(Self.making)
    try people.run()
    let names = try people.folder.folder.files().keys.filter { $0.hasPrefix("people/") }
    let made = try #require(Set(names).subtracting(["people/1.json", "people/2.json"]).first)
    try people.rename(String(made.dropFirst(7).dropLast(5)), to: "9")
    #expect(try people.states() == [.applied])
    let report = try people.run { $0.undone = "make" }
    #expect(report.documentCount == 1)
    #expect(!people.folder.folder.exists("people/9.json"))
    #expect(try people.states() == [.undone])
  }

  @Test func `what a run had changed that was stopped is given back under its new name`() throws {
    let people = try People()
    try people.run()
    let after = try people.text("1")
    // As a run leaves it that dies before it is noted.
    let log = ".automerge-migrate.nosync/schema.jsonl"
    let line = String(decoding: try people.folder.folder.bytes(log), as: UTF8.self)
    try people.folder.folder.remove(log)
    try people.folder.folder.write(
      line.replacing(#""stage":"done""#, with: #""stage":"begun""#),
      to: ".automerge-migrate.nosync/step-journal.jsonl")
    try people.rename("1", to: "9")
    #expect(try people.states() == [.unfinished])
    try people.run()
    #expect(try people.text("9") == after)
    #expect(try people.states() == [.applied])
  }

  // MARK: Names in each other's places

  private static func exchange(_ people: People, _ names: [String]) throws {
    let texts = try names.map { try people.text($0) }
    for (name, text) in zip(names.dropFirst() + names.prefix(1), texts) {
      try people.write(text, to: name)
    }
  }

  @Test func `files that have each other's names are as after the step, and are undone so`() throws
  {
    let people = try People()
    try people.run()
    try Self.exchange(people, ["1", "2"])
    let status = try people.workflow().status()
    #expect(status.standings.map(\.state) == [.applied] && status.findings.isEmpty)
    #expect(try people.run().effects.isEmpty)
    let report = try people.run { $0.undone = "bang" }
    #expect(report.standings.map(\.state) == [.undone] && report.documentCount == 2)
    #expect(report.findings.map(\.severity) == [.info, .info])
    #expect(try people.text("1") == Self.person(2) && people.text("2") == Self.person(1))
    #expect(try people.states() == [.undone])
    // Forced, it is done once to each.
    try people.run { $0.forced = ["bang"] }
    #expect(
      try people.text("1") == Self.person(2, "x!") && people.text("2") == Self.person(1, "x!"))
    try people.run { $0.undone = "bang" }
    #expect(try people.text("1") == Self.person(2) && people.text("2") == Self.person(1))
  }

  @Test func `so are three, of which one has a name of its own`() throws {
    let people = try People()
    try people.write(Self.person(3), to: "3")
    try people.run()
    try Self.exchange(people, ["1", "2", "3"])
    try people.rename("1", to: "9")
    #expect(try people.states() == [.applied])
    try people.run { $0.undone = "bang" }
    #expect(try people.text("9") == Self.person(3) && people.text("2") == Self.person(1))
    #expect(try people.text("3") == Self.person(2))
  }

  @Test func `a step behind them is undone before them`() throws {
    let mark = #"{"set": "marked", "to": {"constant": true}, "type": "boolean"}"#
    let people = try People(
      Self.plan.dropLast(2)
        + #", {"id": "mark", "risk": "additive", "entities": {"person": [\#(mark)]}}]}"#)
    try people.run { $0.target = "bang" }
    try Self.exchange(people, ["1", "2"])
    try people.run()
    #expect(try people.states() == [.applied, .applied])
    #expect(try people.text("1").contains(#""marked":true"#))
    try people.run { $0.undone = "mark" }
    try people.run { $0.undone = "bang" }
    #expect(try people.text("1") == Self.person(2) && people.text("2") == Self.person(1))
  }

  @Test func `those that were written as well keep the step, and it is said why`() throws {
    let people = try People()
    try people.run()
    try Self.exchange(people, ["1", "2"])
    let exchanged = (try people.text("1"), try people.text("2"))
    try people.write(Self.person(2, "y!"), to: "1")
    try people.write(Self.person(1, "z!"), to: "2")
    #expect(try people.run().effects.isEmpty)
    let files = try people.folder.folder.files(includingState: true)
    let refusal = #expect(throws: MigrationError.self) { try people.run { $0.undone = "bang" } }
    let diagnostic = try #require(refusal?.diagnostic)
    #expect(diagnostic.kind == .conflictsWithData)
    #expect(
      diagnostic.problem
        == "people/1.json and 1 other file were edited since: they cannot be given back as they were"
    )
    #expect(diagnostic.remedy?.hasPrefix("take the edits back, or restore the backup") == true)
    #expect(try people.folder.folder.files(includingState: true) == files)
    // As it says.
    try people.write(exchanged.0, to: "1")
    try people.write(exchanged.1, to: "2")
    try people.run { $0.undone = "bang" }
    #expect(try people.text("1") == Self.person(2) && people.text("2") == Self.person(1))
  }

  @Test func `what is in the place of one that was renamed keeps the step from being undone`()
    throws
  {
    let people = try People()
    try people.run()
    try people.rename("1", to: "9")
    try people.write(Self.person(1, "edited"), to: "1")
    let refusal = #expect(throws: MigrationError.self) {
      try people.run { $0.undone = "bang" }
    }
    #expect(refusal?.diagnostic.problem.contains("people/1.json was edited since") == true)
  }
}
