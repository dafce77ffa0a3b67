import Diagnostics
import FileFaults
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs

/// The directory beside a folder in which a rollback works.
@Suite struct RollbackWorkTests {
  private func workflow(
    _ folder: TestFolder, _ backup: String, _ faults: FaultPlan? = nil
  ) throws -> RollbackWorkflow {
    try RollbackWorkflow(
      RollbackOptions(folder: folder.path, backup: backup),
      context: TestFolder.context(faults: faults))
  }

  /// A folder with documents beside which the next content is whole.
  private func settled() throws -> (folder: TestFolder, backup: String) {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/2024-01-15_093000.json")
    let backup = try folder.packing().archives[0].path
    try folder.importing()
    var workflow = try workflow(folder, backup)
    try workflow.begin()
    try folder.write("{}", to: "../Minuta-rollback.nosync/next/tags.json")
    try folder.write("{}", to: "../Minuta-rollback.nosync/json/tags.json")
    try workflow.perform(.settle(replacing: backup))
    return (folder, backup)
  }

  /// Removes the work as a run does in the end, with a call that fails, and tells whether that is told.
  private func isTold(
    _ plan: FaultPlan, _ folder: TestFolder, _ backup: String
  ) throws -> Bool {
    var workflow = try workflow(folder, backup, plan)
    try workflow.claim()
    var report = try workflow.report(on: workflow.look())
    #expect(report.backup == backup)
    guard workflow.removeContent(telling: &report) else {
      #expect(report.endsWithDifferences && report.findings.map(\.code) == [.kept])
      return true
    }
    #expect(report.findings.isEmpty)
    do { try workflow.removeWork() } catch { return true }
    return false
  }

  @Test func `work that cannot be removed is an error, and goes with the next run`() throws {
    var call = 1
    while true {
      let (folder, backup) = try settled()
      let plan = FaultPlan(atCall: call, .failure(EIO))
      let isTold = try isTold(plan, folder, backup)
      #expect(isTold == plan.hasFired, "call \(call)")
      #expect(isTold || !folder.exists("../Minuta-rollback.nosync"), "call \(call)")
      guard plan.hasFired else { break }
      var next = try workflow(folder, backup)
      try next.claim()
      try next.removeWork()
      #expect(!folder.exists("../Minuta-rollback.nosync"), "call \(call)")
      call += 1
    }
    #expect(call > 5)
  }
}
