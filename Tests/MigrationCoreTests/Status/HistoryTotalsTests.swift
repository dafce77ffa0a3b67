import Testing

@testable import MigrationCore

/// What the runs of a history add up to.
@Suite struct HistoryTotalsTests {
  private func report(_ lines: String...) throws -> HistoryReport {
    let folder = try TestFolder()
    let text = lines.enumerated().map { number, line in
      #"{"schema":"automerge-migrate/history","version":1,"run":"\#(number)",\#(line)}"#
    }.joined(separator: "\n")
    try folder.write(text + "\n", to: ".automerge-migrate.nosync/history.jsonl")
    return try HistoryWorkflow(folder: folder.path, context: TestFolder.context()).perform()
  }

  private static let imported = #""summary":{"tags":{"imported":2},"records":{"imported":3}}"#

  @Test func `runs that came to their end count`() throws {
    let report = try report(
      #""status":"done","# + Self.imported, #""status":"differs","summary":{"moved":4}"#,
      #""status":"differs","summary":{"purged":1}"#)
    #expect(report.entitiesImported == 5)
    #expect(report.total("moved") == 4)
    #expect(report.total("purged") == 1)
  }

  @Test(arguments: ["failed", "interrupted", "running", "planned", ""])
  func `what a run was stopped in the middle of does not count`(status: String) throws {
    let report = try report(
      #""status":"\#(status)","# + Self.imported, #""status":"\#(status)","summary":{"moved":4}"#)
    #expect(report.runs.count == 2)
    #expect(report.entitiesImported == 0 && report.total("moved") == 0)
  }

  @Test func `plans do not count`() throws {
    let report = try report(
      #""status":"done","dryRun":true,"# + Self.imported,
      #""status":"done","summary":{"dryRun":true,"moved":4,"purged":2}"#)
    #expect(report.entitiesImported == 0)
    #expect(report.total("moved") == 0 && report.total("purged") == 0)
  }
}
