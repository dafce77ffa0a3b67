import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// Somebody writes into a file, or puts another one in its place, between any two steps of a command
/// that moves or removes it; size and time tell nothing. What he wrote is there afterwards, and the
/// report says where.
@Suite struct InPlaceWriterTests {
  private static let original = Legacy.record(1)
  /// As long as the original.
  private static let edited = Legacy.record(1, start: "2024-01-15T09:31:00Z")
  private static let name = "records/2024/01/one.json"

  private func migrated() throws -> (folder: TestFolder, backup: String) {
    let folder = try TestFolder()
    try folder.write(Self.original, to: Self.name)
    try folder.write(
      Legacy.record(2, start: "2024-01-15T10:30:00Z"), to: "records/2024/01/two.json")
    try folder.importing()
    return (folder, try folder.packing().archives[0].path)
  }

  /// The paths at which the edited bytes are.
  private func places(_ folder: TestFolder) throws -> [String] {
    try folder.files(includingState: true).filter { $0.value == Array(Self.edited.utf8) }.map(\.key)
  }

  @Test func `a clean-up sees a write in place that hides its time`() throws {
    for call in 1... {
      let (folder, backup) = try migrated()
      let isWritten = Box(false)
      let plan = FaultPlan(beforeCall: call) {
        isWritten.value = InPlaceWriter.write(Self.edited, over: "\(folder.path)/\(Self.name)")
      }
      let report = try? folder.cleaning(backup: backup, faults: plan)
      guard plan.hasFired else { break }
      if isWritten.value {
        #expect(try places(folder) == [Self.name], "call \(call)")
        #expect(report?.endsWithDifferences != false, "call \(call)")
      }
    }
  }

  @Test func `what is written while it moves and has lost its name is told to be in quarantine`()
    throws
  {
    var isSeen = false
    for call in 1... {
      let (folder, backup) = try migrated()
      let path = "\(folder.path)/\(Self.name)"
      let isWritten = Box(false)
      let first = FaultPlan(beforeCall: call) {
        isWritten.value = InPlaceWriter.write(Self.edited, over: path)
      }
      // Right before it goes back somebody takes the name.
      let second = FaultPlan(beforeCall: call + 1, on: first) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try? Data("mine".utf8).write(to: URL(filePath: path))
      }
      let report = try? folder.cleaning(backup: backup, faults: second)
      guard first.hasFired else { break }
      guard isWritten.value, let report else { continue }
      let places = try places(folder)
      #expect(places.count == 1, "call \(call)")
      guard places != [Self.name] else { continue }
      isSeen = true
      #expect(places == ["\(report.quarantine)/\(Self.name)"])
      #expect(report.findings.contains { $0.code == .displaced && $0.path == Self.name })
      #expect(report.files.first { $0.path == Self.name }?.outcome == .moved)
      #expect(try folder.bytes(Self.name) == Array("mine".utf8))
    }
    #expect(isSeen)
  }

  @Test(arguments: [true, false])
  func `a purge unlinks nothing that was written at its last instant`(isInPlace: Bool) throws {
    var writeCount = 0
    for call in 1... {
      let (folder, backup) = try migrated()
      let run = try folder.cleaning(backup: backup).quarantine
      let path = "\(folder.path)/\(run)/\(Self.name)"
      let isWritten = Box(false)
      let plan = FaultPlan(beforeCall: call) {
        if isInPlace {
          isWritten.value = InPlaceWriter.write(Self.edited, over: path)
        } else {
          isWritten.value =
            (try? Data(Self.edited.utf8).write(to: URL(filePath: path), options: .atomic)) != nil
        }
      }
      let options = PurgeOptions(folder: folder.path, backup: backup, minimumAgeSeconds: 0)
      _ = try? PurgeWorkflow(options, context: TestFolder.context(faults: plan)).perform()
      guard plan.hasFired else { break }
      guard isWritten.value else { continue }
      writeCount += 1
      #expect(try places(folder).count == 1, "call \(call)")
    }
    #expect(writeCount > 3)
  }

  @Test func `what a purge that died had in hand comes back, or goes with the next one`() throws {
    for isBroughtBack in [true, false] {
      for call in 1... {
        let (folder, backup) = try migrated()
        let run = try folder.cleaning(backup: backup).quarantine
        let plan = FaultPlan(atCall: call, .stop)
        let options = PurgeOptions(folder: folder.path, backup: backup, minimumAgeSeconds: 0)
        _ = try? PurgeWorkflow(options, context: TestFolder.context(faults: plan)).perform()
        guard plan.hasFired else { break }
        let left = try folder.files(includingState: true).filter {
          $0.key.contains("/quarantine/") && $0.key.hasSuffix(".json")
        }
        if isBroughtBack {
          _ = try? folder.bringingBack(run)
          #expect(
            try folder.files().keys.count { $0.hasSuffix(".json") } == left.count, "call \(call)")
        } else {
          try folder.purging(backup: backup, age: 0)
        }
        #expect(
          try !folder.files(includingState: true).keys.contains { $0.contains("/quarantine/") },
          "call \(call)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/\(run)"))
      }
    }
  }
}
