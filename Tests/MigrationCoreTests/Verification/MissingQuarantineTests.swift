import Diagnostics
import FileFaults
import Folders
import Foundation
import SampleFolders
import Testing

@testable import MigrationCore

/// Files that a manifest lists are missed once they are gone, unless we took them out ourselves.
@Suite struct MissingQuarantineTests {
  private struct Cleaned {
    var folder: TestFolder
    var backup: String
    /// The path of the run, and what lies in it.
    var run: String
    var files: [String]

    init() throws {
      (folder, backup) = try CleanUpTests.migrated(recordCount: 8)
      run = try folder.cleaning(backup: backup).quarantine
      let prefix = run + "/"
      files = try folder.files(includingState: true).keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    func missing() throws -> [String] {
      try folder.verifying().findings.filter { $0.code == .missingFile }.map {
        "\($0.severity.rawValue) \($0.path)"
      }
    }

    func manifest() throws -> [Substring] {
      String(decoding: try folder.bytes(run + ".jsonl"), as: UTF8.self).split(separator: "\n")
    }
  }

  @Test func `a file that is gone is a warning while documents have what it held`() throws {
    let cleaned = try Cleaned()
    #expect(try cleaned.missing() == [])
    try cleaned.folder.remove(cleaned.files[0])
    #expect(try cleaned.missing() == ["warning \(cleaned.run).jsonl"])
    #expect(try cleaned.folder.verifying().isSound)
    #expect(try !cleaned.folder.verifying().isComplete)
  }

  @Test func `it is an error once its document is gone, too`() throws {
    let cleaned = try Cleaned()
    let file = try #require(cleaned.files.first { $0.contains("/records/") })
    try cleaned.folder.remove(file)
    for document in try cleaned.folder.documents().keys where document.hasPrefix("records/") {
      try cleaned.folder.remove(document)
    }
    #expect(try cleaned.missing() == ["error \(file)"])
  }

  @Test func `a run that is gone is missed, also after others have written`() throws {
    let cleaned = try Cleaned()
    try cleaned.folder.remove(cleaned.run)
    #expect(try cleaned.missing() == ["warning \(cleaned.run).jsonl"])
    try cleaned.folder.importing()
    try cleaned.folder.cleaning(backup: cleaned.backup)
    #expect(try cleaned.missing() == ["warning \(cleaned.run).jsonl"])
  }

  @Test func `what a purge unlinks is not missed, and what it keeps stays listed`() throws {
    let cleaned = try Cleaned()
    let kept = cleaned.files[1]
    try cleaned.folder.write(try cleaned.folder.bytes(kept) + Array(" ".utf8), to: kept)
    let lost = cleaned.files[2]
    try cleaned.folder.write([], to: lost)
    let report = try cleaned.folder.purging(backup: cleaned.backup, age: 0)
    #expect(report.files.count { $0.outcome == .kept } == 2)
    #expect(try cleaned.manifest().count == 3)
    try cleaned.folder.remove(lost)
    #expect(try cleaned.missing() == ["warning \(cleaned.run).jsonl"])
  }

  @Test func `a purge that dies at any call is completed by the next one`() throws {
    for call in 1... {
      let cleaned = try Cleaned()
      let faults = FaultPlan(atCall: call, .stop)
      let options = PurgeOptions(
        folder: cleaned.folder.path, backup: cleaned.backup, minimumAgeSeconds: 0)
      // The death is what is wanted.
      _ = try? PurgeWorkflow(options, context: TestFolder.context(faults: faults)).perform()
      guard faults.hasFired else { break }
      try cleaned.folder.purging(backup: cleaned.backup, age: 0)
      #expect(try cleaned.missing() == [], "call \(call)")
      #expect(!cleaned.folder.exists(cleaned.run + ".jsonl"), "call \(call)")
    }
  }

  @Test func `what is not there to come back is told by who closes the run`() throws {
    let cleaned = try Cleaned()
    try cleaned.folder.remove(cleaned.files[0])
    let report = try cleaned.folder.bringingBack(cleaned.run)
    #expect(report.findings.filter { $0.code == .missingFile }.map(\.path) == [cleaned.run])
    #expect(!cleaned.folder.exists(cleaned.run + ".jsonl"))
    #expect(try cleaned.missing() == [])
  }

  @Test func `what came back is not missed when it goes again`() throws {
    let cleaned = try Cleaned()
    let paths = cleaned.files.map { String($0.dropFirst(cleaned.run.count + 1)) }
    let stays = paths[0]
    try cleaned.folder.write("something else", to: stays)
    try cleaned.folder.bringingBack(cleaned.run)
    #expect(try cleaned.manifest().count == 2)
    for path in paths { try cleaned.folder.remove(path) }
    #expect(try cleaned.missing() == [])
  }

  @Test func `what a run that died has not moved is not missed once the next one has`() throws {
    let origin = try TestFolder()
    for (number, month) in [(1, "01"), (2, "02"), (3, "03")] {
      try origin.write(
        Legacy.record(number, start: "2024-\(month)-15T10:30:00Z"),
        to: "records/2024/\(month)/\(number).json")
    }
    try origin.importing()
    try origin.packing()
    let tree = try origin.storedTree()
    var partCount = 0
    for call in 1... {
      let folder = try TestFolder(tree)
      let faults = FaultPlan(atCall: call, .stop)
      // The death is what is wanted.
      _ = try? folder.cleaning(backup: folder.newestBackup(), faults: faults)
      guard faults.hasFired else { break }
      try folder.cleaning(backup: folder.newestBackup())
      let runs = try folder.files(includingState: true).keys.filter {
        $0.contains("/quarantine/") && $0.hasSuffix(".jsonl")
      }
      if runs.count > 1 { partCount += 1 }
      let missing = try folder.verifying().findings.filter { $0.code == .missingFile }
      #expect(missing.isEmpty, "call \(call)")
    }
    #expect(partCount > 1)
  }
}
