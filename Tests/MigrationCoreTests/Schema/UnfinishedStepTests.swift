import Backups
import Diagnostics
import FileFaults
import Folders
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// What commands say of a folder in which a run of a plan was stopped.
@Suite struct UnfinishedStepTests {
  /// A folder in which some documents, or files, have a step, and others not; nil if a stop at this call
  /// leaves none.
  private static func stopped(
    atCall call: Int, _ make: () throws -> StepFolder,
    _ run: (StepFolder, FaultPlan) throws -> SchemaReport,
    states: (StepFolder) throws -> [StepStanding.State]
  ) throws -> StepFolder? {
    let folder = try make()
    // How it ends is told by what is there.
    _ = try? run(folder, FaultPlan(atCall: call, .stop))
    return try states(folder).contains(.unfinished) ? folder : nil
  }

  private static func documents() throws -> StepFolder? {
    for call in stride(from: 400, to: 1, by: -1) {
      let folder = try stopped(atCall: call, { try StepFolder([StepFolder.transforming()]) }) {
        try $0.workflow(faults: $1).perform()
      } states: {
        try $0.states()
      }
      if let folder, try folder.workflow().plan().documentCount > 0 { return folder }
    }
    return nil
  }

  @Test func `a dry run says how much is finished, and the run says it was`() throws {
    let folder = try #require(try Self.documents())
    let before = try folder.documents
    let planned = try folder.workflow().plan()
    #expect(planned.effects.map(\.isFinishing) == [true])
    #expect(planned.documentCount == 1 && planned.finishedDocumentCount == 1)
    #expect(try folder.documents == before)
    let report = try folder.run()
    #expect(report.effects.map(\.isFinishing) == [true])
    #expect(report.documentCount == 1 && report.isPublished)
    #expect(report.standings.map(\.state) == [.applied])
    #expect(try folder.documents != before)
    #expect(try folder.run().effects.isEmpty)
  }

  @Test func `a backup says what it holds, and where the folder stands nobody says`() throws {
    let folder = try #require(try Self.documents())
    let packed = try folder.folder.packing()
    #expect(packed.archives.count == 1)
    let finding = try #require(packed.findings.first { $0.code == .unfinishedStep })
    #expect(finding.severity == .warning && finding.next?.contains("migrate-schema") == true)
    let context = folder.folder.context()
    let options = VerificationOptions(folder: folder.folder.folder.path)
    let busy = #expect(throws: MigrationError.self) {
      try PlaceStatus.read(options, context: context)
    }
    #expect(busy?.diagnostic.kind == .busy)
    let overview = try OverviewWorkflow(
      OverviewOptions(folder: folder.folder.folder.path), context: context
    ).perform()
    #expect(overview.gaps.map(\.part) == [.standing])
    #expect(overview.gaps.first?.reason.remedy?.contains("migrate-schema") == true)
    // No JSON is there that would be imported, and none is read from it.
    let other = try folder.empty()
    for target in [nil, other.folder.folder.path] {
      let busy = #expect(throws: MigrationError.self) {
        _ = try folder.folder.importing { $0.target = target }
      }
      #expect(busy?.diagnostic.kind == .busy)
    }
    try folder.run()
    #expect(try folder.folder.packing().findings.allSatisfy { $0.code != .unfinishedStep })
    _ = try PlaceStatus.read(options, context: context)
  }

  @Test func `no backup goes while a step is unfinished`() throws {
    let folder = try #require(try Self.documents())
    for _ in 0..<2 { try folder.folder.packing() }
    func prune(isApplying: Bool = true) throws -> BackupReport {
      var options = PackOptions(folder: folder.folder.folder.path)
      options.retention.count = 1
      return try PackWorkflow(options, context: folder.folder.context())
        .prune(isApplying: isApplying)
    }
    for isApplying in [false, true] {
      let report = try prune(isApplying: isApplying)
      #expect(report.archives.count > 2)
      #expect(report.archives.allSatisfy { $0.outcome != .dropped })
      #expect(report.archives.contains { $0.keptBy == [.unfinishedStep] })
      let finding = try #require(report.findings.first { $0.code == .kept })
      #expect(
        finding.message.contains("unfinished") && finding.next?.contains("migrate-schema") == true)
    }
    try folder.run()
    #expect(try prune().archives.contains { $0.outcome == .dropped })
  }

  @Test func `in files a dry run tells what is done again`() throws {
    func make() throws -> StepFolder {
      try StepFolder(files: StepFolder.people, [StepFolder.transforming()])
    }
    let whole = try make()
    let expected = try whole.fileWorkflow().plan()
    #expect(expected.documentCount == 1 && expected.effects.map(\.changedCount) == [2])
    var count = 0
    for call in 1...400 {
      let folder = try Self.stopped(atCall: call, make) {
        try $0.fileWorkflow(faults: $1).perform()
      } states: {
        try $0.fileStates()
      }
      guard let folder else { continue }
      let before = try folder.folder.folder.files(includingState: true)
      let planned = try folder.fileWorkflow().plan()
      #expect(try folder.folder.folder.files(includingState: true) == before)
      let report = try folder.runFiles()
      #expect(planned.effects == report.effects, "call \(call)")
      #expect(planned.documentCount == report.documentCount, "call \(call)")
      if report.documentCount > 0 {
        count += 1
        #expect(planned.changes == expected.changes, "call \(call)")
      }
    }
    #expect(count > 1)
  }

  /// A step that changes what it has changed once more.
  private static let bang = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "bang", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
    """

  /// A folder whose file a run has changed that was stopped then, with the file after a whole run.
  private static func changed(_ plan: String) throws -> (folder: StepFolder, after: [UInt8]) {
    func make() throws -> StepFolder { try StepFolder(files: StepFolder.people, [plan]) }
    let whole = try make()
    try whole.runFiles()
    let after = try whole.folder.folder.bytes("people.json")
    for call in 1...400 {
      let folder = try stopped(atCall: call, make) {
        try $0.fileWorkflow(faults: $1).perform()
      } states: {
        try $0.fileStates()
      }
      guard let folder, try folder.folder.folder.bytes("people.json") == after,
        try FileStepStorage(
          FolderAccess.open(folder.folder.folder.path, context: folder.folder.context()),
          context: folder.folder.context()
        ).records().isEmpty
      else { continue }
      return (folder, after)
    }
    throw FileError.missing(path: "a call that leaves it so")
  }

  @Test func `in files nothing is ended while a file is not downloaded`() throws {
    let (folder, after) = try Self.changed(Self.bang)
    try folder.folder.folder.remove("people.json")
    try folder.folder.folder.write("", to: ".people.json.icloud")
    let files = try folder.folder.folder.files(includingState: true)
    let status = try folder.fileWorkflow().status()
    #expect(status.standings.map(\.state) == [.unfinished])
    #expect(
      status.findings.contains { $0.code == .placeholder && $0.message.contains("stopped") })
    let refused = #expect(throws: MigrationError.self) { try folder.runFiles() }
    #expect(refused?.diagnostic.subject == "people.json")
    #expect(refused?.diagnostic.remedy?.contains("download it") == true)
    #expect(try folder.folder.folder.files(includingState: true) == files)
    try folder.folder.folder.remove(".people.json.icloud")
    try folder.folder.folder.write(after, to: "people.json")
    try folder.runFiles()
    #expect(try folder.folder.folder.bytes("people.json") == after)
    try folder.runFiles { $0.undone = "bang" }
    #expect(try folder.folder.folder.bytes("people.json") == Array(StepFolder.people.utf8))
  }

  @Test(arguments: [true, false])
  func `a file that was away when a run was ended gets the step once`(hasVersions: Bool) throws {
    let plan = hasVersions ? try StepFolder.transforming() : Self.bang
    let (folder, after) = try Self.changed(plan)
    try folder.folder.folder.remove("people.json")
    #expect(try folder.fileStates() == [.unfinished])
    _ = try folder.runFiles()
    #expect(!folder.folder.folder.exists("people.json"))
    try folder.folder.folder.write(after, to: "people.json")
    #expect(try folder.fileStates() == [.unfinished])
    let planned = try folder.fileWorkflow().plan()
    #expect(planned.effects.map(\.changedCount) == [2])
    let report = try folder.runFiles()
    #expect(report.effects.map(\.changedCount) == [2])
    #expect(try folder.folder.folder.bytes("people.json") == after)
    #expect(try folder.fileStates() == [.applied])
    #expect(try folder.runFiles().effects.isEmpty)
    try folder.runFiles { $0.undone = hasVersions ? "people-v2" : "bang" }
    #expect(try folder.folder.folder.bytes("people.json") == Array(StepFolder.people.utf8))
    #expect(try folder.fileStates() == [.undone])
  }

  @Test func `in files an undoing that was stopped is told when it is finished`() throws {
    func make() throws -> StepFolder {
      let folder = try StepFolder(files: StepFolder.people, [StepFolder.transforming()])
      try folder.runFiles()
      return folder
    }
    var count = 0
    for call in 1...400 {
      let folder = try Self.stopped(atCall: call, make) { folder, faults in
        try folder.fileWorkflow(faults: faults) { $0.undone = "people-v2" }.perform()
      } states: {
        try $0.fileStates()
      }
      guard let folder else { continue }
      let planned = try folder.fileWorkflow().plan()
      let report = try folder.runFiles()
      #expect(planned.documentCount == report.documentCount, "call \(call)")
      #expect(report.standings.map(\.state) == [.undone])
      if report.documentCount == 1 {
        count += 1
        #expect(planned.effects.map(\.isFinishing) == [true])
        #expect(report.effects.map(\.isFinishing) == [true])
      }
    }
    #expect(count > 0)
  }
}
