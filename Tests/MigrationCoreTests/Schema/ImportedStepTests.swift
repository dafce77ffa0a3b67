import Automerge
import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Steps that were done over JSON files of which documents were made since: an import keeps no record of
/// them, so nothing in the documents says so.
@Suite struct ImportedStepTests {
  private static let plan = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "bang", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}},
      {"id": "mark", "risk": "additive", "entities": {"person": [
        {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
    """

  /// A folder of files to which the steps up to one were done.
  private static func folder(_ target: MigrationID? = nil) throws -> StepFolder {
    let folder = try StepFolder(files: StepFolder.people, [plan])
    try folder.runFiles { $0.target = target }
    return folder
  }

  private static func emails(_ folder: StepFolder) throws -> [String?] {
    try folder.entities().sorted { $0.key < $1.key }.map { $0.value["email"] }
  }

  private static let once = [#""ada@example.org!""#, #""grace@example.org!""#]

  @Test(arguments: [true, false])
  func `a step over files waits over the documents that were made of them, and is adopted`(
    staysBeside: Bool
  ) throws {
    let folder = try Self.folder()
    try folder.folder.importing()
    if !staysBeside { try folder.folder.folder.remove("people.json") }
    let bytes = try folder.documents
    for report in [try folder.workflow().status(), try folder.run()] {
      #expect(report.standings.map(\.state) == [.waiting, .waiting])
      for standing in report.standings {
        #expect(standing.reason.contains("JSON files"))
        #expect(standing.reason.contains("--baseline \(standing.id)"))
      }
      #expect(report.adoptable == "mark" && report.differs && report.effects.isEmpty)
    }
    #expect(try folder.documents == bytes)
    try folder.run { $0.baseline = .step("mark") }
    #expect(try folder.states() == [.applied, .applied])
    #expect(try folder.run().effects.isEmpty)
    #expect(try Self.emails(folder) == Self.once)
  }

  @Test func `so it does in another folder, unless that has files of its own`() throws {
    let folder = try Self.folder("bang")
    let other = try folder.empty()
    let third = try StepFolder(files: #"{"people": []}"#, [Self.plan])
    for target in [other, third, other] {
      try folder.folder.importing { $0.target = target.folder.folder.path }
    }
    #expect(try other.states() == [.waiting, .waiting])
    try other.run { $0.baseline = .step("bang") }
    #expect(try other.states() == [.applied, .applied])
    #expect(try Self.emails(other) == Self.once)
    // Nothing says of the files there that they are as after it.
    #expect(try third.states()[0] == .pending)
  }

  @Test func `what was not done over the files yet comes after what was is adopted`() throws {
    let folder = try Self.folder("bang")
    try folder.folder.importing()
    let report = try folder.run()
    #expect(report.standings.map(\.state) == [.waiting, .waiting])
    #expect(report.standings[1].reason == "bang comes first" && report.adoptable == "bang")
    try folder.run { $0.baseline = .step("bang") }
    #expect(try folder.states() == [.applied, .applied])
    #expect(try Self.emails(folder) == Self.once)
    #expect(try folder.entities().values.allSatisfy { $0["marked"] == "true" })
  }

  @Test func `documents that are as before it get it when they are told to`() throws {
    let folder = try Self.folder("bang")
    try folder.folder.importing()
    try folder.run { $0.forced = ["bang"] }
    #expect(try folder.states() == [.applied, .applied])
    #expect(try Self.emails(folder).allSatisfy { $0?.hasSuffix(#"!!""#) == true })
  }

  @Test func `files that are again as before a step make documents as before it`() throws {
    let folder = try Self.folder()
    try folder.folder.folder.write(StepFolder.people, to: "people.json")
    try folder.folder.importing()
    #expect(try folder.states() == [.pending, .pending])
    try folder.run()
    #expect(try Self.emails(folder) == Self.once)
  }

  @Test func `nor does a step wait that was undone over the files`() throws {
    let folder = try Self.folder("bang")
    try folder.runFiles { $0.undone = "bang" }
    try folder.folder.importing()
    #expect(try folder.states() == [.pending, .pending])
  }

  @Test func `a step that was done as another one of its name is told as that`() throws {
    let folder = try Self.folder("bang")
    try folder.folder.importing()
    let other = Self.plan.replacing("\"!\"", with: "\"?\"")
    let plans = [
      try Plan(parsing: Array(other.utf8), of: "plan.json") { _ in folder.folder.profile }
    ]
    let status = try folder.workflow { $0.plans = plans }.status()
    #expect(status.standings[0].state == .edited)
    #expect(throws: MigrationError.self) { try folder.run { $0.plans = plans } }
  }
}
