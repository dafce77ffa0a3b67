import Automerge
import Diagnostics
import FileFaults
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

  @Test func `a baseline at the last step that was done says nothing new`() throws {
    let folder = try StepFolder([StepFolder.transforming()])
    try folder.run()
    let bytes = try folder.documents
    let report = try folder.run { $0.baseline = .version(2) }
    #expect(report.effects.isEmpty && report.versionAfter == 2)
    #expect(try folder.documents == bytes)
  }

  @Test(arguments: [true, false])
  func `a baseline below the version that the data is at is refused`(isOfFiles: Bool) throws {
    let plans = [try StepFolder.transforming()]
    let folder =
      isOfFiles ? try StepFolder(files: StepFolder.people, plans) : try StepFolder(plans)
    func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws {
      if isOfFiles { try folder.runFiles(configure) } else { try folder.run(configure) }
    }
    try run()
    let files = try folder.folder.folder.files(includingState: true)
    let refused = #expect(throws: MigrationError.self) { try run { $0.baseline = .version(1) } }
    #expect(refused?.diagnostic.kind == .conflictsWithData)
    #expect(
      refused?.diagnostic.problem
        == "the data is of version 2, and not 1: people-v2 was done, and it fits version 2")
    #expect(refused?.diagnostic.remedy?.contains("undo people-v2 first") == true)
    #expect(try folder.folder.folder.files(includingState: true) == files)
  }

  @Test(arguments: [true, false])
  func `a run with a baseline that was stopped is finished by the same one`(isOfFiles: Bool) throws
  {
    let plans = [try StepFolder.transforming()]
    func make() throws -> StepFolder {
      isOfFiles ? try StepFolder(files: StepFolder.people, plans) : try StepFolder(plans)
    }
    func run(_ folder: StepFolder, _ faults: FaultPlan?) throws -> SchemaReport {
      isOfFiles
        ? try folder.fileWorkflow(faults: faults) { $0.baseline = .version(1) }.perform()
        : try folder.workflow(faults: faults) { $0.baseline = .version(1) }.perform()
    }
    let counting = FaultPlan(atCall: .max, .stop)
    _ = try run(make(), counting)
    var unfinishedCount = 0
    for call in 1...counting.callCount {
      let folder = try make()
      // How it ends is told by what is there.
      _ = try? run(folder, FaultPlan(atCall: call, .stop))
      let states = try isOfFiles ? folder.fileStates() : folder.states()
      if states == [.applied] { continue }
      if states == [.unfinished] { unfinishedCount += 1 }
      #expect(try run(folder, nil).standings.map(\.state) == [.applied], "call \(call)")
    }
    #expect(unfinishedCount > 0)
  }

  @Test(arguments: [true, false])
  func `the same command with a baseline ends well, wherever it was stopped`(isOfFiles: Bool) throws
  {
    let plans = [try StepFolder.transforming()]
    func make() throws -> StepFolder {
      isOfFiles ? try StepFolder(files: StepFolder.people, plans) : try StepFolder(plans)
    }
    func run(_ folder: StepFolder, _ faults: FaultPlan?, _ version: Int = 1) throws -> SchemaReport
    {
      isOfFiles
        ? try folder.fileWorkflow(faults: faults) { $0.baseline = .version(version) }.perform()
        : try folder.workflow(faults: faults) { $0.baseline = .version(version) }.perform()
    }
    for call in 1... {
      let folder = try make()
      let plan = FaultPlan(atCall: call, .stop)
      // How it ends is told by what is there.
      _ = try? run(folder, plan)
      for _ in 0..<2 {
        let report = try run(folder, nil)
        #expect(report.standings.map(\.state) == [.applied], "call \(call)")
        #expect(!report.endsWithDifferences, "call \(call)")
      }
      let again = try run(folder, nil)
      #expect(again.effects.isEmpty && again.versionAfter == 2)
      if !plan.hasFired { return }
    }
  }

  // MARK: Steps that were only taken as done

  @Test(arguments: [true, false])
  func `what was only taken as done has nothing to undo, which is said`(isOfFiles: Bool) throws {
    let people = """
      {"people": [{"id": "\(StepFolder.ada)", "fullName": "Ada Lovelace"}]}
      """
    let plans = [try StepFolder.transforming()]
    let folder =
      isOfFiles ? try StepFolder(files: people, plans) : try StepFolder(plans, people)
    func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
      isOfFiles ? try folder.runFiles(configure) : try folder.run(configure)
    }
    _ = try run { $0.baseline = .version(2) }
    let files = try folder.folder.folder.files(includingState: true)
    for isDryRun in [true, false] {
      let refused = #expect(throws: MigrationError.self) {
        if !isDryRun { return _ = try run { $0.undone = "people-v2" } }
        _ =
          isOfFiles
          ? try folder.fileWorkflow { $0.undone = "people-v2" }.plan()
          : try folder.workflow { $0.undone = "people-v2" }.plan()
      }
      #expect(refused?.diagnostic.kind == .conflictsWithData)
      #expect(refused?.diagnostic.problem.contains("there is nothing to undo") == true)
      #expect(refused?.diagnostic.problem.contains("only taken as done") == true)
    }
    #expect(try folder.folder.folder.files(includingState: true) == files)
    #expect(try (isOfFiles ? folder.fileStates() : folder.states()) == [.applied])
    // Once it has run for what came as before it, that is undone.
    if isOfFiles {
      let late = people.replacing(
        "[{", with: #"[{"id": "\#(StepFolder.grace)", "firstName": "G"}, {"#)
      try folder.folder.folder.write(late, to: "people.json")
      _ = try run()
      _ = try run { $0.undone = "people-v2" }
      #expect(try folder.folder.folder.bytes("people.json") == Array(late.utf8))
    } else {
      try folder.edit { document in
        let new = try document.putObject(obj: .ROOT, key: StepFolder.grace, ty: .Map)
        try document.put(obj: new, key: "firstName", value: .String("Grace"))
      }
      _ = try run()
      #expect(try run { $0.undone = "people-v2" }.effects.map(\.changedCount) == [1])
      #expect(try folder.entities()[StepFolder.grace] == ["firstName": "\"Grace\""])
    }
  }

  @Test(arguments: [1, 2])
  func `where nothing could be noted no step is taken as done`(version: Int) throws {
    let folder = try StepFolder([StepFolder.transforming()])
    try folder.folder.folder.remove("people.automerge")
    let files = try folder.folder.folder.files(includingState: true)
    for isDryRun in [true, false] {
      let refused = #expect(throws: MigrationError.self) {
        let workflow = try folder.workflow { $0.baseline = .version(version) }
        _ = try isDryRun ? workflow.plan() : workflow.perform()
      }
      #expect(refused?.diagnostic.kind == .conflictsWithData)
      #expect(refused?.diagnostic.problem.contains("no document") == true)
    }
    #expect(try folder.folder.folder.files(includingState: true) == files)
  }

  @Test func `where there is nothing yet a step is not said to be done`() throws {
    let folder = try StepFolder([Self.versionless])
    try folder.folder.folder.remove("people.automerge")
    let report = try folder.run()
    #expect(report.standings.map(\.state) == [.pending])
    #expect(report.standings[0].reason.contains("no document"))
    #expect(try folder.states() == [.pending])
  }

  // MARK: Steps before one that was done

  @Test func `what a step makes once one behind it was done gets that one, too`() throws {
    let made = "00000000-0000-4000-8000-00000000000D"
    let folder = try StepFolder([
      """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "make", "risk": "additive", "create": [
          {"kind": "person", "id": {"convert": {"concatenate": [{"constant": "\(made)"}]}, "to": "uuid"},
           "fields": [{"set": "email", "to": {"constant": "d@x"}}]}]}]}
      """, Self.versionless,
    ])
    try folder.run { $0.plans.removeFirst() }
    try folder.run { ($0.forced, $0.allowsOtherOrder) = (["make"], true) }
    #expect(try folder.entities()[made] == ["email": "\"d@x\""])
    let status = try folder.workflow().status()
    #expect(status.standings.map(\.state) == [.applied, .pending])
    #expect(status.standings[1].reason.hasPrefix("1 entity has come"))
    #expect(try folder.run().effects.map(\.changedCount) == [1])
    #expect(try folder.entities()[made] == ["email": "\"d@x\"", "marked": "true"])
    #expect(try folder.states() == [.applied, .applied])
    // What a step makes after one before it is as after that one.
    let bytes = try folder.documents
    #expect(try folder.run().effects.isEmpty)
    #expect(try folder.documents == bytes)
  }

  @Test func `what is made as before a step that rewrites it is known by its identity`() throws {
    let made = "00000000-0000-4000-8000-00000000000D"
    let folder = try StepFolder([
      """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "make", "risk": "additive", "create": [
          {"kind": "person", "id": {"constant": "\(made)"},
           "fields": [{"set": "email", "to": {"constant": "d@x"}}]}]}]}
      """,
      """
      {"plan": "q", "profile": "people", "steps": [
        {"id": "bang", "risk": "destructive", "entities": {"person": [
          {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
      """,
    ])
    try folder.run { $0.plans.removeFirst() }
    try folder.run { ($0.forced, $0.allowsOtherOrder) = (["make"], true) }
    let status = try folder.workflow().status()
    #expect(status.standings.map(\.state) == [.applied, .pending] && status.findings.isEmpty)
    #expect(try folder.run().effects.map(\.changedCount) == [1])
    #expect(try folder.entities()[made] == ["email": "\"d@x!\""])
    #expect(try folder.states() == [.applied, .applied])
    #expect(try folder.run().effects.isEmpty)
    // So is what it makes anew once it was undone.
    for id: MigrationID in ["bang", "make"] { try folder.undo(id) }
    try folder.run { $0.forced = ["bang"] }
    try folder.run { ($0.forced, $0.allowsOtherOrder) = (["make"], true) }
    #expect(try folder.states() == [.applied, .pending])
    try folder.run()
    #expect(try folder.entities()[made] == ["email": "\"d@x!\""])
    #expect(try folder.states() == [.applied, .applied])
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
