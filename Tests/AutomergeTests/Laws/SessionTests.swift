import Automerge
import Foundation
import Testing

/// Random sessions of several actors: whatever they do, the engine reads what the model reads, and
/// the laws of merging, saving and remembering hold.
@Suite struct SessionTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let sessionsPerBatch: UInt64 = 500

  private func expectHolds(_ run: SessionRun) throws {
    if let report = try run.report() { Issue.record("\(report)") }
  }

  @Test(arguments: UInt64(0)..<20)
  func `what actors do together is what the model says`(seed: UInt64) throws {
    try expectHolds(SessionRun(seed: seed))
  }

  @Test(arguments: UInt64(0)..<2)
  func `a long session is what the model says`(seed: UInt64) throws {
    try expectHolds(SessionRun(seed: seed, size: .medium))
  }

  @Test func `a session that nobody has seen is what the model says`() throws {
    let seed = UInt64.random(in: 1_000_000...UInt64.max)
    print("session seed \(seed)")
    try expectHolds(SessionRun(seed: seed))
  }

  @Test(
    .enabled(
      if: environment["AUTOMERGE_MIGRATE_SESSION"] != nil, "set AUTOMERGE_MIGRATE_SESSION=SEED"))
  func `the session that was asked for is what the model says`() throws {
    var run = SessionRun(
      seed: try #require(Self.environment["AUTOMERGE_MIGRATE_SESSION"].flatMap { UInt64($0) }))
    run.isTold = true
    try expectHolds(run)
  }

  @Test(
    .enabled(
      if: environment["AUTOMERGE_MIGRATE_SLOW"] != nil, "set AUTOMERGE_MIGRATE_SLOW=1"))
  func `one hundred thousand sessions are what the model says`() async {
    let batches = 100_000 / Self.sessionsPerBatch
    let lanes = UInt64(max(1, ProcessInfo.processInfo.activeProcessorCount))
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<lanes {
        group.addTask {
          for batch in 0..<batches where batch % lanes == lane { await self.run(batch) }
        }
      }
    }
  }

  /// Plays a batch in a process of its own, which a trap ends; the seed it was at stays behind.
  private func run(_ batch: UInt64) async {
    let file = Self.seedFile(batch)
    await #expect(
      processExitsWith: .success, "batch \(batch); the seed that did it is in \(file.path())"
    ) { [batch] in
      let first = batch * SessionTests.sessionsPerBatch
      var reports = 0
      for seed in first..<first + SessionTests.sessionsPerBatch {
        try Data("\(seed)\n".utf8).write(to: SessionTests.seedFile(batch))
        // A session that hangs is ended by the signal, which the parent reports like a trap.
        alarm(120)
        guard let report = try SessionRun(seed: seed).report() else { continue }
        Issue.record("\(report)")
        reports += 1
        // A defect that every session meets would fill the report.
        if reports == 3 { exit(EXIT_FAILURE) }
      }
      if reports > 0 { exit(EXIT_FAILURE) }
      try FileManager.default.removeItem(at: SessionTests.seedFile(batch))
    }
  }

  static func seedFile(_ batch: UInt64) -> URL {
    FileManager.default.temporaryDirectory
      .appending(path: "automerge-migrate-session-\(ProcessInfo.processInfo.userName)-\(batch)")
  }
}
