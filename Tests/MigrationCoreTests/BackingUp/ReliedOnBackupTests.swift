import Backups
import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// Who relies on a backup and who drops one exclude each other, at every instant at which the one can
/// come between two steps of the other.
@Suite struct ReliedOnBackupTests {
  /// A folder with JSON in quarantine that one backup holds, older than another one.
  private func cleaned() throws -> (folder: TestFolder, relied: String) {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    try folder.importing()
    // A newer one has legacy files, too: nothing but the purge speaks for this one.
    let relied = try folder.packing().archives[0].path
    try folder.cleaning(backup: relied)
    try folder.write(Legacy.record(3), to: "records/2024/02/c.json")
    try folder.importing()
    try folder.packing()
    return (folder, relied)
  }

  private func purge(_ folder: TestFolder, _ backup: String, _ plan: FaultPlan? = nil) throws {
    let options = PurgeOptions(folder: folder.path, backup: backup, minimumAgeSeconds: 0)
    _ = try PurgeWorkflow(options, context: TestFolder.context(faults: plan)).perform()
  }

  private func prune(_ folder: TestFolder, _ plan: FaultPlan? = nil) throws {
    var options = PackOptions(folder: folder.path)
    options.retention.count = 1
    _ = try PackWorkflow(options, context: TestFolder.context(faults: plan))
      .prune(isApplying: true)
  }

  /// The JSON is in quarantine, or in the backup, and no mark is there without its backup.
  private func check(_ folder: TestFolder, _ relied: String, _ comment: Comment) throws {
    let isHeld = FileManager.default.fileExists(atPath: relied)
    let quarantined = try quarantined(folder)
    #expect(isHeld || quarantined.count == 2, comment)
    #expect(isHeld || !FileManager.default.fileExists(atPath: relied + ".keep"), comment)
  }

  private func quarantined(_ folder: TestFolder) throws -> [String] {
    try folder.files(includingState: true).keys
      .filter { $0.contains("/quarantine/") && $0.hasSuffix(".json") }
  }

  @Test(arguments: [FaultPlan.Calls.changing, .looking])
  func `a purge that comes between two steps of a retention loses nothing`(
    calls: FaultPlan.Calls
  ) throws {
    for call in 1... {
      let (folder, relied) = try cleaned()
      let plan = FaultPlan(beforeCall: call, calls: calls) {
        // Either is told to wait or to try again, or both get along.
        try? purge(folder, relied)
      }
      try? prune(folder, plan)
      try check(folder, relied, "call \(call)")
      guard plan.hasFired else {
        #expect(call > (calls == .changing ? 1 : 20))
        break
      }
    }
  }

  @Test(arguments: [FaultPlan.Calls.changing, .looking])
  func `a retention that comes between two steps of a purge loses nothing`(
    calls: FaultPlan.Calls
  ) throws {
    for call in 1... {
      let (folder, relied) = try cleaned()
      let plan = FaultPlan(beforeCall: call, calls: calls) { try? prune(folder) }
      try? purge(folder, relied, plan)
      try check(folder, relied, "call \(call)")
      guard plan.hasFired else {
        #expect(call > 10)
        break
      }
    }
  }

  @Test(arguments: ["deleted", "truncated", "replaced"])
  func `a backup that goes while a purge runs ends it before the next file goes`(
    damage: String
  ) throws {
    for call in 1... {
      let (folder, relied) = try cleaned()
      let before = Box<Int>(2)
      let plan = FaultPlan(beforeCall: call, calls: .looking) {
        before.value = (try? quarantined(folder).count) ?? 0
        Self.spoil(relied, damage)
      }
      let isDone = (try? purge(folder, relied, plan)) != nil
      let left = try quarantined(folder).count
      guard plan.hasFired else { break }
      // What was asked last before it happened may go; nothing after it.
      #expect(left >= before.value - 1, "call \(call)")
      #expect(!isDone || left == 0 && before.value <= 1, "call \(call)")
    }
  }

  @Test(arguments: ["deleted", "truncated", "replaced"])
  func `a backup that goes while a clean-up waits for the lock lets nothing move`(
    damage: String
  ) throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    let backup = try folder.packing().archives[0].path
    let before = try folder.files()
    for call in 1...4 {
      let plan = FaultPlan(beforeCall: call, calls: .looking) { Self.spoil(backup, damage) }
      #expect(throws: MigrationError.self, "call \(call)") {
        _ = try folder.cleaning(backup: backup, faults: plan)
      }
      #expect(try folder.files() == before, "call \(call)")
    }
  }

  @Test func `a backup that another command relies on is kept, with a word about it`() throws {
    let (folder, relied) = try cleaned()
    let held = try BackupArchive(path: relied).verify()
    var options = PackOptions(folder: folder.path)
    options.retention.count = 1
    let workflow = PackWorkflow(options, context: TestFolder.context())
    let report = try workflow.prune(isApplying: true)
    #expect(report.archives.map(\.outcome) == [.kept, .kept])
    #expect(report.findings.map(\.code) == [.kept])
    #expect(!report.endsWithDifferences)
    withExtendedLifetime(held) {}
  }

  @Test func `what a mark that was interrupted left is swept by the next one`() throws {
    let (folder, relied) = try cleaned()
    let name = URL(filePath: relied).lastPathComponent
    let place = URL(filePath: relied).deletingLastPathComponent()
    let debris = place.appending(path: ".\(name).keep.0123456789abcdef.tmp.nosync").path
    for sweep in [{ try purge(folder, relied) }, { _ = try folder.packing() }] {
      try Data("x".utf8).write(to: URL(filePath: debris))
      try sweep()
      #expect(!FileManager.default.fileExists(atPath: debris))
    }
  }

  private static func spoil(_ path: String, _ damage: String) {
    let url = URL(filePath: path)
    switch damage {
    case "deleted": try? FileManager.default.removeItem(at: url)
    case "truncated":
      let file = try? FileHandle(forWritingTo: url)
      try? file?.truncate(atOffset: 512)
    default: try? Data("another".utf8).write(to: url, options: .atomic)
    }
  }
}
