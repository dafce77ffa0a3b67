import Backups
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import MigrationCore
@testable import Runs

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What cannot be looked at never counts as empty, whoever looks: each time that a run opens a
/// directory, that fails once. `bin/disturb listings` does the same to the commands, and to reading
/// what was opened.
///
/// A slice runs always, all of it with AUTOMERGE_MIGRATE_SLOW=1.
@Suite struct ListingTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil

  /// A run that looks at a folder, with the given system calls.
  struct Look: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether it leaves the folder as it is, so that others can look at the same one.
    let isOnlyLooking: Bool
    let perform: @Sendable (TestFolder, any FileOperations) throws -> any RunReport

    var testDescription: String { name }

    init(
      _ name: String, onlyLooking isOnlyLooking: Bool = false,
      _ perform: @escaping @Sendable (TestFolder, any FileOperations) throws -> any RunReport
    ) {
      self.name = name
      self.isOnlyLooking = isOnlyLooking
      self.perform = perform
    }
  }

  static let looks: [Look] = [
    Look("verification", onlyLooking: true) { folder, operations in
      try VerificationWorkflow(
        VerificationOptions(folder: folder.path), context: context(operations)
      ).perform()
    },
    Look("verification against a backup", onlyLooking: true) { folder, operations in
      var options = VerificationOptions(folder: folder.path)
      options.reference = .backup(path: try folder.newestBackup())
      return try VerificationWorkflow(options, context: context(operations)).perform()
    },
    Look("verification against a folder", onlyLooking: true) { folder, operations in
      var options = VerificationOptions(folder: folder.path)
      options.reference = .folder(path: folder.beside("other"))
      return try VerificationWorkflow(options, context: context(operations)).perform()
    },
    Look("status", onlyLooking: true) { folder, operations in
      try StatusWorkflow(VerificationOptions(folder: folder.path), context: context(operations))
        .perform()
    },
    Look("import") { folder, operations in
      try folder.importing(workers: 1, faults: operations)
    },
    Look("plan of an import", onlyLooking: true) { folder, operations in
      try folder.importing(workers: 1, faults: operations, isDryRun: true)
    },
    Look("import of another folder") { folder, operations in
      try folder.importing(workers: 1, faults: operations) {
        $0 = ImportOptions(source: .folder(path: folder.beside("other")), target: folder.path)
        $0.flattens = true
      }
    },
    Look("merge") { folder, operations in try folder.merging(faults: operations) },
    Look("plan of a merge", onlyLooking: true) { folder, operations in
      try folder.merging(isDryRun: true, faults: operations)
    },
    Look("clean-up") { folder, operations in
      try folder.cleaning(backup: folder.newestBackup(), faults: operations)
    },
    Look("plan of a clean-up", onlyLooking: true) { folder, operations in
      try folder.cleaning(backup: nil, faults: operations, isDryRun: true)
    },
    Look("setting months aside") { folder, operations in
      try folder.cleaning(
        backup: folder.newestBackup(), monthsBefore: "2023-03", faults: operations)
    },
    Look("plan of setting months aside", onlyLooking: true) { folder, operations in
      try folder.cleaning(
        backup: nil, monthsBefore: "2023-03", faults: operations, isDryRun: true)
    },
    Look("purge") { folder, operations in
      try PurgeWorkflow(
        PurgeOptions(
          folder: folder.path, backup: try folder.newestBackup(), minimumAgeSeconds: 0),
        context: context(operations)
      ).perform()
    },
    Look("compaction") { folder, operations in
      try CompactionWorkflow(folder: folder.path, context: context(operations)).perform()
    },
    Look("plan of a compaction", onlyLooking: true) { folder, operations in
      try CompactionWorkflow(folder: folder.path, context: context(operations)).plan()
    },
    Look("bringing back") { folder, operations in
      let run = try #require(try folder.runs().first)
      return try folder.bringingBack(run, faults: operations)
    },
    Look("export", onlyLooking: true) { folder, operations in
      try ExportWorkflow(
        ExportOptions(source: folder.path, destination: .stream(TestStream([]).sink)),
        context: context(operations)
      ).perform()
    },
    Look("export to a folder") { folder, operations in
      try ExportWorkflow(
        ExportOptions(source: folder.path, destination: .folder(path: folder.beside("exported"))),
        context: context(operations)
      ).perform()
    },
    Look("sizes", onlyLooking: true) { folder, operations in
      try SizesWorkflow(folder: folder.path, context: context(operations)).perform()
    },
    Look("history", onlyLooking: true) { folder, operations in
      try HistoryWorkflow(folder: folder.path, context: context(operations)).perform()
    },
    Look("backup") { folder, operations in
      try PackWorkflow(PackOptions(folder: folder.path), context: context(operations)).perform()
    },
    Look("dropping old backups") { folder, operations in
      var options = PackOptions(folder: folder.path)
      options.retention.count = 1
      return try PackWorkflow(options, context: context(operations)).perform()
    },
    Look("list of backups", onlyLooking: true) { folder, operations in
      try PackWorkflow(PackOptions(folder: folder.path), context: context(operations))
        .list(isVerifying: false)
    },
    Look("restore") { folder, operations in
      try folder.restoring(folder.newestBackup(), faults: operations)
    },
    Look("restore of some files") { folder, operations in
      try folder.restoring(folder.newestBackup(), only: ["records"], faults: operations)
    },
    Look("recovery", onlyLooking: true) { folder, operations in
      var workflow = try RecoveryWorkflow(
        RecoveryOptions(folder: folder.path), context: context(operations))
      var report = try workflow.look()
      try workflow.addDifferences(to: &report)
      return report
    },
  ]

  private static func context(_ operations: any FileOperations) -> RunContext {
    TestFolder.context(workers: 1, faults: operations)
  }

  /// A folder of which everything is right: with an old month set aside, a month that is cleaned up,
  /// one that is not, what a restore has set aside, images, and beside it what a recovery has kept and
  /// backups of a folder that had another name.
  private static let origin = Result { () throws -> StoredTree in
    let folder = try TestFolder()
    try folder.makeSample {
      $0.imageInterval = 2
      $0.recordCount = 9
      $0.monthCount = 3
    }
    try folder.importing()
    let march = try folder.files().filter { $0.key.hasPrefix("records/2023/03/") }
    try folder.packing()
    try folder.restoring(folder.newestBackup())
    try folder.cleaning(backup: folder.newestBackup(), monthsBefore: "2023-02")
    try folder.cleaning(backup: folder.newestBackup())
    for (path, bytes) in march { try folder.write(bytes, to: path) }
    let other = try TestFolder("other")
    try folder.copy(to: other)
    for (path, bytes) in try other.files() { try folder.write(bytes, to: "../other/\(path)") }
    let february = try folder.bytes("records/2023/02.automerge")
    try folder.write(february, to: "../Minuta-salvaged/records/2023/02.automerge")
    try folder.write("somebody's", to: "../Former-backups/note")
    return try folder.storedTree()
  }

  @Test(arguments: looks)
  func `a directory that cannot be looked at is never a run without an error`(_ look: Look) throws {
    let origin = try Self.origin.get()
    let all = FaultPlan(atCall: .max, .stop, calls: .openingDirectories)
    let shared = try TestFolder(origin)
    let before = try shared.files(includingState: true)
    func folder() throws -> TestFolder { look.isOnlyLooking ? shared : try TestFolder(origin) }
    let report = try look.perform(folder(), all)
    let errors = report.findings.filter { $0.severity == .error }.map {
      "\($0.path): \($0.message)"
    }
    #expect(!report.endsWithDifferences, "\(errors)")
    #expect(all.callCount > 1)

    var injected = 0
    let numbers: [Int32] = Self.isSlow ? [EIO, EACCES, EMFILE, ELOOP, ENOTDIR] : [EIO, EACCES]
    for number in numbers {
      let first = number == EIO ? 1 : 2
      for call in stride(from: first, through: all.callCount, by: Self.isSlow ? 1 : 3) {
        let plan = FaultPlan(atCall: call, .failure(number), calls: .openingDirectories)
        do {
          let report = try look.perform(folder(), plan)
          // Whoever may not enter a directory around the folder has no data folder there.
          let isAround = number == EACCES && plan.opened == ".."
          #expect(
            report.endsWithDifferences || !plan.hasFired || isAround,
            "\(look.name): error \(number) at \(call) of \(all.callCount), \(plan.opened)")
        } catch let error as MigrationError {
          // An error has a status of its own.
          #expect(plan.hasFired, "\(look.name): \(error.diagnostic.problem)")
        }
        injected += plan.hasFired ? 1 : 0
      }
    }
    let isSame = try shared.files(includingState: true) == before
    #expect(isSame || !look.isOnlyLooking)
    print("\(look.name): \(injected) faults at \(all.callCount) directories that were opened")
  }
}

extension TestFolder {
  /// The names of the quarantine's runs.
  fileprivate func runs() throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: path + "/.automerge-migrate.nosync/quarantine"
    ).filter { !$0.hasSuffix(".jsonl") }.sorted()
  }
}
