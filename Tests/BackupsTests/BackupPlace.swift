import Backups
import Foundation
import SafeFiles

/// A data folder and a place for its backups, both in a temporary place that goes away.
final class BackupPlace {
  let root: String
  var folderPath: String { root + "/Minuta" }
  var backupsPath: String { root + "/Minuta-backups" }

  init(_ files: [String: String] = [:]) throws {
    root = NSTemporaryDirectory() + "backups-\(UUID().uuidString)"
    for path in [folderPath, backupsPath] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    for (path, content) in files { try write(content, to: path) }
  }

  deinit {
    // What stays behind in the temporary directory harms no test.
    try? FileManager.default.removeItem(atPath: root)
  }

  /// A folder with a little of everything.
  static func sample() throws -> BackupPlace {
    let place = try BackupPlace([
      "tags.json": #"{"tags":[]}"#,
      "records/2024/01/2024-01-15_093000.json": "{}",
      "records/2024/01/a_0.jpg": String(repeating: "jpeg", count: 2_000),
      "records/2024/01.automerge": "document",
      "empty": "",
      ".hidden/x": "hidden",
      ".minuta.writelock.nosync": "",
      ".automerge-migrate.nosync/history.jsonl": "{}\n",
      "records/.minuta.writelock.nosync": "not the lock: it lies deeper",
    ])
    try FileManager.default.createDirectory(
      atPath: place.folderPath + "/records/2025", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.folderPath + "/link", withDestinationPath: "/etc/passwd")
    return place
  }

  func folder(_ operations: any FileOperations = SystemFileOperations()) throws -> Directory {
    try Directory.open(path: folderPath, operations: operations)
  }

  func backups(_ operations: any FileOperations = SystemFileOperations()) throws -> Directory {
    try Directory.open(path: backupsPath, operations: operations)
  }

  func store() throws -> BackupStore {
    try BackupStore(backups(), for: folder(), named: "Minuta")
  }

  func write(_ content: String, to path: String) throws {
    let file = folderPath + "/" + path
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(content.utf8).write(to: URL(filePath: file))
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: folderPath + "/" + path)
  }

  @discardableResult
  func pack(
    isCompressed: Bool = false, at time: FileTime = FileTime(seconds: 1_767_700_800),
    context: BackupContext = BackupContext(), faults: any FileOperations = SystemFileOperations()
  ) throws -> VerifiedBackup {
    var packer = try BackupPacker(folder(), named: "Minuta", created: time, context: context)
    let names = try store().nextNames(at: time, isCompressed: isCompressed)
    return try packer.pack(into: backups(faults), isCompressed: isCompressed, names: names)
  }

  /// Stages and commits a restore into the folder.
  @discardableResult
  func restore(
    _ backup: VerifiedBackup, run: FileName = "run",
    faults: any FileOperations = SystemFileOperations()
  ) throws
    -> RestoreOutcome
  {
    try StagedRestore.stage(backup, into: folder(faults), run: run).commit()
  }

  /// Restores what differs of some entries of a backup; nil if nothing does.
  @discardableResult
  func restore(
    _ paths: [String], of backup: BackupArchive, run: FileName = "run",
    faults: any FileOperations = SystemFileOperations()
  ) throws -> RestoreOutcome? {
    let folder = try folder(faults)
    let chosen = try backup.choose(paths).differing(from: folder)
    return chosen.isEmpty ? nil : try StagedRestore.stage(chosen, into: folder, run: run).commit()
  }

  /// Everything in the folder but the app's lock and our own state.
  func snapshot() throws -> [String: String] {
    try Self.snapshot(of: folderPath).filter { path, _ in
      path != ".minuta.writelock.nosync" && !path.hasPrefix(".automerge-migrate.nosync")
    }
  }

  /// Each path below a directory with what is there: content, link target, or `/`.
  static func snapshot(of path: String) throws -> [String: String] {
    var found: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let file = path + "/" + name
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      switch attributes[.type] as? FileAttributeType {
      case .typeSymbolicLink:
        found[name] = "-> " + (try FileManager.default.destinationOfSymbolicLink(atPath: file))
      case .typeDirectory: found[name] = "/"
      case .typeUnknown, .typeSocket: found[name] = "|"
      default:
        found[name] = try String(decoding: Data(contentsOf: URL(filePath: file)), as: UTF8.self)
      }
    }
    return found
  }

  func backupNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: backupsPath).sorted()
  }

  // MARK: Unfinished restores

  @discardableResult
  func finishRestore(
    _ operations: any FileOperations = SystemFileOperations()
  ) throws -> RestoreOutcome? {
    try afterForks { try UnfinishedRestore.finish(in: folder(operations)) }
  }

  @discardableResult
  func undoRestore(
    _ operations: any FileOperations = SystemFileOperations()
  ) throws -> RestoreOutcome? {
    try afterForks { try UnfinishedRestore.undo(in: folder(operations)) }
  }

  /// Tries again while a program that another test starts holds the lock of a restore that has ended: from
  /// its fork to its exec it has all that is open.
  private func afterForks<Value>(_ body: () throws -> Value) throws -> Value {
    for _ in 0..<500 {
      do {
        return try body()
      } catch BackupError.restoreAtWork {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
    return try body()
  }
}
