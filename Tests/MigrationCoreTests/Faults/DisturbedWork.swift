import Automerge
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import MigrationCore
@testable import Runs

/// A piece of work on a small folder, and what must hold wherever it was stopped.
struct DisturbedWork: Sendable, CustomTestStringConvertible {
  let name: String
  /// The folder, its backups beside it, before the work.
  let origin: StoredTree
  /// Does the work with the given system calls.
  let perform: @Sendable (TestFolder, any FileOperations) throws -> Void
  /// Checks what a reader sees now, does the work again undisturbed, and checks what is there then.
  ///
  /// After an input that could not be read the work may be done in part: then entities are compared
  /// and not bytes.
  let check: @Sendable (TestFolder, _ isPartial: Bool, _ comment: Comment) throws -> Void

  var testDescription: String { name }

  init(
    _ name: String, on folder: TestFolder,
    perform: @escaping @Sendable (TestFolder, any FileOperations) throws -> Void,
    check: @escaping @Sendable (TestFolder, _ isPartial: Bool, _ comment: Comment) throws -> Void
  ) throws {
    self.name = name
    origin = try folder.storedTree()
    self.perform = perform
    self.check = check
  }
}

extension DisturbedWork {
  /// What one after another happens to a folder, and what is done when something went wrong.
  static func all() throws -> [DisturbedWork] {
    [
      try importing(), try extending(), try packing(), try cleaning(), try purging(),
      try restoring(), try merging(), try leavingRests(), try comingBackOverRests(),
    ]
  }

  private static func sample() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.makeSample {
      $0.recordCount = 6
      $0.monthCount = 2
    }
    return folder
  }

  static func importing() throws -> DisturbedWork {
    try importing("import", into: sample())
  }

  static func extending() throws -> DisturbedWork {
    let folder = try sample()
    try folder.importing()
    for month in ["01", "02"] {
      try folder.write(
        Legacy.record(Int(month) ?? 0, start: "2023-\(month)-05T00:00:00Z"),
        to: "records/2023/\(month)/new.json")
    }
    return try importing("import of new files", into: folder)
  }

  private static func importing(_ name: String, into folder: TestFolder) throws -> DisturbedWork {
    let old = try folder.files()
    let undisturbed = try TestFolder(folder.storedTree())
    try undisturbed.importing()
    let new = try undisturbed.files()
    return try DisturbedWork(name, on: folder) { folder, operations in
      try folder.importing(workers: 1, faults: operations)
    } check: { folder, isPartial, comment in
      let now = try folder.files()
      for (name, bytes) in now where !name.hasSuffix(".tmp.nosync") {
        let isWhole = bytes == old[name] || bytes == new[name]
        #expect(isWhole || (isPartial && name.hasSuffix(".automerge")), comment)
      }
      try folder.importing()
      #expect(try folder.files().keys == new.keys, comment)
      #expect(try isPartial || folder.files() == new, comment)
      #expect(try folder.verifying().isSound, comment)
    }
  }

  static func packing() throws -> DisturbedWork {
    let folder = try sample()
    let files = try folder.files()
    return try DisturbedWork("backup", on: folder) { folder, operations in
      let context = TestFolder.context(workers: 1, faults: operations)
      _ = try PackWorkflow(PackOptions(folder: folder.path), context: context).perform()
    } check: { folder, _, comment in
      #expect(try folder.files() == files, comment)
      let list = try PackWorkflow(PackOptions(folder: folder.path), context: TestFolder.context())
        .list(isVerifying: true)
      #expect(list.archives.allSatisfy { $0.isVerified == true }, comment)
      #expect(list.archives.count <= 1, comment)
      #expect(try folder.packing().archives[0].isVerified == true, comment)
    }
  }

  /// A folder that is imported and backed up, and its legacy files.
  private static func migrated() throws -> (folder: TestFolder, legacy: [String: [UInt8]]) {
    let folder = try sample()
    try folder.importing()
    try folder.packing()
    return (folder, try folder.files().filter { $0.key.hasSuffix(".json") })
  }

  static func cleaning() throws -> DisturbedWork {
    let (folder, legacy) = try migrated()
    return try DisturbedWork("clean-up", on: folder) { folder, operations in
      try folder.cleaning(backup: folder.newestBackup(), faults: operations)
    } check: { folder, _, comment in
      try expectPlaces(for: legacy, in: folder, comment)
      #expect(try folder.verifying().isSound, comment)
      #expect(
        try !folder.cleaning(backup: folder.newestBackup()).endsWithDifferences, comment)
      try expectPlaces(for: legacy, in: folder, comment)
      #expect(try folder.files().keys.filter { $0.hasSuffix(".json") } == [], comment)
      #expect(try folder.verifying().isSound, comment)
    }
  }

  /// Every legacy file is where it was or in quarantine, with its bytes.
  private static func expectPlaces(
    for legacy: [String: [UInt8]], in folder: TestFolder, _ comment: Comment
  ) throws {
    try expectPlaces(for: legacy, among: folder.files(includingState: true), comment)
  }

  private static func expectPlaces(
    for legacy: [String: [UInt8]], among now: [String: [UInt8]], _ comment: Comment
  ) throws {
    for (name, bytes) in legacy {
      let places = now.filter { path, _ in
        path == name || (path.contains("/quarantine/") && path.hasSuffix("/" + name))
      }
      #expect(!places.isEmpty && places.values.allSatisfy { $0 == bytes }, comment)
    }
  }

  /// A clean-up of files of which something stays in its place.
  static func leavingRests() throws -> DisturbedWork {
    let (app, legacy) = try profiled()
    let undisturbed = try ProfiledFolder(sample: "habits", in: TestFolder(app.folder.storedTree()))
    try undisturbed.cleaning(backup: undisturbed.folder.newestBackup())
    let cleaned = try undisturbed.files()
    let rest = try #require(cleaned["habits.json"])
    return try DisturbedWork("clean-up that leaves rests", on: app.folder) { folder, operations in
      let app = try ProfiledFolder(app.profile, in: folder)
      try app.cleaning(backup: folder.newestBackup(), faults: operations)
    } check: { folder, _, comment in
      let app = try ProfiledFolder(app.profile, in: folder)
      func expectPlaces() throws {
        var places = try folder.files(includingState: true)
        // Whatever happens the app finds its settings.
        #expect(
          places["habits.json"] == rest || places["habits.json"] == legacy["habits.json"], comment)
        if places["habits.json"] == rest { places["habits.json"] = nil }
        try DisturbedWork.expectPlaces(for: legacy, among: places, comment)
      }
      try expectPlaces()
      #expect(try app.verifying().isSound, comment)
      #expect(try !app.cleaning(backup: folder.newestBackup()).endsWithDifferences, comment)
      try expectPlaces()
      #expect(try app.files() == cleaned, comment)
      #expect(try app.verifying().isSound, comment)
      #expect(try app.status().status == .cleaned, comment)
    }
  }

  /// What was cleaned up comes back over what it left.
  static func comingBackOverRests() throws -> DisturbedWork {
    let (app, legacy) = try profiled()
    let before = try app.files()
    let run = try app.cleaning(backup: app.folder.newestBackup()).quarantine
    let rest = try app.folder.bytes("habits.json")
    return try DisturbedWork("coming back over rests", on: app.folder) { folder, operations in
      try ProfiledFolder(app.profile, in: folder).bringingBack(run, faults: operations)
    } check: { folder, _, comment in
      let app = try ProfiledFolder(app.profile, in: folder)
      var places = try folder.files(includingState: true)
      if places["habits.json"] == rest { places["habits.json"] = nil }
      try DisturbedWork.expectPlaces(for: legacy, among: places, comment)
      #expect(folder.exists("habits.json"), comment)
      // Where all of it is back there is no run any more.
      _ = try? app.bringingBack(run)
      #expect(try app.files() == before, comment)
      // What has moved while the power failed may have both names.
      for (path, bytes) in try folder.files(includingState: true) where path.hasPrefix("\(run)/") {
        #expect(before[String(path.dropFirst(run.count + 1))] == bytes, comment)
      }
    }
  }

  /// A folder of an app that only a profile describes, imported and backed up, and its legacy files.
  private static func profiled() throws -> (app: ProfiledFolder, legacy: [String: [UInt8]]) {
    let app = try ProfiledFolder(sample: "habits", in: TestFolder())
    try app.importing()
    try app.packing()
    return (app, try app.files().filter { $0.key.hasSuffix(".json") })
  }

  static func purging() throws -> DisturbedWork {
    let (folder, legacy) = try migrated()
    try folder.cleaning(backup: folder.newestBackup())
    let documents = try folder.files()
    return try DisturbedWork("purge", on: folder) { folder, operations in
      _ = try PurgeWorkflow(
        PurgeOptions(folder: folder.path, backup: folder.newestBackup(), minimumAgeSeconds: 0),
        context: TestFolder.context(faults: operations)
      ).perform()
    } check: { folder, _, comment in
      try folder.purging(backup: folder.newestBackup(), age: 0)
      #expect(try folder.files() == documents, comment)
      #expect(
        try folder.files(includingState: true).keys.filter { $0.contains("/quarantine/") } == [],
        comment)
      // The only place that is left.
      try folder.restoring(folder.newestBackup())
      #expect(try folder.files().filter { $0.key.hasSuffix(".json") } == legacy, comment)
    }
  }

  static func merging() throws -> DisturbedWork {
    let folder = try MergeCrashTests.folder()
    let old = try folder.files()
    let undisturbed = try TestFolder(folder.storedTree())
    try undisturbed.merging()
    let new = try undisturbed.files()
    let quarantined = try undisturbed.quarantined()
    return try DisturbedWork("merge", on: folder) { folder, operations in
      try folder.merging(faults: operations)
    } check: { folder, isPartial, comment in
      for (name, bytes) in try folder.files() where !name.hasSuffix(".tmp.nosync") {
        let isWhole = bytes == old[name] || bytes == new[name]
        #expect(isWhole || (isPartial && name.hasSuffix(".automerge")), comment)
      }
      try folder.merging()
      #expect(try folder.files().keys == new.keys, comment)
      #expect(try isPartial || folder.files() == new, comment)
      #expect(try folder.quarantined() == quarantined, comment)
      for name in new.keys where name.hasSuffix(".automerge") {
        let expected = try undisturbed.document(name).heads
        #expect(try folder.document(name).heads == expected, comment)
      }
    }
  }

  static func restoring() throws -> DisturbedWork {
    let (folder, _) = try migrated()
    let restored = try folder.files()
    try folder.write("edited", to: "tags.json")
    try folder.write("mine", to: "records/2024/later.txt")
    try folder.write("mine, too", to: "later.txt")
    let edited = try folder.files()
    return try DisturbedWork("restore", on: folder) { folder, operations in
      try folder.restoring(folder.newestBackup(), faults: operations)
    } check: { folder, _, comment in
      func expectNothingLost() throws {
        let now = Set(try folder.files(includingState: true).values)
        #expect(edited.values.allSatisfy(now.contains), comment)
      }
      try expectNothingLost()
      try folder.restoring(folder.newestBackup())
      #expect(try folder.files() == restored, comment)
      try expectNothingLost()
    }
  }
}

extension TestFolder {
  /// Everything there is, the backups beside the folder included.
  func storedTree() throws -> StoredTree {
    try OperationRecorder(root: Directory.open(path: beside("."))).recording.origin
  }

  /// The newest of the folder's backups.
  func newestBackup() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: beside("Minuta-backups"))
    let newest = try #require(names.filter { $0.hasSuffix(".tar") }.max())
    return beside("Minuta-backups/\(newest)")
  }

  /// What no run may leave behind for good: temporaries, marks of runs, restores that are not done,
  /// and quarantines without a file.
  func debris() throws -> [String] {
    let all = try FileManager.default.subpathsOfDirectory(atPath: beside("."))
    let files = try files(includingState: true).keys
    return all.filter { path in
      let parts = path.split(separator: "/")
      guard let name = parts.last else { return false }
      let isEmptyRun =
        parts.count == 4 && parts[2] == "quarantine" && !name.hasSuffix(".jsonl")
        && !files.contains { $0.contains("/quarantine/\(name)/") }
      return name.hasSuffix(".tmp.nosync") || name == "staging" || name == "incoming"
        || name == FolderNames.currentRun.description || isEmptyRun
    }
  }
}
