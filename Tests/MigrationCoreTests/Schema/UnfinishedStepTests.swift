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
    try folder.run()
    #expect(try folder.folder.packing().findings.allSatisfy { $0.code != .unfinishedStep })
    _ = try PlaceStatus.read(options, context: context)
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
