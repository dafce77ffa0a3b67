import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import FolderState
@testable import MigrationCore
@testable import Runs

@Suite struct RunHistoryTests {
  private static let log = ".automerge-migrate.nosync/history.jsonl"
  private static let olderLog = ".automerge-migrate.nosync/history.1.jsonl"
  private static let mark = ".automerge-migrate.nosync/run.json"

  private func history(of folder: TestFolder) throws -> HistoryReport {
    try HistoryWorkflow(folder: folder.path, context: TestFolder.context()).perform()
  }

  @Test func `each run that wrote something has one line with its counts and its backup`() throws {
    let (folder, backup) = try CleanUpTests.migrated()
    try folder.cleaning(backup: backup)
    let report = try history(of: folder)
    #expect(report.runs.map(\.status) == ["done", "done"])
    #expect(report.runs[0].backup.isEmpty)
    #expect(report.runs[1].backup == URL(filePath: backup).lastPathComponent)
    #expect(report.entitiesImported == 72)
    #expect(report.total("moved") == 61)
    #expect(report.runs.allSatisfy { RFC3339(Array($0.end.utf8).span) != nil })
    #expect(!folder.exists(Self.mark))
    guard case .object(let noted)? = report.runs[1].line["backup"],
      case .string(let hash)? = noted["manifestSha256"]
    else {
      Issue.record("the run that relied on a backup does not name its manifest")
      return
    }
    #expect(hash.utf8.count == 64)
  }

  @Test func `a log that has another name, too, is not appended to under that`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    let copy = folder.beside("history of a copy.jsonl")
    try FileManager.default.linkItem(atPath: "\(folder.path)/\(Self.log)", toPath: copy)
    let before = try Data(contentsOf: URL(filePath: copy))
    try folder.write(Legacy.record(2), to: "records/2024/02/b.json")
    try folder.importing()
    #expect(try Data(contentsOf: URL(filePath: copy)) == before)
    #expect(try history(of: folder).runs.map(\.status) == ["done", "done"])
    #expect(try folder.bytes(Self.log).starts(with: before))
  }

  @Test func `a run that writes nothing leaves no line`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 5 }
    try folder.importing()
    let before = try folder.files(includingState: true)
    try folder.importing()
    #expect(try folder.files(includingState: true) == before)
    #expect(try history(of: folder).runs.count == 1)
  }

  @Test func `a run that dies shows as interrupted, before and after the next run`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 5 }
    // Dies at each of its calls in turn, until it survives.
    var deaths = 0
    for call in 1... {
      let faults = FaultPlan(atCall: call, .stop)
      let survived = (try? folder.importing(faults: faults)) != nil
      if survived && !faults.hasFired { break }
      let shown = try history(of: folder).runs.filter { $0.status == "interrupted" }.count
      #expect(shown <= deaths + 1)
      deaths = max(deaths, shown)
      for name in try folder.documents().keys { try folder.remove(name) }
    }
    #expect(deaths > 0)
    try folder.importing()
    let runs = try history(of: folder).runs
    #expect(runs.count { $0.status == "interrupted" } == deaths)
    #expect(Set(runs.map { $0.line["run"] }).count == runs.count)
    #expect(!folder.exists(Self.mark))
  }

  @Test func `a run that fails says at what`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 5 }
    let untroubled = FaultPlan(atCall: .max, .stop)
    try folder.importing(faults: untroubled)
    for name in try folder.documents().keys { try folder.remove(name) }
    // The disk is full for one call at a time.
    var failures: [HistoryReport.Run] = []
    for call in 1...untroubled.callCount where failures.isEmpty {
      _ = try? folder.importing(faults: FaultPlan(atCall: call, .failure(ENOSPC)))
      failures = try history(of: folder).runs.filter { $0.status == "failed" }
      for name in try folder.documents().keys { try folder.remove(name) }
    }
    let failure = try #require(failures.first)
    #expect(failure.problem.contains("full"))
  }

  @Test func `torn lines and lines of others are counted and skipped`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 5 }
    try folder.importing()
    let log = try folder.bytes(Self.log)
    try folder.write(
      Array(#"{"schema":"else","run":"x"}"#.utf8) + [0x0a] + log + log.prefix(40), to: Self.log)
    let report = try history(of: folder)
    #expect(report.runs.count == 1)
    #expect(report.unreadableLines == 2)
    // The next line begins on a line of its own.
    for name in try folder.documents().keys { try folder.remove(name) }
    try folder.importing()
    #expect(try history(of: folder).runs.count == 2)
  }

  @Test func `a long log becomes the older log, and both are read`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 5 }
    try folder.importing()
    let line = try folder.bytes(Self.log)
    var long: [UInt8] = []
    while long.count < RunHistory.longestLog { long += line }
    try folder.write(long, to: Self.log)
    for name in try folder.documents().keys { try folder.remove(name) }
    try folder.importing()
    #expect(try folder.bytes(Self.olderLog) == long)
    #expect(try folder.bytes(Self.log).count < 2 * line.count)
    #expect(try history(of: folder).runs.count == long.count / line.count + 1)
  }

  @Test(arguments: [
    "", "{", "[]", #"{"schema":"automerge-migrate/history"}"#, String(repeating: "[", count: 500),
    #"{"schema":"automerge-migrate/history","run":1}"#, "\u{0}",
  ]) func `a mark that makes no sense is removed and hides no run`(_ content: String) throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 5 }
    try folder.write(content, to: Self.mark)
    #expect(try history(of: folder).runs.isEmpty)
    try folder.importing()
    #expect(try history(of: folder).runs.map(\.status) == ["done"])
    #expect(!folder.exists(Self.mark))
  }

  @Test func `a run is running as long as it lives, whoever else holds the lock`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 5 }
    var context = TestFolder.context()
    context.command = "import-crdt"
    let directory = try Directory.open(path: folder.path)
    let mark = try RunHistory.begin(
      RunRecord(begun: WallClock.now(), context: context), in: Self.state(in: directory))
    #expect(try history(of: folder).runs.map(\.status) == ["running"])
    withExtendedLifetime(mark) {}
  }

  @Test func `a run whose mark was left behind is interrupted, also while the app holds its lock`()
    throws
  {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 5 }
    var context = TestFolder.context()
    context.command = "import-crdt"
    let directory = try Directory.open(path: folder.path)
    _ = try RunHistory.begin(
      RunRecord(begun: WallClock.now(), context: context), in: Self.state(in: directory))
    let lock = try FolderLock.acquire(
      in: directory, name: FolderNames.writeLock, timeoutSeconds: 1, creating: true)
    #expect(try history(of: folder).runs.map(\.status) == ["interrupted"])
    withExtendedLifetime(lock) {}
  }

  @Test func `a log larger than ours become is told, and the other one is read`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 5 }
    try folder.importing()
    let line = try folder.bytes(Self.log)
    try folder.write(
      [UInt8](repeating: 0x0a, count: 4 * Int(RunHistory.longestLog) + 1), to: Self.olderLog)
    let report = try history(of: folder)
    #expect(report.runs.count == 1)
    #expect(report.findings.map(\.code) == [.unreadable])
    #expect(report.findings[0].path == Self.olderLog)
    #expect(report.endsWithDifferences)
    #expect(try folder.bytes(Self.log) == line)
  }

  @Test func `the longest arguments make a line that is read again`() throws {
    let folder = try TestFolder()
    var context = TestFolder.context()
    context.command = "import-crdt"
    context.arguments = Array(repeating: String(repeating: "\u{1}", count: 5_000), count: 100)
    let directory = try Directory.open(path: folder.path)
    _ = try RunHistory.begin(
      RunRecord(begun: WallClock.now(), context: context), in: Self.state(in: directory))
    try RunHistory.closeInterruptedRun(in: Self.state(in: directory))
    let report = try history(of: folder)
    #expect(report.runs.map(\.status) == ["interrupted"])
    #expect(report.unreadableLines == 0)
  }

  private static func state(in folder: Directory) throws -> Directory {
    try folder.createDirectory(FolderNames.state)
  }
}
