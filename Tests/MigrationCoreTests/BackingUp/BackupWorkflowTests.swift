import Backups
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Synchronization
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct BackupWorkflowTests {
  static func sample() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.makeSample {
      $0.recordCount = 8
      $0.monthCount = 2
    }
    return folder
  }

  @Test func `a backup is verified, listed and reused`() throws {
    let folder = try Self.sample()
    let report = try folder.packing()
    #expect(report.archives.map(\.outcome) == [.created])
    #expect(report.archives[0].isVerified == true)
    #expect(report.archives[0].holdsLegacyFiles == true)
    let again = try folder.packing { $0.reusesVerified = true }
    #expect(again.archives.map(\.outcome) == [.reused])
    #expect(again.archives[0].path == report.archives[0].path)
    try folder.write("x", to: "new.txt")
    let other = try folder.packing { $0.reusesVerified = true }
    #expect(other.archives.map(\.outcome) == [.created])
    let list = try PackWorkflow(PackOptions(folder: folder.path), context: TestFolder.context())
      .list(isVerifying: true)
    #expect(list.archives.map(\.isVerified) == [true, true])
  }

  @Test func `old backups go by the retention rule only when that is applied`() throws {
    let folder = try Self.sample()
    for number in 0..<4 {
      try folder.write("\(number)", to: "n.txt")
      try folder.packing()
    }
    var options = PackOptions(folder: folder.path)
    options.retention.count = 2
    let workflow = PackWorkflow(options, context: TestFolder.context())
    let plan = try workflow.prune(isApplying: false)
    #expect(plan.archives.map(\.outcome) == [.kept, .kept, .dropped, .dropped])
    #expect(try workflow.list(isVerifying: false).archives.count == 4)
    _ = try workflow.prune(isApplying: true)
    #expect(try workflow.list(isVerifying: false).archives.count == 2)
  }

  @Test func `while a document does not load no backup goes`() throws {
    let folder = try Self.sample()
    try folder.importing()
    let month = try #require(try folder.documents().keys.sorted().last)
    let whole = try folder.bytes(month)
    try folder.packing()
    try folder.write(Array(whole.dropLast(9)), to: month)
    for _ in 0..<3 {
      let report = try folder.packing { $0.retention.count = 1 }
      #expect(report.endsWithDifferences)
      #expect(report.findings.map(\.code).contains(.damagedDocument))
      #expect(report.findings.map(\.code).contains(.kept))
      #expect(!report.archives.contains { $0.outcome == .dropped })
    }
    try folder.write(whole, to: month)
    let report = try folder.packing { $0.retention.count = 1 }
    #expect(!report.endsWithDifferences)
    #expect(report.archives.count { $0.outcome == .dropped } == 4)
  }

  @Test func `a backup that a purge relied on stays, whatever is made later`() throws {
    let folder = try Self.sample()
    try folder.importing()
    let first = try folder.packing().archives[0].path
    // What is purged is in no document, and in no later backup.
    try folder.write("kept in one place only", to: "records/2024/01/_quarantined.txt")
    let relied = try folder.packing().archives[0].path
    try folder.restoring(first)
    try folder.purging(backup: first, age: 0, isDryRun: true)
    #expect(try folder.packing { $0.retention.count = 9 }.archives.count == 3)
    let purged = try folder.purging(backup: relied, age: 0)
    #expect(purged.files.contains { $0.outcome == .purged })
    // One is made without legacy files, so that nothing else speaks for the other.
    for number in 0..<3 {
      try folder.write("\(number)", to: "n.txt")
      try folder.packing { $0.retention.count = 1 }
    }
    #expect(FileManager.default.fileExists(atPath: relied))
    #expect(!FileManager.default.fileExists(atPath: first))
    try FileManager.default.removeItem(atPath: relied + ".keep")
    try folder.packing { $0.retention.count = 1 }
    #expect(!FileManager.default.fileExists(atPath: relied))
  }

  @Test func `a restore brings every byte back and sets the rest aside`() throws {
    let folder = try Self.sample()
    let before = try folder.files()
    let backup = try folder.packing().archives[0].path
    try folder.importing()
    try folder.remove("tags.json")
    try folder.write("mine", to: "later.txt")
    let report = try folder.restoring(backup)
    #expect(try folder.files() == before)
    #expect(report.isVerified == true)
    #expect(try folder.bytes("\(report.setAside)/later.txt") == Array("mine".utf8))
  }

  @Test func `what is neither file nor link is told when it is set aside`() throws {
    let folder = try Self.sample()
    let backup = try folder.packing().archives[0].path
    for path in ["pipe", "records/2023/01/pipe", "others/pipe"] {
      try folder.write("", to: path + ".txt")
      // SAFETY: the path is only read inside of the call.
      let status = unsafe mkfifo("\(folder.path)/\(path)", 0o600)
      #expect(status == 0)
    }
    let report = try folder.restoring(backup)
    let told = report.findings.filter { $0.code == .specialFile }
    #expect(
      told.map(\.path)
        == ["others/pipe", "pipe", "records/2023/01/pipe"].map { "\(report.setAside)/\($0)" })
    #expect(told.allSatisfy { $0.severity == .warning && $0.message.contains("named pipe") })
    #expect(try folder.restoring(backup).findings.isEmpty)
  }

  @Test func `what a killed run left is put in order before it would be set aside`() throws {
    let origin = try Self.sample()
    try origin.importing()
    try origin.packing()
    let changed = try String(decoding: origin.bytes("tags.json"), as: UTF8.self).replacing(
      "\"name\":\"", with: "\"name\":\"x")
    try origin.write(changed, to: "tags.json")
    let tree = try origin.storedTree()
    var call = 1
    var leftCount = 0
    func debris(_ folder: TestFolder) throws -> [String] {
      try folder.files(includingState: true).keys.filter { $0.hasSuffix(".tmp.nosync") }
    }
    while true {
      let folder = try TestFolder(tree)
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? folder.importing(workers: 1, faults: plan) { $0.updates = true }
      guard plan.hasFired else { break }
      if try !debris(folder).isEmpty { leftCount += 1 }
      try folder.restoring(folder.newestBackup())
      #expect(try debris(folder) == [], "call \(call)")
      call += 1
    }
    #expect(leftCount > 2)
  }

  @Test func `other writers wait until an interrupted restore is finished`() throws {
    let origin = try Self.sample()
    let before = try origin.files()
    let backup = try origin.packing().archives[0].path
    try origin.importing()
    var call = 1
    var wasBusy = false
    while true {
      let folder = try TestFolder()
      try origin.copy(to: folder)
      let faults = FaultPlan(atCall: call, .stop)
      _ = try? folder.restoring(backup, faults: faults)
      do {
        try folder.importing()
      } catch let error as MigrationError {
        #expect(error.diagnostic.kind == .busy, "call \(call): \(error)")
        wasBusy = true
      }
      try folder.restoring(backup)
      #expect(try folder.files() == before, "call \(call)")
      if !faults.hasFired { break }
      call += 7
    }
    #expect(wasBusy)
  }
}

extension BackupWorkflowTests {
  @Test func `of a restore of some files the report says what became of each`() throws {
    let folder = try Self.sample()
    try folder.importing()
    let backup = try folder.packing().archives[0].path
    let before = try folder.files()
    let document = try #require(before.keys.filter { $0.hasSuffix("/01.automerge") }.first)
    try folder.write("broken", to: document)
    try folder.write("mine", to: "mine.txt")
    let chosen = [document, "tags.automerge"]
    let plan = try folder.restoring(backup, only: chosen, isDryRun: true)
    #expect(plan.isDryRun)
    #expect(try folder.bytes(document) == Array("broken".utf8))
    let report = try folder.restoring(backup, only: chosen)
    #expect(report.entries.map(\.path) == chosen)
    #expect(report.entries.map(\.outcome) == [.restored, .unchanged])
    #expect(plan.entries.map(\.outcome) == report.entries.map(\.outcome))
    #expect(!report.endsWithDifferences)
    #expect(try folder.bytes(report.entries[0].setAside) == Array("broken".utf8))
    #expect(report.entries[1].setAside == "")
    #expect(
      try folder.files() == before.merging(["mine.txt": Array("mine".utf8)]) { $1 })
    #expect(try folder.verifying().isSound)
    let again = try folder.restoring(backup, only: chosen)
    #expect(again.entries.allSatisfy { $0.outcome == .unchanged })
    #expect(again.setAside == "")
  }

  @Test func `a document that the backup holds damaged is restored and named`() throws {
    let folder = try TestFolder()
    try folder.write("no document", to: "records/2024/01.automerge")
    let backup = try folder.packing().archives[0].path
    try folder.remove("records/2024/01.automerge")
    let report = try folder.restoring(backup, only: ["records"])
    #expect(report.findings.map(\.code) == [.damagedDocument])
    #expect(report.findings[0].path == "records/2024/01.automerge")
    #expect(report.endsWithDifferences)
    #expect(try folder.bytes("records/2024/01.automerge") == Array("no document".utf8))
  }
}

extension BackupWorkflowTests {
  private static let quarantined = ".automerge-migrate.nosync/quarantine/20260106T120000Z/tags.json"

  @Test func `a restore that replaces a content replaces its quarantine, wherever it was killed`()
    throws
  {
    let origin = try TestFolder()
    try origin.write("old", to: "tags.json")
    let old = try origin.packing().archives[0].path
    try origin.write("now", to: "tags.json")
    let now = try origin.packing().archives[0].path
    var call = 1
    var finished = 0
    while true {
      let folder = try TestFolder()
      try folder.write("now", to: "tags.json")
      try folder.write("imported", to: Self.quarantined)
      let faults = FaultPlan(atCall: call, .stop)
      _ = try? folder.restoring(old, replacing: now, faults: faults)
      finished += try folder.finishing().finishedEarlierRestore ? 1 : 0
      let isRestored = try folder.bytes("tags.json") == Array("old".utf8)
      #expect(folder.exists(Self.quarantined) != isRestored, "call \(call)")
      // What lay there is nowhere else than it was, or beside the content it belongs to.
      let places = try folder.files(includingState: true).filter {
        $0.value == Array("imported".utf8)
      }
      #expect(places.count == 1, "call \(call)")
      if !faults.hasFired { break }
      call += 1
    }
    #expect(finished > 10)
  }

  @Test func `a restore that cannot begin leaves nothing that must be finished`() throws {
    let folder = try TestFolder()
    try folder.write("old", to: "tags.json")
    let backup = try folder.packing().archives[0].path
    #expect(throws: MigrationError.self) {
      try folder.restoring(backup, replacing: folder.beside("no-backup.tar"))
    }
    #expect(try !folder.finishing().finishedEarlierRestore)
    try folder.write("new", to: "tags.json")
    let other = try folder.packing().archives[0].path
    try folder.write("newer", to: "tags.json")
    #expect(throws: MigrationError.self) { try folder.restoring(backup, replacing: other) }
    #expect(try !folder.finishing().finishedEarlierRestore)
    #expect(try folder.bytes("tags.json") == Array("newer".utf8))
  }

  @Test func `what somebody wrote since stays, wherever the restore that is not for it was killed`()
    throws
  {
    let origin = try TestFolder()
    try origin.write("old", to: "tags.json")
    let old = try origin.packing().archives[0].path
    try origin.write("now", to: "tags.json")
    let now = try origin.packing().archives[0].path
    for call in 1... {
      let folder = try TestFolder()
      try folder.write("written since", to: "tags.json")
      let faults = FaultPlan(atCall: call, .stop)
      _ = try? folder.restoring(old, replacing: now, faults: faults)
      #expect(try !folder.finishing().finishedEarlierRestore, "call \(call)")
      #expect(try folder.bytes("tags.json") == Array("written since".utf8), "call \(call)")
      if !faults.hasFired { break }
    }
  }

  @Test func `what changes while chosen files are unpacked is not called unchanged`() throws {
    let origin = try TestFolder()
    try origin.write("one", to: "one.txt")
    try origin.write("two", to: "two.txt")
    let backup = try origin.packing().archives[0].path
    var writtenInBetween = 0
    for call in 1... {
      let folder = try TestFolder()
      try folder.write("edited", to: "one.txt")
      try folder.write("two", to: "two.txt")
      let isUnpacked = Mutex(false)
      let plan = FaultPlan(beforeCall: call) {
        // Everything is unpacked, and nobody holds the lock yet.
        let state = folder.path + "/.automerge-migrate.nosync"
        let paths = try? FileManager.default.subpathsOfDirectory(atPath: state)
        guard paths?.contains(where: { $0.hasSuffix("/staging/one.txt") }) == true,
          !folder.exists(FolderNames.writeLock.description)
        else { return }
        isUnpacked.withLock { $0 = true }
        try? folder.write("mine", to: "two.txt")
      }
      let report = try? folder.restoring(backup, only: ["one.txt", "two.txt"], faults: plan)
      guard plan.hasFired else { break }
      guard isUnpacked.withLock({ $0 }) else { continue }
      writtenInBetween += 1
      #expect(report?.entries.map(\.outcome) == [.restored, .restored], "call \(call)")
      #expect(try folder.bytes("two.txt") == Array("two".utf8))
      #expect(try folder.files(includingState: true).values.contains(Array("mine".utf8)))
    }
    #expect(writtenInBetween > 0)
  }

  /// What a sweep takes for the debris of a dead restore may be the run of one that has just begun.
  @Test func `a sweep at any moment keeps nobody from restoring`() throws {
    let origin = try TestFolder()
    try origin.write("one", to: "one.txt")
    let backup = try origin.packing().archives[0].path
    let swept = Mutex(0)
    for call in 1... {
      let folder = try TestFolder()
      let place = folder.path + "/.automerge-migrate.nosync/restore"
      let plan = FaultPlan(beforeCall: call, calls: .openingDirectories) {
        let before = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        try? RestoreSweep.removeDebris(in: Directory.open(path: folder.path))
        let after = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        if after.count < before.count { swept.withLock { $0 += 1 } }
      }
      _ = try folder.restoring(backup, faults: plan)
      #expect(try folder.bytes("one.txt") == Array("one".utf8), "call \(call)")
      if !plan.hasFired { break }
    }
    #expect(swept.withLock { $0 } > 0)
  }
}
