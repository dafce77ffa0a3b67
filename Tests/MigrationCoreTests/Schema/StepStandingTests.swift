import Automerge
import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// What is told of steps that were done, undone or only taken as done.
@Suite struct StepStandingTests {
  /// A step between no versions.
  private static let versionless = """
    {"plan": "q", "profile": "people", "steps": [{"id": "mark", "risk": "additive", "entities": {
      "person": [{"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
    """

  // MARK: Versions

  @Test func `after an undo the version is what the data fits, and no baseline says another`()
    throws
  {
    let folder = try StepFolder([StepFolder.transforming()])
    try folder.run()
    try folder.undo("people-v2")
    let status = try folder.workflow().status()
    #expect(status.version == 1 && status.standings.map(\.state) == [.undone])
    let bytes = try folder.documents
    for baseline in [SchemaOptions.Baseline.version(2), .step("people-v2")] {
      let refused = #expect(throws: MigrationError.self) {
        try folder.run { $0.baseline = baseline }
      }
      #expect(refused?.diagnostic.kind == .conflictsWithData)
    }
    #expect(try folder.documents == bytes)
    #expect(try folder.states() == [.undone])
  }

  @Test func `after an undo in files no baseline says another version either`() throws {
    let folder = try StepFolder(files: StepFolder.people, [StepFolder.transforming()])
    try folder.runFiles()
    try folder.runFiles { $0.undone = "people-v2" }
    #expect(try folder.fileWorkflow().status().version == 1)
    let refused = #expect(throws: MigrationError.self) {
      try folder.runFiles { $0.baseline = .version(2) }
    }
    #expect(refused?.diagnostic.kind == .conflictsWithData)
    #expect(try folder.fileStates() == [.undone])
  }

  @Test func `a step between no versions does not hide the one that the data fits`() throws {
    let folder = try StepFolder([Self.versionless, StepFolder.transforming()])
    try folder.run { $0.target = "mark" }
    let status = try folder.workflow().status()
    #expect(status.version == 1 && status.standings.map(\.state) == [.applied, .pending])
    let refused = #expect(throws: MigrationError.self) {
      try folder.run { $0.baseline = .version(2) }
    }
    #expect(refused?.diagnostic.kind == .conflictsWithData)
  }

  @Test func `data of two versions is taken for neither`() throws {
    let folder = try StepFolder(
      [StepFolder.transforming()],
      """
      {"people": [{"id": "\(StepFolder.ada)", "firstName": "A", "lastName": "B"},
        {"id": "\(StepFolder.grace)", "fullName": "G"}]}
      """)
    let status = try folder.workflow().status()
    #expect(status.standings.map(\.state) == [.waiting])
    #expect(status.standings[0].reason.contains("fits no version"))
    for version in 1...2 {
      let refused = #expect(throws: MigrationError.self) {
        try folder.run { $0.baseline = .version(version) }
      }
      #expect(refused?.diagnostic.problem.contains("fits no version") == true)
    }
  }

  @Test func `a baseline behind the last step that was done says nothing new`() throws {
    let folder = try StepFolder([StepFolder.transforming()])
    try folder.run()
    let bytes = try folder.documents
    let report = try folder.run { $0.baseline = .version(2) }
    #expect(report.effects.isEmpty && report.versionAfter == 2)
    #expect(try folder.run { $0.baseline = .version(1) }.versionAfter == 2)
    #expect(try folder.documents == bytes)
  }

  // MARK: Two devices

  @Test(arguments: [true, false])
  func `what one device undid while another ran the step for more gets it again`(
    isOtherFirst: Bool
  ) throws {
    let one = try StepFolder([StepFolder.transforming()])
    try one.run()
    let expected = try one.entities()
    let other = try one.copied()
    try one.undo("people-v2")
    let third = "00000000-0000-4000-8000-00000000000C"
    try other.edit { document in
      let new = try document.putObject(obj: .ROOT, key: third, ty: .Map)
      try document.put(obj: new, key: "firstName", value: .String("Mary"))
      try document.put(obj: new, key: "lastName", value: .String("Somerville"))
    }
    try other.run()
    let (into, from) = isOtherFirst ? (other, one) : (one, other)
    try into.merge(from)
    let status = try into.workflow().status()
    #expect(status.standings.map(\.state) == [.pending] && status.findings.isEmpty)
    #expect(try into.run().effects.map(\.changedCount) == [2])
    #expect(try into.states() == [.applied])
    let entities = try into.entities()
    #expect(entities.filter { $0.key != third } == expected)
    #expect(entities[third]?["fullName"] == "\"Mary Somerville\"")
    let bytes = try into.documents
    #expect(try into.run().effects.isEmpty)
    #expect(try into.documents == bytes)
    // And it can be undone once more.
    try into.undo("people-v2")
    #expect(try into.entities()[StepFolder.ada]?["firstName"] == "\"Ada\"")
    #expect(try into.entities()[third]?["firstName"] == "\"Mary\"")
    #expect(try into.states() == [.undone])
  }
}
