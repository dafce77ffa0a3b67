import Diagnostics
import FileFaults
import Foundation
import Testing

@testable import MigrationCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An export to the app's own files, where something in the folder or in its quarantine cannot be looked
/// at.
@Suite struct ExportFaultTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil

  @Test(arguments: try DisturbedApp.all().filter { $0.profile != nil })
  func `an export says what it could not look at, or is what it would have been`(
    _ app: DisturbedApp
  ) throws {
    let folder = try app.sample()
    try folder.importing()
    try folder.packing()
    try folder.cleaning(backup: folder.newestBackup())
    let counting = FaultPlan(atCall: .max, .stop, calls: .looking)
    let expected = try export(folder, counting)
    #expect(!expected.isTold)
    #expect(expected.files.count > 3)
    var told = 0
    let total = counting.callCount
    for call in stride(from: 1, through: total, by: Self.isSlow ? 1 : max(1, total / 60)) {
      let plan = FaultPlan(atCall: call, .failure(EIO), calls: .looking)
      let found = try export(folder, plan)
      #expect(
        found.isTold || found.files == expected.files, "\(app.name): call \(call) of \(total)")
      told += found.isTold ? 1 : 0
    }
    #expect(told > 0)
  }

  /// Exports to a new folder; returns what is there then, and whether something was told to be wrong.
  private func export(
    _ folder: TestFolder, _ faults: FaultPlan
  ) throws -> (files: [String: [UInt8]], isTold: Bool) {
    let target = folder.beside("exported")
    defer { try? FileManager.default.removeItem(atPath: target) }
    let options = ExportOptions(source: folder.path, destination: .folder(path: target))
    var isTold = false
    do {
      let context = folder.context(workers: 1, faults: faults)
      let report = try ExportWorkflow(options, context: context).perform()
      isTold = report.findings.contains { $0.severity == .error }
    } catch {
      isTold = true
    }
    var files: [String: [UInt8]] = [:]
    for path in (try? FileManager.default.subpathsOfDirectory(atPath: target)) ?? []
    where path.hasSuffix(".json") {
      files[path] = [UInt8](try Data(contentsOf: URL(filePath: target).appending(path: path)))
    }
    return (files, isTold)
  }
}
