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

/// A directory of which everything moves to quarantine changes places with an empty one.
@Suite struct MovingDirectoriesTests {
  private static let month = "records/2024/01"

  /// A folder of three imported records in one directory, backed up.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    for number in 1...3 {
      try folder.write(
        Legacy.record(number, start: "2024-01-15T1\(number):30:00Z"),
        to: "\(Self.month)/\(number).json")
    }
    try folder.importing()
    try folder.packing()
    return folder
  }

  private func state(_ path: String) throws -> FileState { try Directory.open(path: path).state() }

  private func quarantined(_ folder: TestFolder) throws -> [String: [UInt8]] {
    try folder.files(includingState: true).filter { $0.key.contains("/quarantine/2") }
      .filter { !$0.key.hasSuffix(".jsonl") }
  }

  @Test func `a directory moves as one, and an empty one is in its place`() throws {
    let folder = try folder()
    let place = "\(folder.path)/\(Self.month)"
    try FileManager.default.setAttributes([.posixPermissions: 0o751], ofItemAtPath: place)
    let before = try state(place)
    let report = try folder.cleaning(backup: folder.newestBackup())
    #expect(report.files.map(\.outcome) == [.moved, .moved, .moved] && report.findings.isEmpty)
    let moved = try state("\(folder.path)/\(report.quarantine)/\(Self.month)")
    #expect(moved.isSameFile(as: before))
    let left = try state(place)
    #expect(!left.isSameFile(as: before) && left.mode == 0o751)
    #expect(try Directory.open(path: place).entries().isEmpty)
    #expect(try !folder.files(includingState: true).keys.contains { $0.hasSuffix(".moving") })
    #expect(try folder.verifying().isSound)
  }

  @Test func `what stays of a directory is in the one that takes its place`() throws {
    let folder = try folder()
    try folder.write([1, 2], to: "\(Self.month)/a.jpg")
    let image = try Directory.open(path: "\(folder.path)/\(Self.month)").state(of: "a.jpg")
    let before = try state("\(folder.path)/\(Self.month)")
    let report = try folder.cleaning(backup: folder.newestBackup())
    #expect(report.files.count { $0.outcome == .moved } == 3)
    #expect(report.findings.isEmpty)
    let place = try Directory.open(path: "\(folder.path)/\(Self.month)")
    #expect(try !place.state().isSameFile(as: before))
    #expect(try place.state(of: "a.jpg") == image)
    #expect(try place.entries().map(\.name) == ["a.jpg"])
    #expect(try quarantined(folder).count == 3)
  }

  @Test(arguments: [["a.jpg", "b.jpg"], ["sub/c.jpg"]])
  func `files move one by one out of a directory that holds much else`(others: [String]) throws {
    let folder = try folder()
    for other in others { try folder.write([1, 2], to: "\(Self.month)/\(other)") }
    let before = try state("\(folder.path)/\(Self.month)")
    let report = try folder.cleaning(backup: folder.newestBackup())
    #expect(report.files.count { $0.outcome == .moved } == 3)
    #expect(try state("\(folder.path)/\(Self.month)").isSameFile(as: before))
    for other in others { #expect(folder.exists("\(Self.month)/\(other)")) }
  }

  @Test func `a directory of which something is said besides keeps its place`() throws {
    let folder = try folder()
    let place = "\(folder.path)/\(Self.month)"
    // Not every file system takes such words.
    guard try Self.note("user.com.dropbox.ignored", at: place) else { return }
    let before = try state(place)
    let report = try folder.cleaning(backup: folder.newestBackup())
    #expect(report.files.count { $0.outcome == .moved } == 3)
    #expect(try state(place).isSameFile(as: before))
  }

  /// Notes a word about a directory, as a sync service does; false where that cannot be done.
  private static func note(_ name: String, at path: String) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c", "import os, sys; os.setxattr(sys.argv[1], sys.argv[2], b'1')", path, name,
    ]
    process.standardError = nil
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// Lets something come before each call of a clean-up in turn, and lets the clean-up die at one of the
  /// next calls, or not; the next run then finds it where it came to.
  @Test(arguments: 0..<6)
  func `what comes meanwhile is where it came to`(callsToDeath: Int) throws {
    let origin = try folder()
    let tree = try origin.storedTree()
    let new = Array(Legacy.record(9, start: "2024-01-20T10:00:00Z").utf8)
    let changed = Array(
      Legacy.record(2, start: "2024-01-15T12:30:00Z", #""comment":"changed""#).utf8)
    for call in 1... {
      let folder = try TestFolder(tree)
      let place = URL(filePath: folder.path).appending(path: Self.month)
      let rude = FaultPlan(beforeCall: call) {
        // Nothing is written where the run has not got.
        try? Data(new).write(to: place.appending(path: "new.json"))
        try? Data(changed).write(to: place.appending(path: "2.json"))
      }
      let plan = FaultPlan(atCall: callsToDeath == 0 ? .max : call + callsToDeath, .stop, on: rude)
      let report = try? folder.cleaning(backup: folder.newestBackup(), faults: plan)
      guard rude.hasFired else {
        #expect(call > 8 && report != nil)
        return
      }
      if plan.hasFired { _ = try? folder.cleaning(backup: folder.newestBackup()) }
      let comment: Comment = "call \(call)"
      #expect(try folder.bytes("\(Self.month)/new.json") == new, comment)
      #expect(try folder.bytes("\(Self.month)/2.json") == changed, comment)
      let quarantined = try quarantined(folder)
      #expect(!quarantined.values.contains(new) && !quarantined.values.contains(changed), comment)
      #expect(try folder.debris() == [], comment)
      #expect(
        try !folder.files(includingState: true).keys.contains { $0.hasSuffix(".moving") }, comment)
    }
  }

  /// Lets somebody replace and remove what stays of a directory, before each call of a clean-up in turn.
  @Test(arguments: 0..<4)
  func `what stays is what somebody else makes of it meanwhile`(callsToDeath: Int) throws {
    let origin = try folder()
    try origin.write([1], to: "\(Self.month)/a.jpg")
    let tree = try origin.storedTree()
    for call in 1... {
      let folder = try TestFolder(tree)
      let image = URL(filePath: folder.path).appending(path: "\(Self.month)/a.jpg")
      let rude = FaultPlan(beforeCall: call) {
        // It is there at any moment.
        try? Data([7, 7]).write(to: image, options: .atomic)
      }
      let plan = FaultPlan(atCall: callsToDeath == 0 ? .max : call + callsToDeath, .stop, on: rude)
      _ = try? folder.cleaning(backup: folder.newestBackup(), faults: plan)
      guard rude.hasFired else { break }
      let comment: Comment = "call \(call)"
      if plan.hasFired {
        _ = try? folder.cleaning(backup: folder.newestBackup())
        #expect(try folder.files(includingState: true).values.contains([7, 7]), comment)
        #expect(folder.exists("\(Self.month)/a.jpg"), comment)
      } else {
        #expect(try folder.bytes("\(Self.month)/a.jpg") == [7, 7], comment)
      }
    }
    guard callsToDeath == 0 else { return }
    for call in 1... {
      let folder = try TestFolder(tree)
      let image = URL(filePath: folder.path).appending(path: "\(Self.month)/a.jpg")
      let rude = FaultPlan(beforeCall: call) { try? FileManager.default.removeItem(at: image) }
      _ = try? folder.cleaning(backup: folder.newestBackup(), faults: rude)
      guard rude.hasFired else { break }
      #expect(!folder.exists("\(Self.month)/a.jpg"), "call \(call)")
    }
  }

  @Test func `what somebody removes after a clean-up died is not there again`() throws {
    let origin = try folder()
    try origin.write([8, 8], to: "\(Self.month)/a.jpg")
    let tree = try origin.storedTree()
    var keptCount = 0
    for call in 1... {
      let folder = try TestFolder(tree)
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? folder.cleaning(backup: folder.newestBackup(), faults: plan)
      guard plan.hasFired else { break }
      let comment: Comment = "call \(call)"
      #expect(try folder.bytes("\(Self.month)/a.jpg") == [8, 8], comment)
      try folder.remove("\(Self.month)/a.jpg")
      let report = try folder.cleaning(backup: folder.newestBackup())
      #expect(!folder.exists("\(Self.month)/a.jpg"), comment)
      if try quarantined(folder).values.contains([8, 8]) {
        keptCount += 1
        #expect(report.findings.contains { $0.path == "\(Self.month)/a.jpg" }, comment)
      }
      #expect(
        try !folder.files(includingState: true).keys.contains { $0.hasSuffix(".moving") }, comment)
    }
    #expect(keptCount > 1)
  }

  @Test(arguments: [EINVAL, ENOSYS, ENOTSUP])
  func `where names cannot be exchanged, files move one by one`(number: Int32) throws {
    let origin = try folder()
    let tree = try origin.storedTree()
    var isRefused = false
    for call in 1... {
      let folder = try TestFolder(tree)
      let before = try state("\(folder.path)/\(Self.month)")
      let plan = FaultPlan(atCall: call, .failure(number))
      let report = try? folder.cleaning(backup: folder.newestBackup(), faults: plan)
      guard plan.hasFired else { break }
      guard let report, report.files.allSatisfy({ $0.outcome == .moved }) else { continue }
      if try state("\(folder.path)/\(Self.month)").isSameFile(as: before) { isRefused = true }
      #expect(try folder.verifying().isSound)
    }
    #expect(isRefused)
  }
}
