import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// Old months of a folder that only a profile describes, with faults in the middle.
@Suite struct ProfiledMonthsTests {
  private static let moved = [
    "log/2025-01.automerge", "log/2025/2025-01-30.json", "log/2025/2025-01-31.json",
  ]

  private func folder() throws -> (folder: ProfiledFolder, backup: String) {
    let folder = try ProfiledFolder(sample: "habits")
    try folder.importing()
    return (folder, try folder.packing().archives[0].path)
  }

  private func settingAside(
    _ folder: ProfiledFolder, _ backup: String, faults: (any FileOperations)? = nil
  ) throws -> CleanUpReport {
    var options = CleanUpOptions(folder: folder.folder.path, backup: backup)
    options.monthsBefore = "2025-02"
    return try CleanUpWorkflow(options, context: folder.context(workers: 1, faults: faults))
      .perform()
  }

  @Test func `a month goes with its JSON and is not imported anew`() throws {
    let (folder, backup) = try folder()
    let before = try folder.files()
    let report = try settingAside(folder, backup)
    #expect(!report.endsWithDifferences, "\(report.findings)")
    #expect(try folder.files() == before.filter { !Self.moved.contains($0.key) })
    #expect(try folder.verifying().isSound)
    let after = try folder.files()
    try folder.folder.write(before[Self.moved[1]] ?? [], to: Self.moved[1])
    let again = try folder.importing()
    #expect(again.findings.contains { $0.code == .setAside && $0.path == Self.moved[1] })
    try folder.folder.remove(Self.moved[1])
    #expect(try folder.files() == after)
  }

  @Test(arguments: [FaultPlan.Fault.failure(EIO), .stop])
  func `stopped at any call it is completed by the next run, and JSON never lacks its document`(
    _ fault: FaultPlan.Fault
  ) throws {
    var call = 0
    while true {
      call += 1
      let (folder, backup) = try folder()
      let before = try folder.files()
      let faults = FaultPlan(atCall: call, fault)
      // That it fails is what is tried.
      _ = try? settingAside(folder, backup, faults: faults)
      if !faults.hasFired { break }
      let after = try folder.files()
      // The documents of the month go last.
      if after[Self.moved[0]] == nil {
        #expect(after[Self.moved[1]] == nil && after[Self.moved[2]] == nil, "call \(call)")
      }
      _ = try folder.importing()
      #expect(try folder.documents() == after.filter { $0.key.hasSuffix(".automerge") })
      let again = try settingAside(folder, backup)
      #expect(!again.endsWithDifferences, "call \(call): \(again.findings)")
      #expect(
        try folder.files() == before.filter { !Self.moved.contains($0.key) }, "call \(call)")
      #expect(try folder.verifying().isSound, "call \(call)")
    }
    #expect(call > 10)
  }
}
