import Diagnostics
import Folders
import SafeFiles
import Synchronization
import Testing

@testable import MigrationCore
@testable import Runs

/// Files that an app or a sync service takes away or rewrites between two looks of one run.
@Suite struct MovingFileTests {
  /// What happens to a file once it was read for the first time.
  enum Disturbance: String, CaseIterable {
    case gone, rewritten

    func perform(_ folder: TestFolder, _ path: String) {
      switch self {
      case .gone: #expect(throws: Never.self) { try folder.remove(path) }
      case .rewritten:
        #expect(throws: Never.self) { try folder.write(Legacy.record(7), to: path) }
      }
    }
  }

  /// A context in which a file is disturbed after the first item of a phase.
  private func context(
    _ phase: RunProgress.Phase, _ body: @escaping @Sendable () -> Void
  ) -> RunContext {
    let isDone = Mutex(false)
    var context = TestFolder.context(workers: 1)
    context.reportProgress = { progress in
      let isFirst = isDone.withLock { isDone in
        defer { isDone = isDone || progress.phase == phase }
        return !isDone && progress.phase == phase
      }
      if isFirst { body() }
    }
    return context
  }

  @Test(arguments: Disturbance.allCases)
  func `a record in no document whose file moves is not proven`(disturbance: Disturbance) throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    let path = "records/2024/01/b.json"
    try folder.write(Legacy.record(2), to: path)
    let report = try VerificationWorkflow(
      VerificationOptions(folder: folder.path),
      context: context(.verifying) { disturbance.perform(folder, path) }
    ).perform()
    #expect(report.findings.map(\.code) == [.changedWhileRead], "\(report.findings)")
    #expect(report.findings.map(\.path) == [path])
    #expect(!report.isSound)
    #expect(report.counts.map(\.reference) == [2])
    #expect(report.counts.map(\.proven) == [1])
    #expect(report.counts.map(\.equal) == [1])
  }

  @Test(arguments: Disturbance.allCases)
  func `an update tells of a file that moves while it runs`(disturbance: Disturbance) throws {
    let folder = try TestFolder()
    let path = "records/2024/01/a.json"
    try folder.write(Legacy.record(1, "\"comment\":\"old\""), to: path)
    try folder.importing()
    try folder.write(Legacy.record(1, "\"comment\":\"new\""), to: path)
    var options = ImportOptions(source: .folder(path: folder.path))
    options.updates = true
    let report = try ImportWorkflow(
      options, context: context(.converting) { disturbance.perform(folder, path) }
    ).perform()
    #expect(report.findings.map(\.code) == [.changedWhileRead], "\(report.findings)")
    #expect(report.findings.map(\.path) == [path])
    #expect(report.records.updated == 0)
  }
}
