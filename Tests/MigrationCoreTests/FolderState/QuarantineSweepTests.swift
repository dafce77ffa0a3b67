import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import FolderState
@testable import MigrationCore
@testable import Runs

@Suite struct QuarantineSweepTests {
  private static let place = ".automerge-migrate.nosync/quarantine"

  private func sweep(_ folder: TestFolder) throws {
    let unlisted = try Quarantine.sweep(Directory.open(path: folder.path))
    #expect(unlisted == [])
  }

  @Test func `a folder without a quarantine is left as it is`() throws {
    let folder = try TestFolder()
    try sweep(folder)
    #expect(try folder.files(includingState: true).isEmpty)
    #expect(!folder.exists(".automerge-migrate.nosync"))
  }

  @Test func `runs without files, manifests without runs and temporaries go`() throws {
    let folder = try TestFolder()
    let kept = "\(Self.place)/20260106T120000Z/records/2024/01/a.json"
    try folder.write("{}", to: kept)
    try folder.write("{}\n", to: "\(Self.place)/20260106T120000Z.jsonl")
    try folder.write("{}\n", to: "\(Self.place)/20260107T120000Z.jsonl")
    let quarantine = try Directory.open(path: folder.path + "/\(Self.place)")
    _ = try quarantine.stage(Array("{}".utf8), as: "20260108T120000Z.jsonl")
    try folder.write("{}\n", to: "\(Self.place)/notes.txt")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/\(Self.place)/20260109T120000Z/records/2024",
      withIntermediateDirectories: true)
    try folder.write("{}\n", to: "\(Self.place)/20260109T120000Z.jsonl")
    try sweep(folder)
    #expect(
      Set(try folder.files(includingState: true).keys) == [
        kept, "\(Self.place)/20260106T120000Z.jsonl", "\(Self.place)/notes.txt",
      ])
    #expect(!folder.exists("\(Self.place)/20260109T120000Z"))
  }

  @Test func `the mode of a directory that stays is left alone`() throws {
    let folder = try TestFolder()
    try folder.write("{}", to: "\(Self.place)/20260106T120000Z/records/2024/a.json")
    let place = "\(folder.path)/\(Self.place)/20260106T120000Z/records"
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: place)
    try sweep(folder)
    #expect(try mode(place) == 0o500)
    // One without files goes all the same.
    try FileManager.default.removeItem(atPath: "\(place)/2024")
    try sweep(folder)
    #expect(!folder.exists("\(Self.place)/20260106T120000Z"))
  }

  @Test func `a clean-up killed at any call is in the way of none that moves less`() throws {
    var interrupted = 0
    for call in 1... {
      let (folder, backup) = try CleanUpTests.migrated(recordCount: 3)
      let faults = FaultPlan(atCall: call, .stop)
      _ = try? folder.cleaning(backup: backup, faults: faults)
      guard faults.hasFired else { break }
      // Nearly always both are runs of one second.
      let left = try folder.files().keys.sorted().filter {
        $0.hasPrefix("records/") && $0.hasSuffix(".json")
      }
      guard let last = left.last else { continue }
      try FileManager.default.removeItem(atPath: "\(folder.path)/\(last)")
      interrupted += 1
      let after = try folder.cleaning(backup: backup)
      #expect(after.files.count { $0.outcome == .moved } == left.count, "call \(call)")
    }
    #expect(interrupted > 20)
  }

  @Test func `a clean-up killed at any call leaves nothing behind after the next one`() throws {
    for call in 1... {
      let (folder, backup) = try CleanUpTests.migrated(recordCount: 3)
      let faults = FaultPlan(atCall: call, .stop)
      let run = try? folder.cleaning(backup: backup, faults: faults)
      guard faults.hasFired else {
        #expect(run?.endsWithDifferences == false)
        break
      }
      let after = try folder.cleaning(backup: backup)
      #expect(!after.endsWithDifferences)
      let names = try folder.files(includingState: true).keys
      #expect(!names.contains { $0.hasSuffix(".tmp.nosync") || $0.hasSuffix("/run.json") })
      let manifests = names.filter { $0.hasPrefix(Self.place) && $0.hasSuffix(".jsonl") }
      for manifest in manifests {
        let run = manifest.dropLast(".jsonl".count) + "/"
        #expect(names.contains { $0.hasPrefix(run) }, "call \(call): \(manifest)")
      }
    }
  }
}
