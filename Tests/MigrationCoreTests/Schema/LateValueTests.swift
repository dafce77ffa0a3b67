import Automerge
import Diagnostics
import Folders
import Foundation
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Values that a step would change once more, where it was done: what it makes of one it changes in another.
@Suite struct LateValueTests {
  private static let chain = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "names", "risk": "transformative", "entities": {"person": [
        {"set": "email", "to": {"lookUp": {"copy": "/email"},
          "in": {"a@x": "b@x", "b@x": "c@x", "d@x": "e@x"}, "else": {"copy": "/email"}}}]}}]}
    """

  private static let people = """
    {"people": [
      {"id": "\(StepFolder.ada)", "firstName": "Ada", "email": "a@x"},
      {"id": "\(StepFolder.grace)", "firstName": "Grace", "email": "b@x"}]}
    """

  private static let mary = #"{"id": "00000000-0000-4000-8000-00000000000C", "email": "d@x"}"#

  /// A folder of which each person is as after the step.
  private static func done(isOfFiles: Bool = true) throws -> StepFolder {
    if isOfFiles {
      let folder = try StepFolder(files: people, [chain])
      try folder.runFiles()
      return folder
    }
    let folder = try StepFolder([chain], people)
    try folder.run()
    return folder
  }

  private static func text(_ folder: StepFolder) throws -> String {
    String(decoding: try folder.folder.folder.bytes("people.json"), as: UTF8.self)
  }

  private static func edit(_ folder: StepFolder, _ text: String, with other: String) throws {
    let edited = try Self.text(folder).replacing(text, with: other)
    #expect(try edited != Self.text(folder))
    try folder.folder.folder.write(edited, to: "people.json")
  }

  private static func add(_ person: String, to folder: StepFolder) throws {
    try edit(folder, #""people": ["#, with: #""people": [\#(person),"#)
  }

  private static func emails(_ folder: StepFolder) throws -> [String?] {
    try folder.entities().sorted { $0.key < $1.key }.map { $0.value["email"] }
  }

  /// Expects that nothing is done, and returns what is told.
  private static func told(_ folder: StepFolder) throws -> [String] {
    let before = try text(folder)
    #expect(try folder.fileWorkflow().plan().changes.isEmpty)
    let reports = [try folder.fileWorkflow().status(), try folder.runFiles()]
    for report in reports {
      #expect(report.standings.map(\.state) == [.applied] && report.effects.isEmpty)
    }
    #expect(reports[0].findings.map(\.message) == reports[1].findings.map(\.message))
    #expect(try text(folder) == before)
    return reports[0].findings.map(\.message)
  }

  @Test func `what the step made stays in a file that is edited since`() throws {
    let folder = try Self.done()
    #expect(try Self.emails(folder) == [#""b@x""#, #""c@x""#])
    try Self.edit(folder, "Ada", with: "Augusta")
    #expect(try Self.told(folder).isEmpty)
  }

  @Test func `who came since gets it once, and nobody else`() throws {
    let folder = try Self.done()
    try Self.add(Self.mary, to: folder)
    let status = try folder.fileWorkflow().status()
    #expect(status.standings[0].reason.hasPrefix("1 entity has come"))
    #expect(try folder.runFiles().effects.map(\.changedCount) == [1])
    #expect(try Self.emails(folder) == [#""b@x""#, #""c@x""#, #""e@x""#])
    try Self.edit(folder, "Ada", with: "Augusta")
    #expect(try Self.told(folder).isEmpty)
  }

  @Test(arguments: [false, true])
  func `what was moved to another place has seen the step`(isDone: Bool) throws {
    // One file for each person, as the step finds or leaves them.
    let profile = try String(
      contentsOf: StepFolder.directory.appending(path: "profile.json"), encoding: .utf8
    ).replacing(#""people.json""#, with: #""people/*.json""#)
    let folder = try ProfiledFolder(Profile(parsing: Array(profile.utf8), of: "profile.json"))
    let plan = try Plan(parsing: Array(Self.chain.utf8), of: "plan.json") { _ in folder.profile }
    try folder.folder.write(Self.people, to: "people/1.json")
    if isDone { _ = try FileStepTests.workflow(folder, plan).perform() }
    let text = String(decoding: try folder.folder.bytes("people/1.json"), as: UTF8.self)
    try folder.folder.remove("people/1.json")
    try folder.folder.write(text.replacing("Ada", with: "Augusta"), to: "people/2.json")
    let report = try FileStepTests.workflow(folder, plan).perform()
    #expect(report.effects.map(\.changedCount) == (isDone ? [] : [2]))
    let after = String(decoding: try folder.folder.bytes("people/2.json"), as: UTF8.self)
    #expect(after.contains("b@x") && after.contains("c@x"))
  }

  @Test func `a value that somebody wrote since stays, and is told`() throws {
    let folder = try Self.done()
    try Self.edit(folder, "c@x", with: "b@x")
    let told = try Self.told(folder)
    #expect(told.count == 1 && told[0].contains("1 entity"), "\(told)")
  }

  @Test(arguments: [false, true])
  func `where nothing tells who came since, values stay and are told`(isDamaged: Bool) throws {
    let folder = try Self.done()
    try Self.add(Self.mary, to: folder)
    let place = ".automerge-migrate.nosync/schema/names/1/people.json"
    if isDamaged {
      try folder.folder.folder.write("{", to: place)
    } else {
      try folder.folder.folder.remove(place)
    }
    let told = try Self.told(folder)
    #expect(told.count == 1 && told[0].contains("2 entities"), "\(told)")
  }

  // MARK: In documents

  @Test func `in documents what the step made stays, and is nothing to tell of`() throws {
    let folder = try Self.done(isOfFiles: false)
    try folder.edit { document in
      try document.put(
        obj: document.entity(StepFolder.ada), key: "firstName", value: .String("Augusta"))
    }
    for report in [try folder.workflow().status(), try folder.run()] {
      #expect(report.standings.map(\.state) == [.applied])
      #expect(report.findings.isEmpty && report.effects.isEmpty)
    }
    #expect(try Self.emails(folder) == [#""b@x""#, #""c@x""#])
  }

  @Test func `in documents what somebody wrote since stays, and is told`() throws {
    let folder = try Self.done(isOfFiles: false)
    try folder.edit { document in
      try document.put(obj: document.entity(StepFolder.grace), key: "email", value: .String("b@x"))
    }
    for report in [try folder.workflow().status(), try folder.run()] {
      #expect(report.standings.map(\.state) == [.applied] && report.effects.isEmpty)
      let told = try #require(report.findings.first)
      #expect(report.findings.count == 1)
      #expect(told.message.contains("1 entity holds again what the step rewrites"))
    }
    #expect(try Self.emails(folder) == [#""b@x""#, #""b@x""#])
  }
}
