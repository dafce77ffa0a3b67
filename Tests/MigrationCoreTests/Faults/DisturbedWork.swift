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
  let app: DisturbedApp
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
    _ name: String, of app: DisturbedApp = .minuta, on folder: TestFolder,
    perform: @escaping @Sendable (TestFolder, any FileOperations) throws -> Void,
    check: @escaping @Sendable (TestFolder, _ isPartial: Bool, _ comment: Comment) throws -> Void
  ) throws {
    self.name = "\(app.name): \(name)"
    self.app = app
    origin = try folder.storedTree()
    self.perform = perform
    self.check = check
  }

  /// The folder as it is before the work, or as something else left it.
  func folder(_ tree: StoredTree? = nil) throws -> TestFolder {
    try TestFolder(tree ?? origin, profile: app.profile)
  }

  /// How many faults of a kind a slice has: there are more works on the folders of other apps.
  var sliceCount: Int { app.profile == nil ? 4 : 2 }
}

extension DisturbedWork {
  /// What one after another happens to a folder, and what is done when something went wrong.
  static func all() throws -> [DisturbedWork] {
    [try extending(), try merging()]
      + (try DisturbedApp.all().flatMap { app in
        [
          try importing(app), try updating(app), try streaming(app), try packing(app),
          try cleaning(app), try bringingBack(app), try purging(app), try restoring(app),
          try restoringSome(app), try exporting(app),
        ] + (app.profile == nil ? [] : [try unifying(app)])
      })
  }

  static func importing(_ app: DisturbedApp) throws -> DisturbedWork {
    try transforming("import", app, app.sample()) { folder, operations in
      try folder.importing(workers: 1, faults: operations)
    }
  }

  static func extending() throws -> DisturbedWork {
    let folder = try DisturbedApp.minuta.sample()
    try folder.importing()
    for month in ["01", "02"] {
      try folder.write(
        Legacy.record(Int(month) ?? 0, start: "2023-\(month)-05T00:00:00Z"),
        to: "records/2023/\(month)/new.json")
    }
    return try transforming("import of new files", .minuta, folder) { folder, operations in
      try folder.importing(workers: 1, faults: operations)
    }
  }

  static func updating(_ app: DisturbedApp) throws -> DisturbedWork {
    let folder = try app.sample()
    try folder.importing()
    try app.edit(folder)
    return try transforming("update", app, folder) { folder, operations in
      try folder.importing(workers: 1, faults: operations) { $0.updates = true }
    }
  }

  static func streaming(_ app: DisturbedApp) throws -> DisturbedWork {
    let source = try app.sample()
    let stream = try TestStream([])
    let options = ExportOptions(source: source.path, destination: .stream(stream.sink))
    _ = try ExportWorkflow(options, context: source.context()).perform()
    let bytes = stream.bytes
    let empty = try TestFolder(profile: app.profile)
    return try transforming("import of a stream", app, empty, endsProven: false) {
      folder, operations in
      // A source is read only once, as a pipe, and open as long as its stream is there.
      let stream = try TestStream(bytes)
      defer { withExtendedLifetime(stream) {} }
      let options = ImportOptions(source: .stream(try stream.source()), target: folder.path)
      _ = try ImportWorkflow(options, context: folder.context(workers: 1, faults: operations))
        .perform()
    }
  }

  /// Copies of every kind, of documents and of JSON, and objects that devices made separately.
  static func unifying(_ app: DisturbedApp) throws -> DisturbedWork {
    let sample = try ProfiledMergeCrashTests.folder(app.name).folder
    let folder = try TestFolder(profile: app.profile)
    try sample.copy(to: folder)
    return try transforming("merge with --unify", app, folder, endsProven: false) {
      folder, operations in
      try folder.merging(faults: operations) { $0.unifies = true }
    }
  }

  /// Work that can be done again wherever it was stopped, and leads to the same files.
  private static func transforming(
    _ name: String, _ app: DisturbedApp, _ folder: TestFolder, endsProven: Bool = true,
    _ perform: @escaping @Sendable (TestFolder, any FileOperations) throws -> Void
  ) throws -> DisturbedWork {
    let old = try folder.files()
    let undisturbed = try TestFolder(folder.storedTree(), profile: app.profile)
    try perform(undisturbed, SystemFileOperations())
    let new = try undisturbed.files()
    #expect(new != old)
    return try DisturbedWork(name, of: app, on: folder, perform: perform) {
      folder, isPartial, comment in
      let now = try folder.files(includingState: true)
      for (name, bytes) in now where !name.hasSuffix(".tmp.nosync") && !name.hasPrefix(".") {
        let isWhole = bytes == old[name] || bytes == new[name]
        #expect(isWhole || (isPartial && name.hasSuffix(".automerge")), "\(comment): \(name)")
      }
      let held = Set(now.values)
      for (name, bytes) in old where new[name] == nil {
        #expect(held.contains(bytes), "\(comment): \(name) is nowhere")
      }
      try perform(folder, SystemFileOperations())
      #expect(try folder.files().keys == new.keys, comment)
      #expect(try isPartial || folder.files() == new, comment)
      #expect(try !endsProven || folder.verifying().isSound, comment)
    }
  }

  static func packing(_ app: DisturbedApp) throws -> DisturbedWork {
    let folder = try app.sample()
    let files = try folder.files()
    return try DisturbedWork("backup", of: app, on: folder) { folder, operations in
      let context = folder.context(workers: 1, faults: operations)
      _ = try PackWorkflow(PackOptions(folder: folder.path), context: context).perform()
    } check: { folder, _, comment in
      #expect(try folder.files() == files, comment)
      let list = try PackWorkflow(PackOptions(folder: folder.path), context: folder.context())
        .list(isVerifying: true)
      #expect(list.archives.allSatisfy { $0.isVerified == true }, comment)
      #expect(list.archives.count <= 1, comment)
      #expect(try folder.packing().archives[0].isVerified == true, comment)
    }
  }

  /// A folder that is imported and backed up, and its legacy files.
  private static func migrated(
    _ app: DisturbedApp
  ) throws -> (folder: TestFolder, legacy: [String: [UInt8]]) {
    let folder = try app.sample()
    try folder.importing()
    try folder.packing()
    return (folder, try folder.files().filter { $0.key.hasSuffix(".json") })
  }

  static func cleaning(_ app: DisturbedApp) throws -> DisturbedWork {
    let (folder, legacy) = try migrated(app)
    let undisturbed = try TestFolder(folder.storedTree(), profile: app.profile)
    try undisturbed.cleaning(backup: undisturbed.newestBackup())
    let cleaned = try undisturbed.files()
    return try DisturbedWork("clean-up", of: app, on: folder) { folder, operations in
      try folder.cleaning(backup: folder.newestBackup(), faults: operations)
    } check: { folder, _, comment in
      try expectPlaces(for: legacy, leaving: cleaned, in: folder, comment)
      #expect(try folder.verifying().isSound, comment)
      #expect(
        try !folder.cleaning(backup: folder.newestBackup()).endsWithDifferences, comment)
      try expectPlaces(for: legacy, leaving: cleaned, in: folder, comment)
      #expect(try folder.files() == cleaned, comment)
      #expect(cleaned.keys.filter { $0.hasSuffix(".json") } == app.kept, comment)
      #expect(try folder.verifying().isSound, comment)
    }
  }

  /// Every legacy file is where it was or in quarantine, with its bytes. Where it was there may be what
  /// a clean-up leaves of it, but not nothing, if it leaves anything: the app finds its settings.
  private static func expectPlaces(
    for legacy: [String: [UInt8]], leaving cleaned: [String: [UInt8]], in folder: TestFolder,
    _ comment: Comment
  ) throws {
    let now = try folder.files(includingState: true)
    for (name, bytes) in legacy {
      var places = now.filter { path, _ in
        path == name || (path.contains("/quarantine/") && path.hasSuffix("/" + name))
      }
      if let rest = cleaned[name] {
        #expect(places[name] != nil, comment)
        if places[name] == rest { places[name] = nil }
      }
      #expect(!places.isEmpty && places.values.allSatisfy { $0 == bytes }, comment)
    }
  }

  static func purging(_ app: DisturbedApp) throws -> DisturbedWork {
    let (folder, legacy) = try migrated(app)
    try folder.cleaning(backup: folder.newestBackup())
    let documents = try folder.files()
    return try DisturbedWork("purge", of: app, on: folder) { folder, operations in
      _ = try PurgeWorkflow(
        PurgeOptions(folder: folder.path, backup: folder.newestBackup(), minimumAgeSeconds: 0),
        context: folder.context(faults: operations)
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

  static func bringingBack(_ app: DisturbedApp) throws -> DisturbedWork {
    let (folder, legacy) = try migrated(app)
    try folder.cleaning(backup: folder.newestBackup())
    let cleaned = try folder.files()
    let run = try #require(
      try FileManager.default.contentsOfDirectory(
        atPath: folder.path + "/.automerge-migrate.nosync/quarantine"
      ).first { !$0.hasSuffix(".jsonl") })
    let documents = try folder.documents()
    return try DisturbedWork("bringing back", of: app, on: folder) { folder, operations in
      try folder.bringingBack(run, faults: operations)
    } check: { folder, _, comment in
      try expectPlaces(for: legacy, leaving: cleaned, in: folder, comment)
      #expect(try folder.documents() == documents, comment)
      // Where all of it is back there is no such run any more.
      if try folder.files().filter({ $0.key.hasSuffix(".json") }) != legacy {
        try folder.bringingBack(run)
      }
      #expect(try folder.files().filter { $0.key.hasSuffix(".json") } == legacy, comment)
      try folder.importing()
      #expect(try folder.documents() == documents, comment)
    }
  }

  /// What was cleaned up comes back, and nothing else is touched.
  static func restoringSome(_ app: DisturbedApp) throws -> DisturbedWork {
    let (folder, legacy) = try migrated(app)
    try folder.cleaning(backup: folder.newestBackup())
    try folder.write("mine", to: "\(app.part)/later.txt")
    let old = try folder.files()
    let new = old.merging(legacy.filter { $0.key.hasPrefix(app.part + "/") }) { $1 }
    return try DisturbedWork("restore of a part", of: app, on: folder) { folder, operations in
      try folder.restoring(folder.newestBackup(), only: [app.part], faults: operations)
    } check: { folder, _, comment in
      for (name, bytes) in try folder.files() where !name.hasSuffix(".tmp.nosync") {
        #expect(bytes == new[name], "\(comment): \(name)")
      }
      try folder.restoring(folder.newestBackup(), only: [app.part])
      #expect(try folder.files() == new, comment)
      // The mark of a run that died stays until one that writes.
      try folder.importing()
    }
  }

  static func exporting(_ app: DisturbedApp) throws -> DisturbedWork {
    let (folder, legacy) = try migrated(app)
    try folder.cleaning(backup: folder.newestBackup())
    let old = try folder.files()
    let undisturbed = try TestFolder(folder.storedTree(), profile: app.profile)
    @Sendable func export(_ folder: TestFolder, _ faults: (any FileOperations)? = nil) throws {
      let options = ExportOptions(
        source: folder.path, destination: .folder(path: folder.beside("exported")))
      _ = try ExportWorkflow(options, context: folder.context(workers: 1, faults: faults)).perform()
    }
    @Sendable func exported(_ folder: TestFolder) throws -> [String: [UInt8]] {
      let root = URL(filePath: folder.beside("exported"))
      var files: [String: [UInt8]] = [:]
      for path in (try? FileManager.default.subpathsOfDirectory(atPath: root.path)) ?? []
      where path.hasSuffix(".json") {
        files[path] = [UInt8](try Data(contentsOf: root.appending(path: path)))
      }
      return files
    }
    try export(undisturbed)
    let new = try exported(undisturbed)
    #expect(new.keys.sorted() == legacy.keys.sorted())
    return try DisturbedWork("export", of: app, on: folder) { folder, operations in
      try export(folder, operations)
    } check: { folder, isPartial, comment in
      // What could not be read is told; what holds less than it may is in the way of the next.
      for (name, bytes) in try exported(folder) where !isPartial {
        #expect(bytes == new[name], "\(comment): \(name)")
      }
      if isPartial { try? FileManager.default.removeItem(atPath: folder.beside("exported")) }
      try export(folder)
      #expect(try exported(folder) == new, comment)
      #expect(try folder.files() == old, comment)
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

  static func restoring(_ app: DisturbedApp) throws -> DisturbedWork {
    let (folder, _) = try migrated(app)
    let restored = try folder.files()
    try app.edit(folder)
    try folder.write("mine", to: "\(app.part)/later.txt")
    try folder.write("mine, too", to: "later.txt")
    let edited = try folder.files()
    return try DisturbedWork("restore", of: app, on: folder) { folder, operations in
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
