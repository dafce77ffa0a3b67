import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct CleanUpTests {
  /// A sample that is imported and backed up.
  static func migrated(recordCount: Int = 60) throws -> (folder: TestFolder, backup: String) {
    let folder = try TestFolder()
    try folder.makeSample {
      $0.recordCount = recordCount
      $0.monthCount = 3
    }
    try folder.importing()
    return (folder, try folder.packing().archives[0].path)
  }

  @Test func `what documents and a backup hold moves to quarantine, nothing else does`() throws {
    let (folder, backup) = try Self.migrated()
    let before = try folder.files()
    let plan = try folder.cleaning(backup: backup, isDryRun: true)
    #expect(try folder.files() == before)
    let report = try folder.cleaning(backup: backup)
    #expect(report.files == plan.files)
    #expect(report.files.count { $0.outcome == .moved } == 61)
    #expect(!report.endsWithDifferences)

    let after = try folder.files()
    let legacy = before.filter { $0.key.hasSuffix(".json") }
    #expect(after == before.filter { !$0.key.hasSuffix(".json") })
    for (name, bytes) in legacy {
      #expect(try folder.bytes("\(report.quarantine)/\(name)") == bytes)
    }
    let verified = try folder.verifying()
    #expect(verified.reference == "quarantine")
    #expect(verified.isSound)
    #expect(verified.counts.map(\.proven).reduce(0, +) == 72)
  }

  @Test func `a second clean-up finds nothing to do`() throws {
    let (folder, backup) = try Self.migrated()
    try folder.cleaning(backup: backup)
    let before = try folder.files(includingState: true)
    let report = try folder.cleaning(backup: backup)
    #expect(report.files.isEmpty)
    #expect(try folder.files(includingState: true) == before)
  }

  @Test func `without a backup nothing moves`() throws {
    let (folder, _) = try Self.migrated()
    let before = try folder.files()
    #expect { _ = try folder.cleaning(backup: nil) } throws: { error in
      (error as? MigrationError)?.diagnostic.kind == .usage
    }
    #expect(try folder.files() == before)
  }

  @Test func `a damaged backup moves nothing`() throws {
    let (folder, backup) = try Self.migrated()
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: backup)))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(filePath: backup))
    let before = try folder.files()
    #expect { _ = try folder.cleaning(backup: backup) } throws: { error in
      (error as? MigrationError)?.diagnostic.kind == .damagedInput
    }
    #expect(try folder.files() == before)
  }

  @Test func `a file that changed after the backup stays`() throws {
    let (folder, backup) = try Self.migrated()
    let name = try #require(
      try folder.files().keys.filter { $0.hasPrefix("records") && $0.hasSuffix(".json") }.min())
    // Another spelling of the same entity: still proven, but not the bytes of the backup.
    try folder.write(folder.bytes(name) + [0x0a], to: name)
    let report = try folder.cleaning(backup: backup)
    #expect(report.files.filter { $0.outcome == .kept }.map(\.path) == [name])
    #expect(report.endsWithDifferences)
    #expect(folder.exists(name))
  }

  @Test func `a file whose record changed after the import stays`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1, "\"comment\":\"old\""), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    try folder.importing()
    try folder.write(Legacy.record(1, "\"comment\":\"new\""), to: "records/2024/01/a.json")
    let backup = try folder.packing().archives[0].path
    let report = try folder.cleaning(backup: backup)
    #expect(report.files.map(\.outcome) == [.kept, .moved])
    #expect(report.findings.contains { $0.code == .diverged })
  }

  @Test func `damaged files, unknown members and foreign files stay`() throws {
    let folder = try TestFolder()
    try folder.write("{\"tags\":[\(Legacy.tag(1))],\"version\":3}", to: "tags.json")
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write("{\"id\":", to: "records/2024/01/broken.json")
    try folder.write(
      "{\"id\":\"\(Legacy.id(5))\",\"startTime\":5}", to: "records/2024/01/numeric.json")
    try folder.write("{}", to: "notes/other.json")
    try folder.write([1, 2], to: "records/2024/01/a.jpg")
    try folder.importing()
    let backup = try folder.packing().archives[0].path
    let report = try folder.cleaning(backup: backup)
    #expect(
      report.files.filter { $0.outcome == .kept }.map(\.path) == [
        "records/2024/01/broken.json", "records/2024/01/numeric.json", "tags.json",
      ])
    #expect(
      report.files.filter { $0.outcome == .moved }.map(\.path) == ["records/2024/01/a.json"])
    #expect(folder.exists("notes/other.json"))
    #expect(folder.exists("records/2024/01/a.jpg"))
  }

  @Test func `a clean-up that dies anywhere is completed by the next one`() throws {
    let (origin, _) = try Self.migrated(recordCount: 6)
    let legacy = try origin.files().filter { $0.key.hasSuffix(".json") }
    var call = 1
    while true {
      let folder = try TestFolder()
      try origin.copy(to: folder)
      let backup = try folder.packing().archives[0].path
      let faults = FaultPlan(atCall: call, .stop)
      _ = try? folder.cleaning(backup: backup, faults: faults)
      // Every legacy file is in exactly one place, with its bytes.
      let now = try folder.files(includingState: true)
      for (name, bytes) in legacy {
        let places = now.filter { $0.key == name || $0.key.hasSuffix("Z/\(name)") }
        #expect(places.values.map { $0 } == [bytes], "call \(call): \(name) in \(places.keys)")
      }
      let report = try folder.cleaning(backup: backup)
      #expect(!report.endsWithDifferences, "call \(call)")
      #expect(try folder.files().keys.filter { $0.hasSuffix(".json") } == [], "call \(call)")
      #expect(try folder.verifying().isSound, "call \(call)")
      if !faults.hasFired { break }
      call += 1
    }
    #expect(call > 10)
  }

  @Test(arguments: [[300, 300, 300], [40]])
  func `an error that ends a clean-up says where the files are that had moved`(
    counts: [Int]
  ) throws {
    let origin = try TestFolder()
    var number = 0
    for (month, count) in counts.enumerated() {
      for _ in 0..<count {
        number += 1
        try origin.write(
          Legacy.record(number, start: "2024-0\(month + 1)-05T10:00:00Z"),
          to: "records/2024/0\(month + 1)/\(number).json")
      }
    }
    try origin.importing()
    try origin.packing()
    let tree = try origin.storedTree()
    func run(_ call: Int) throws -> (TestFolder, MigrationError?, FaultPlan) {
      let folder = try TestFolder(tree)
      let plan = FaultPlan(atCall: call, .failure(EIO))
      let backup = try folder.newestBackup()
      do {
        try folder.cleaning(backup: backup, faults: plan)
        return (folder, nil, plan)
      } catch let error as MigrationError {
        return (folder, error, plan)
      }
    }
    let count = try run(.max).2.callCount
    var told = 0
    for call in stride(from: count / 2, through: count, by: max(1, count / 60)) {
      let (folder, error, _) = try run(call)
      guard let error else { continue }
      let diagnostic = error.diagnostic
      if try folder.requireToldMoves(of: origin, in: diagnostic, "call \(call)") { told += 1 }
      #expect(diagnostic.kind == .inputOutput, "call \(call): \(diagnostic)")
    }
    #expect(told > 0)
  }

  @Test func `a purge unlinks what a backup holds and nothing younger`() throws {
    let (folder, backup) = try Self.migrated(recordCount: 6)
    try folder.cleaning(backup: backup)
    #expect(try folder.purging(backup: backup, age: 3600).files.isEmpty)
    let other = try TestFolder()
    try other.write("x", to: "y.txt")
    let useless = try other.packing().archives[0].path
    let kept = try folder.purging(backup: useless, age: 0)
    #expect(kept.files.allSatisfy { $0.outcome == .kept })
    let plan = try folder.purging(backup: backup, age: 0, isDryRun: true)
    #expect(plan.files.count == 7)
    let report = try folder.purging(backup: backup, age: 0)
    #expect(report.files.map(\.outcome) == Array(repeating: .purged, count: 7))
    #expect(
      try folder.files(includingState: true).keys.filter { $0.contains("quarantine") } == [])
  }
}

extension CleanUpTests {
  @Test func `what an earlier migration left in quarantine says nothing about later content`()
    throws
  {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1, "\"comment\":\"first\""), to: "records/2024/01/a.json")
    try folder.importing()
    try folder.cleaning(backup: folder.packing().archives[0].path)
    // The migration is rolled back, the app changes the record, and it is migrated again.
    try folder.remove("records/2024/01.automerge")
    try folder.write(Legacy.record(1, "\"comment\":\"second\""), to: "records/2024/01/a.json")
    try folder.importing()
    #expect(try folder.verifying().isSound)
    let report = try folder.cleaning(backup: folder.packing().archives[0].path)
    #expect(report.files.map(\.outcome) == [.moved])
    let verified = try folder.verifying()
    #expect(verified.isSound)
    #expect(verified.counts.map(\.reference) == [1])
  }
}

extension CleanUpTests {
  @Test func `a purge reaches what restores have set aside`() throws {
    let (folder, backup) = try Self.migrated(recordCount: 3)
    try folder.cleaning(backup: backup)
    let cleaned = try folder.files()
    let today = try folder.packing().archives[0].path
    // The restore sets content and quarantine aside, and somebody's file that no backup holds.
    try folder.write("mine", to: "later.txt")
    var options = RestoreOptions(backup: backup, folder: folder.path)
    try folder.packing()
    options.replaced = try folder.newestBackup()
    let restored = try RestoreWorkflow(options, context: TestFolder.context()).perform()
    #expect(restored.setAside.hasSuffix("/old"))
    let run = restored.setAside.dropLast("old".count)
    #expect(
      try folder.files(includingState: true).keys.contains { $0.hasPrefix("\(run)quarantine/") })

    #expect(try folder.purging(backup: today, age: 3600).files.isEmpty)
    let before = try folder.files(includingState: true)
    let plan = try folder.purging(backup: today, age: 0, isDryRun: true)
    #expect(try folder.files(includingState: true) == before)
    let first = try folder.purging(backup: today, age: 0)
    #expect(first.files == plan.files)
    for path in cleaned.keys {
      #expect(first.files.contains { $0.path == "\(run)old/\(path)" && $0.outcome == .purged })
      #expect(!folder.exists("\(run)old/\(path)"))
    }
    #expect(try folder.bytes("\(run)old/later.txt") == Array("mine".utf8))
    #expect(first.findings.contains { $0.path == "\(run)old/later.txt" && $0.code == .kept })
    let second = try folder.purging(backup: backup, age: 0)
    #expect(second.files.count { $0.outcome == .purged } == 4)
    try folder.purging(backup: folder.newestBackup(), age: 0)
    #expect(!folder.exists(String(run.dropLast())))
    #expect(!(try folder.restoring(backup).endsWithDifferences))
  }

  @Test func `the run of a restore that has just begun is left alone`() throws {
    let (folder, backup) = try Self.migrated(recordCount: 1)
    let run = ".automerge-migrate.nosync/restore/20260106T120000Z-0001"
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/\(run)", withIntermediateDirectories: true)
    let alive = try Directory.open(path: "\(folder.path)/\(run)")
    try #require(alive.tryLock())
    try folder.purging(backup: backup, age: 0)
    #expect(folder.exists(run))
    withExtendedLifetime(alive) {}
  }

  @Test func `a restore that is not done is not purged`() throws {
    let (folder, backup) = try Self.migrated(recordCount: 1)
    let run = ".automerge-migrate.nosync/restore/20260106T120000Z-0001"
    try folder.write(Legacy.tags(), to: "\(run)/old/tags.json")
    try folder.write(Legacy.tags(), to: "\(run)/new/tags.json")
    for isDryRun in [true, false] {
      #expect(throws: MigrationError.self) {
        try folder.purging(backup: backup, age: 0, isDryRun: isDryRun)
      }
    }
    #expect(folder.exists("\(run)/old/tags.json"))
  }

  @Test func `the size decides before anything is read`() throws {
    let (folder, backup) = try Self.migrated(recordCount: 1)
    let run = try folder.cleaning(backup: backup).quarantine
    // A file of a terabyte without a byte of content.
    let large = "\(run)/tags.json"
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.path).appending(path: large))
    try handle.truncate(atOffset: 1 << 40)
    try handle.close()
    let report = try folder.purging(backup: backup, age: 0)
    #expect(report.files.first { $0.path == large }?.outcome == .kept)
  }
}

extension TestFolder {
  /// Requires that each file of `origin` is in exactly one place, and that an error says in which run
  /// those are that have moved, and what brings them back; returns whether any have.
  func requireToldMoves(
    of origin: TestFolder, in diagnostic: Diagnostic, _ comment: Comment
  ) throws -> Bool {
    let now = try files(includingState: true)
    let quarantine = ".automerge-migrate.nosync/quarantine/"
    var runs: Set<Substring> = []
    for (name, bytes) in try origin.files() {
      let places = now.filter { $0.key == name || $0.key.hasSuffix("Z/\(name)") }
      #expect(places.values.map { $0 } == [bytes], "\(comment): \(name) in \(places.keys)")
      if let place = places.keys.first, place.hasPrefix(quarantine) {
        runs.insert(place.dropLast(name.count + 1))
      }
    }
    for run in runs {
      #expect(diagnostic.problem.hasSuffix("; what had moved before is in \(run)"), comment)
      #expect(diagnostic.remedy?.contains("--bring-back") ?? false, comment)
    }
    return !runs.isEmpty
  }
}
