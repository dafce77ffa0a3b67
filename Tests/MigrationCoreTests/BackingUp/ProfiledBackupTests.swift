import Backups
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// Backups of folders of apps that only a profile describes.
@Suite struct ProfiledBackupTests {
  private static let lock: FileName = ".notes.lock"
  private let folder: ProfiledFolder

  init() throws {
    folder = try ProfiledFolder(sample: "notes")
    try folder.folder.write("held by the app", to: Self.lock.description)
  }

  private func manifest(of report: BackupReport) throws -> BackupManifest {
    try BackupArchive(path: #require(report.archives.first?.path)).manifest()
  }

  private func inode(_ path: String) throws -> UInt64 {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.systemFileNumber] as? UInt64)
  }

  // MARK: What is packed

  @Test func `exactly the app's lock and our state are left out`() throws {
    try folder.folder.write("of another app", to: ".minuta.writelock.nosync")
    try folder.folder.write("no lock", to: "notes/.notes.lock")
    try folder.importing()
    let report = try folder.packing()
    let manifest = try manifest(of: report)
    let paths = Set((0..<manifest.count).map { manifest[$0].path.description })
    #expect(
      !paths.contains(Self.lock.description)
        && !paths.contains { $0.contains(".automerge-migrate") })
    #expect(paths.contains(".minuta.writelock.nosync") && paths.contains("notes/.notes.lock"))
    #expect(manifest.summary.scope == BackupScope(folder.context().kinds))
    #expect(manifest.summary.scope.profile == "notes")
    #expect(report.archives[0].holdsLegacyFiles == true)
    #expect(report.archives[0].profile == "notes")
    try folder.removeJSON()
    #expect(try folder.packing().archives[0].holdsLegacyFiles == false)
  }

  @Test func `of an app without a lock only our state is left out`() throws {
    let habits = try ProfiledFolder(sample: "habits")
    try habits.folder.write("x", to: ".minuta.writelock.nosync")
    try habits.importing()
    let manifest = try manifest(of: habits.packing())
    #expect(manifest.summary.scope.lock == nil)
    #expect(manifest.entry(at: RelativePath(".minuta.writelock.nosync")) != nil)
    #expect((0..<manifest.count).allSatisfy { manifest[$0].path.description != ".automerge" })
  }

  @Test func `without the profile the lock is a file like any other`() throws {
    let manifest = try manifest(of: folder.folder.packing())
    #expect(manifest.summary.scope == .minuta && !manifest.summary.holdsLegacyFiles)
    #expect(manifest.entry(at: RelativePath(Self.lock)) != nil)
  }

  @Test func `a backup is used again only if it was made with the same profile`() throws {
    _ = try folder.folder.packing()
    func reusing() throws -> BackupReport.Archive.Outcome? {
      try folder.packing { $0.reusesVerified = true }.archives.first?.outcome
    }
    #expect(try reusing() == .created)
    #expect(try reusing() == .reused)
    let plain = try folder.folder.packing { $0.reusesVerified = true }
    #expect(plain.archives.first?.outcome == .created)
  }

  // MARK: What comes back

  @Test(arguments: [true, false])
  func `a restore is byte-identical and leaves the lock where it is`(isTold: Bool) throws {
    let before = try folder.folder.files()
    let lock = try inode(folder.folder.path + "/.notes.lock")
    let backup = try #require(folder.packing().archives.first?.path)
    try folder.importing()
    try folder.folder.remove("notes/welcome.json")
    // Without --profile the backup itself knows the lock.
    let report = try folder.restoring(backup, isTold: isTold)
    #expect(report.outcome == .restored && report.findings.isEmpty)
    #expect(try folder.folder.files() == before)
    #expect(try inode(folder.folder.path + "/.notes.lock") == lock)
    #expect(!folder.folder.exists(".minuta.writelock.nosync"))
  }

  @Test(arguments: [true, false])
  func `a restore waits for whoever holds the lock, and nothing moves`(isTold: Bool) throws {
    let backup = try #require(folder.packing().archives.first?.path)
    try folder.folder.write("changed", to: "settings.json")
    let before = try folder.folder.files()
    let directory = try Directory.open(path: folder.folder.path)
    let held = try FolderLock.acquire(
      in: directory, name: Self.lock, timeoutSeconds: 1, creating: false)
    #expect(throws: MigrationError.self) { try folder.restoring(backup, isTold: isTold) }
    #expect(try folder.folder.files() == before)
    withExtendedLifetime(held) {}
  }

  @Test func `a lock that was packed as a file replaces no lock`() throws {
    let backup = try #require(folder.folder.packing().archives.first?.path)
    let expected = try folder.folder.files()
    try folder.folder.write("another", to: ".notes.lock")
    try folder.folder.remove("settings.json")
    let lock = try inode(folder.folder.path + "/.notes.lock")
    try folder.restoring(backup)
    #expect(try inode(folder.folder.path + "/.notes.lock") == lock)
    #expect(try folder.folder.text(".notes.lock") == "another")
    var files = try folder.folder.files()
    files[".notes.lock"] = expected[".notes.lock"]
    #expect(files == expected)
    // Nobody says that it is a lock: then it comes back as the file it was, and nothing is lost.
    try folder.restoring(backup, isTold: false)
    #expect(try folder.folder.files() == expected)
    let aside = try folder.folder.files(includingState: true)
    #expect(
      aside.contains { path, bytes in
        path.hasSuffix("old/.notes.lock") && bytes == Array("another".utf8)
      })
  }

  @Test func `the backup of another app's folder is told before anything is read`() throws {
    let habits = try ProfiledFolder(sample: "habits")
    let backup = try #require(habits.packing().archives.first?.path)
    let before = try folder.folder.files(includingState: true)
    let error = #expect(throws: MigrationError.self) { try folder.restoring(backup) }
    #expect(error?.diagnostic.kind == .conflictsWithData)
    #expect(error?.diagnostic.problem.contains("habits") == true)
    #expect(try folder.folder.files(includingState: true) == before)
  }

  @Test(arguments: [FaultPlan.Fault.stop, .failure(EIO)])
  func `a restore that fails anywhere is finished without the profile, and the lock never moves`(
    _ fault: FaultPlan.Fault
  ) throws {
    let backup = try #require(folder.packing().archives.first?.path)
    let expected = try folder.folder.files()
    var stages: Set<Bool> = []
    var call = 1
    while true {
      let copy = try folder.copied()
      try copy.folder.write("changed", to: "settings.json")
      try copy.folder.remove("notes/welcome.json")
      let lock = try inode(copy.folder.path + "/.notes.lock")
      let faults = FaultPlan(atCall: call, fault)
      _ = try? copy.restoring(backup, faults: faults)
      let isUnfinished =
        try RestorePlace.unfinishedRun(
          in: Directory.open(path: copy.folder.path)) != nil
      stages.insert(isUnfinished)
      if isUnfinished {
        let options = RestoreOptions(backup: "", folder: copy.folder.path)
        _ = try RestoreWorkflow(options, context: TestFolder.context()).finish()
      } else {
        try copy.restoring(backup)
      }
      #expect(try copy.folder.files() == expected, "call \(call)")
      #expect(try inode(copy.folder.path + "/.notes.lock") == lock, "call \(call)")
      // The next run that writes leaves no debris of it.
      try copy.importing()
      let state = try FileManager.default.subpathsOfDirectory(
        atPath: copy.folder.path + "/.automerge-migrate.nosync")
      #expect(!state.contains { $0.contains("keeping-") || $0.contains("staging") }, "call \(call)")
      if !faults.hasFired { break }
      call += fault == .stop ? 1 : 3
    }
    #expect(stages == [true, false] && call > 20)
  }

  // MARK: What stays

  @Test(arguments: ["notes", "none", "habits"])
  func `the newest backup with the app's files stays, whoever made it`(_ told: String) throws {
    // Made before anybody had a profile.
    let first = try #require(folder.folder.packing().archives.first?.path)
    try folder.importing()
    try folder.removeJSON()
    for number in 1...3 {
      try folder.folder.write("\(number)", to: "attachments/more.txt")
      _ = try told == "habits" ? folder.packing() : folder.folder.packing()
    }
    var options = PackOptions(folder: folder.folder.path)
    options.retention.count = 1
    let context =
      switch told {
      case "notes": folder.context()
      case "habits": try ProfiledFolder(sample: "habits").context()
      default: TestFolder.context()
      }
    let report = try PackWorkflow(options, context: context).prune(isApplying: true)
    #expect(FileManager.default.fileExists(atPath: first))
    let dropped = report.archives.count { $0.outcome == .dropped }
    // A run that is told another profile than a backup was made with drops nothing, and says so.
    #expect(dropped == (told == "habits" ? 0 : 2))
    #expect(report.findings.contains { $0.code == .kept } == (told == "habits"))
  }

  @Test func `no backup is dropped while a document of the profile does not load`() throws {
    _ = try folder.packing()
    try folder.importing()
    try folder.folder.write("damaged", to: "settings.automerge")
    for number in 1...2 {
      try folder.folder.write("\(number)", to: "attachments/more.txt")
      _ = try folder.packing()
    }
    let report = try folder.packing { $0.retention.count = 1 }
    #expect(report.archives.allSatisfy { $0.outcome != .dropped })
    let kept = try #require(report.findings.first { $0.code == .kept })
    #expect(
      kept.command
        == NextCommand(.recoverFolder, [folder.folder.path, "--profile", "profile.json"]))
  }

  @Test func `backups are found by what they hold, but not by names that people give`() throws {
    // Nobody has written here, so that the backup carries no number.
    let backup = try #require(folder.packing().archives.first?.path)
    func comparison(_ other: ProfiledFolder) throws -> FolderBond.Comparison {
      let archive = try BackupArchive(path: backup)
      return try SharedContent(
        of: Directory.open(path: other.folder.path), context: other.context()
      ).compare(archive, archive.manifest())
    }
    #expect(try comparison(folder) == .shared)
    let other = try folder.copied()
    for path in try other.files().keys where path.hasPrefix("notes/") {
      try other.folder.remove(path)
    }
    // The same notebooks, and settings as in every folder.
    #expect(try comparison(other) == .unknown(backupHoldsEntities: true))
    try other.folder.write(
      """
      {"id":"00000001-0000-4000-8000-000000000001","title":"x","created":"2022-01-01T00:00:00Z"}
      """, to: "notes/x.json")
    #expect(try comparison(other) == .different)
  }
}
