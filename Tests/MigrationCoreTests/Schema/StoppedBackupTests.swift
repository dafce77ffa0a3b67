import Diagnostics
import FileFaults
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Backups of folders in which a run of a step over JSON files was stopped: they hold what the files were.
@Suite struct StoppedBackupTests {
  private static let ask = """
    {"plan": "q", "profile": "pc", "steps": [
      {"id": "ask", "risk": "transformative", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "?"}]}}]}}]}
    """

  /// Folders in which a run was stopped at each of its calls, as long as it has left something unfinished.
  private static func forEachStopped(
    _ plan: String, undoing step: MigrationID? = nil,
    _ body: (CardFolder, Int) throws -> Void
  ) throws {
    var count = 0
    for call in 1... {
      let folder = try CardFolder(plan)
      if step != nil { try folder.run() }
      let faults = FaultPlan(atCall: call, .stop)
      // How it ends is told by what is there.
      _ = try? folder.workflow(faults: faults) { $0.undone = step }.perform()
      if try folder.states().contains(.unfinished) {
        count += 1
        try body(folder, call)
      }
      if !faults.hasFired { break }
    }
    #expect(count > 2)
  }

  /// The files of the app.
  private static func files(_ folder: CardFolder) throws -> [String: [UInt8]] {
    try folder.folder.folder.files().filter { $0.key.hasSuffix(".json") }
  }

  /// Another folder, restored from a backup of one.
  private static func restored(_ folder: CardFolder, _ plan: String) throws -> CardFolder {
    let report = try folder.folder.packing()
    let finding = report.findings.first { $0.code == .unfinishedStep }
    #expect(finding?.severity == .info || finding == nil)
    let other = CardFolder(folder.plan, in: try ProfiledFolder(folder.folder.profile))
    try other.folder.restoring(#require(report.archives.first?.path))
    return other
  }

  @Test(arguments: [CardFolder.bang, CardFolder.cardsOfAnyVersion])
  func `restored, it gets the step once`(plan: String) throws {
    let before = try Self.files(CardFolder(plan))
    let whole = try CardFolder(plan)
    try whole.run()
    let after = try Self.files(whole)
    try Self.forEachStopped(plan) { folder, call in
      let other = try Self.restored(folder, plan)
      let files = try Self.files(other)
      if plan == CardFolder.bang {
        #expect(files == before || files == after, "call \(call)")
      }
      try other.run()
      #expect(try Self.files(other) == after, "call \(call)")
      #expect(try other.states().allSatisfy { $0 == .applied }, "call \(call)")
      // So does the folder itself, of whose backups none holds half of the step.
      try folder.run()
      #expect(try Self.files(folder) == after, "call \(call)")
      for item in try folder.folder.packing().archives + folder.backups() {
        try other.folder.restoring(item.path)
        let files = try Self.files(other)
        if plan == CardFolder.bang {
          #expect(files == before || files == after, "call \(call)")
        }
      }
    }
  }

  @Test func `of an undoing that was stopped it holds what is undone`() throws {
    let plan = CardFolder.bang
    let before = try Self.files(CardFolder(plan))
    try Self.forEachStopped(plan, undoing: "bang") { folder, call in
      let other = try Self.restored(folder, plan)
      #expect(try Self.files(other) == before, "call \(call)")
      #expect(try other.states() == [.undone], "call \(call)")
    }
  }

  @Test func `what a stopped step finds done by another one is noted of that`() throws {
    let whole = try CardFolder(CardFolder.bang)
    try whole.run()
    let before = try Self.files(whole)
    var count = 0
    for call in 1... {
      let folder = try CardFolder(CardFolder.bang)
      try folder.run()
      let next = try folder.following(Self.ask)
      let faults = FaultPlan(atCall: call, .stop)
      // How it ends is told by what is there.
      _ = try? next.workflow(faults: faults).perform()
      if try next.states().contains(.unfinished), try Self.files(folder) != before {
        count += 1
        let other = try Self.restored(folder, CardFolder.bang)
        let files = try Self.files(other)
        #expect(try other.states().first == .applied, "call \(call)")
        if try other.following(Self.ask).states().first == .pending {
          #expect(files == before, "call \(call)")
        }
      }
      if !faults.hasFired { break }
    }
    #expect(count > 1)
  }

  @Test func `a file that was written since is told, and lies in it as it is`() throws {
    var count = 0
    try Self.forEachStopped(CardFolder.bang) { folder, call in
      guard try folder.text("people/1.json").contains("!"),
        try !folder.folder.folder.files(includingState: true).keys.contains(where: {
          $0.hasSuffix("schema.jsonl")
        })
      else { return }
      count += 1
      try folder.write(CardFolder.person(1, "!", n: 9), to: "people/1.json")
      let report = try folder.folder.packing()
      let finding = try #require(report.findings.first { $0.code == .unfinishedStep })
      #expect(finding.severity == .warning && finding.next?.contains("migrate-schema") == true)
    }
    #expect(count > 0)
  }
}

extension CardFolder {
  /// The backups that runs have made.
  fileprivate func backups() throws -> [BackupReport.Archive] {
    try PackWorkflow(PackOptions(folder: folder.folder.path), context: folder.context())
      .list(isVerifying: true).archives
  }
}
