import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a recovery finds, and the steps of it that are no commands.
@Suite struct RecoveryTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/2024-01-15_093000.json")
    try folder.write(
      Legacy.record(2, start: "2024-02-01T07:00:00Z"), to: "records/2024/02/2024-02-01_070000.json")
    try folder.importing()
  }

  private func look(_ context: RunContext = TestFolder.context()) throws -> RecoveryReport {
    var workflow = try RecoveryWorkflow(RecoveryOptions(folder: folder.path), context: context)
    return try workflow.look()
  }

  private func commands(_ report: RecoveryReport) -> [NextCommand.Name] {
    report.steps.compactMap { step in
      guard case .run(let command) = step.action else { return nil }
      return command.name
    }
  }

  @Test func `whatever cannot be read makes no document anew that a backup holds`() throws {
    let backup = try folder.packing().archives[0].path
    try folder.cleaning(backup: backup)
    try folder.remove("records/2024/02.automerge")
    #expect(try commands(look()) == [.restoreBackup])
    var call = 1
    var firedCount = 0
    while true {
      let plan = FaultPlan(atCall: call, .failure(EIO), calls: .looking)
      // An error is an answer, too.
      let report = try? look(TestFolder.context(workers: 1, faults: plan))
      guard plan.hasFired else { break }
      firedCount += 1
      if let report {
        #expect(!commands(report).contains(.importCRDT), "call \(call): \(report.steps)")
      }
      call += call < 40 ? 1 : 9
    }
    #expect(firedCount > 40)
  }

  @Test func `whatever a look cannot read it does not pass over`() throws {
    try folder.write("a picture", to: "records/2024/01/a.jpg")
    try folder.write(
      Legacy.record(1, start: "2024-01-15T09:30:00Z", #""images":["a.jpg"]"#),
      to: "records/2024/01/2024-01-15_093000.json")
    try folder.importing { $0.updates = true }
    try folder.cleaning(backup: folder.packing().archives[0].path)
    #expect(try !look().differs)
    for number in [EIO, EMFILE] {
      var silent: [Int] = []
      var call = 1
      while true {
        let plan = FaultPlan(atCall: call, .failure(number), calls: .looking)
        do {
          let report = try look(TestFolder.context(workers: 1, faults: plan))
          guard plan.hasFired else { break }
          if !report.differs { silent.append(call) }
        } catch is MigrationError {
          // An error has a status of its own.
        }
        call += 1
      }
      #expect(call > 200)
      // What a look at the backup's first line takes: the backup is read whole all the same.
      #expect(silent.count <= 3, "error \(number) at \(silent)")
    }
  }

  @Test func `a damaged document is moved away under the lock of the app`() throws {
    let path = "records/2024/02.automerge"
    let target = folder.path + "-salvaged/\(path).damaged"
    try folder.write("torn", to: path)
    var context = TestFolder.context()
    context.lockTimeoutSeconds = 0
    let performer = RecoveryPerformer(folder: folder.path, context: context)
    _ = try performer.makeDirectory(folder.path + "-salvaged/records/2024")
    let directory = try Directory.open(path: folder.path)
    var lock = try FolderLock.acquire(
      in: directory, name: ".minuta.writelock.nosync", timeoutSeconds: 0, creating: true)
    let error = #expect(throws: MigrationError.self) {
      try performer.moveDamaged("\(folder.path)/\(path)", to: target)
    }
    #expect(error?.diagnostic.kind == .busy)
    #expect(try folder.bytes(path) == Array("torn".utf8))
    withExtendedLifetime(lock) {}
    lock = nil
    try performer.moveDamaged("\(folder.path)/\(path)", to: target)
    #expect(!folder.exists(path))
    #expect(try Data(contentsOf: URL(filePath: target)) == Data("torn".utf8))
    // Killed right after, it is done again.
    try performer.moveDamaged("\(folder.path)/\(path)", to: target)
  }

  @Test func `a document that loads by now stays`() throws {
    let path = "records/2024/02.automerge"
    let before = try folder.bytes(path)
    let performer = RecoveryPerformer(folder: folder.path, context: TestFolder.context())
    _ = try performer.makeDirectory(folder.path + "-salvaged")
    try performer.moveDamaged("\(folder.path)/\(path)", to: folder.path + "-salvaged/x")
    #expect(try folder.bytes(path) == before)
  }

  @Test func `a copy is there whole or not at all, whenever it dies`() throws {
    let performer = RecoveryPerformer(folder: folder.path, context: TestFolder.context())
    let target = folder.beside("copies")
    let copy = target + "/02/2024-02-01_070000.json"
    let bytes = try folder.bytes("records/2024/02/2024-02-01_070000.json")
    var call = 1
    while true {
      let plan = FaultPlan(atCall: call, .stop)
      let dying = RecoveryPerformer(
        folder: folder.path, context: TestFolder.context(faults: plan))
      _ = try? dying.copyTree("\(folder.path)/records/2024/02", into: target)
      if let found = try? Data(contentsOf: URL(filePath: copy)) {
        #expect(Array(found) == bytes, "call \(call)")
      }
      try performer.copyTree("\(folder.path)/records/2024/02", into: target)
      #expect(Array(try Data(contentsOf: URL(filePath: copy))) == bytes)
      try FileManager.default.removeItem(atPath: target)
      guard plan.hasFired else { break }
      call += 1
    }
    #expect(call > 3)
  }

  @Test func `a backup of another name that cannot be read is said not to be looked at`() throws {
    try folder.packing { $0.backupDirectory = folder.beside("shared") }
    let other = folder.beside("shared") + "/Notes-20260106T120000Z-0001.tar"
    try Data("no archive".utf8).write(to: URL(filePath: other))
    var options = PackOptions(folder: folder.path)
    options.backupDirectory = folder.beside("shared")
    let list = try PackWorkflow(options, context: TestFolder.context()).list(isVerifying: true)
    #expect(list.archives.count == 1)
    #expect(list.findings.map(\.code) == [.notLookedAt])
    #expect(list.findings.first?.path == other)
    var recovering = RecoveryOptions(folder: folder.path)
    recovering.backupDirectory = options.backupDirectory
    var workflow = try RecoveryWorkflow(recovering, context: TestFolder.context())
    #expect(try workflow.look().unusableBackups.count == 1)
  }
}
