import Automerge
import Foundation
import Testing

/// A directory as people have it after some time: a folder that was migrated, cleaned up, edited and
/// backed up, with old months set aside and conflict copies, and folders that share its backups.
///
/// `Minuta` is that folder, `Neighbour/Minuta` another one of the same name, `Copy` a backup that was
/// restored elsewhere, `Legacy` one that nobody has migrated, `Half` one in the middle of a restore.
/// All keep their backups in one directory. The place is made once and put back as it was as often
/// as asked for, always at the same path.
final class LivedInPlace {
  private let place: TemporaryDirectory
  private let scripts: InstalledScripts
  /// The backups of `Minuta` in the order they were made: of its JSON, of its documents, and of what
  /// it had when old months were aside.
  private(set) var backupNames: [String] = []
  /// The quarantine run of `Minuta` that set months aside.
  private(set) var monthsRun = ""
  private(set) var required: Set<String> = []
  private var valueCount = 0
  private var recordCount = 0
  /// What is in backups that were read before, by their bytes.
  private var known: [Data: Set<String>] = [:]

  var root: URL { place.url.appending(path: "now") }
  var folder: URL { root.appending(path: "Minuta") }
  var backups: URL { root.appending(path: "backups") }

  private var origin: URL { place.url.appending(path: "origin") }

  init() throws {
    place = try TemporaryDirectory()
    scripts = try InstalledScripts()
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    try makeFolder()
    try makeNeighbours()
    try FileManager.default.copyItem(at: root, to: origin)
    required = try found().union(try quarantined())
  }

  /// Puts everything back as it was in the beginning.
  func reset() throws {
    try FileManager.default.removeItem(at: root)
    try system("cp", "-Rp", origin.path, root.path)
  }

  /// A path in the place, `@` and a number meaning a backup of `Minuta`, counted from 1.
  func path(_ name: String) -> String {
    guard name.hasPrefix("@"), let number = Int(name.dropFirst()) else {
      return root.appending(path: name).path
    }
    return backups.appending(path: backupNames[number - 1]).path
  }

  // MARK: What must hold

  /// What was there in the beginning and is nowhere any more: values, and the bytes of files that
  /// were in quarantine.
  func lost() throws -> [String] { required.subtracting(try found()).sorted() }

  /// Marks of backups that are gone.
  func danglingMarks() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: backups.path).filter {
      $0.hasSuffix(".keep")
        && !FileManager.default.fileExists(
          atPath: backups.appending(path: String($0.dropLast(5))).path)
    }
  }

  /// What interrupted runs left behind.
  func debris() -> [String] {
    let unfinished = ["staging", "new", "replacement", "incoming", "chosen"]
    return (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? [])
      .filter { path in
        let parts = path.split(separator: "/")
        let isUnfinished =
          parts.suffix(3).first == "restore" && unfinished.contains(String(parts.last ?? ""))
        return path.hasSuffix(".tmp.nosync") || path.hasSuffix("-rollback.nosync") || isUnfinished
      }
  }

  /// The values in a folder, its quarantine and what restores have set aside left out.
  func shown(in folder: URL) throws -> Set<String> {
    try Values.all(below: folder, skipping: ".automerge-migrate.nosync")
  }

  /// The values in a backup.
  func values(inBackup path: String) throws -> Set<String> {
    try Values.all(inBackup: URL(filePath: path))
  }

  private func found() throws -> Set<String> {
    let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
    var found: Set<String> = []
    for path in paths ?? [] {
      let file = root.appending(path: path)
      if path.hasSuffix(".tar") {
        let bytes = try Data(contentsOf: file)
        let values = try known[bytes] ?? Values.all(inBackup: file, withContents: true)
        known[bytes] = values
        found.formUnion(values)
      } else {
        found.formUnion(try Values.all(inFile: file, named: path, withContents: true))
      }
    }
    return found
  }

  private func quarantined() throws -> Set<String> {
    let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String }
    return try (paths ?? []).filter { $0.contains(".nosync/quarantine/") }.reduce(into: []) {
      $0.formUnion(
        try Values.all(inFile: root.appending(path: $1), named: $1, withContents: true))
    }
  }

  // MARK: Making it

  private func makeFolder() throws {
    try writeTags(below: folder)
    for month in ["2023/11", "2023/12", "2023/12", "2024/01", "2024/02"] {
      try writeRecord(month, below: folder)
    }
    try write(newValue(), to: "records/2023/11/\(Self.id(1, "B"))_0.jpg", below: folder)
    try write(newValue(), to: "notes.txt", below: folder)
    try pack(folder)
    try run("import-crdt", folder.path, "--layout", "monthly", "--quiet")
    try edit("records/2024/01.automerge")
    try run("cleanup-legacy", folder.path, "--apply", "--backup", path("@1"), "--quiet")
    try pack(folder)
    try run(
      "cleanup-legacy", folder.path, "--months-before", "2023-12", "--apply", "--backup",
      path("@2"), "--quiet")
    let runs = try FileManager.default.contentsOfDirectory(
      atPath: folder.path + "/.automerge-migrate.nosync/quarantine")
    monthsRun = try #require(runs.filter { !$0.hasSuffix(".jsonl") }.sorted().last)
    // With this one imported, the first backup is not the last that holds JSON.
    try writeRecord("2024/02", below: folder)
    try run("import-crdt", folder.path, "--quiet")
    // Set aside by a restore, and in no backup but the second.
    try write(newValue(), to: "notes.txt", below: folder)
    try run("restore-backup", path("@2"), "--into", folder.path, "--only", "notes.txt", "--quiet")
    try pack(folder)
    try edit("tags.automerge")
    try edit("tags.automerge", copiedTo: "tags 2.automerge")
    try edit(
      "records/2024/01.automerge",
      copiedTo: "records/2024/01 (Anna's conflicted copy 2024-05-01).automerge")
    try writeRecord("2024/01", below: folder)
  }

  private func makeNeighbours() throws {
    let neighbour = root.appending(path: "Neighbour/Minuta")
    try writeTags(below: neighbour)
    try run("import-crdt", neighbour.path, "--layout", "monthly", "--quiet")
    try pack(neighbour)
    let copy = root.appending(path: "Copy")
    try run("restore-backup", path("@3"), "--into", copy.path, "--quiet")
    try run("cleanup-legacy", copy.path, "--apply", "--backup", path("@3"), "--quiet")
    try writeTags(below: root.appending(path: "Legacy"))
    try writeRecord("2024/03", below: root.appending(path: "Legacy"))
    let half = root.appending(path: "Half")
    try run("restore-backup", path("@3"), "--into", half.path, "--quiet")
    try write(newValue(), to: "notes.txt", below: half)
    #if os(Linux)
      let restore = try StoppableCommands()
      let stopped = try restore.start(
        ["restore-backup", path("@3"), "--into", half.path],
        at: StopPoint(command: 1, call: "renameat2", count: 3))
      #expect(try stopped.waitUntilStopped() != nil)
      _ = try stopped.killed()
    #endif
  }

  private func pack(_ folder: URL) throws {
    let run = try scripts.run(
      "pack-backup", folder.path, "--backup-dir", backups.path, "--print-path", "--quiet")
    #expect(run.status == 0, "\(run.errors)")
    let path = run.output.trimmingCharacters(in: .newlines)
    if folder == self.folder { backupNames.append(URL(filePath: path).lastPathComponent) }
  }

  private func run(_ words: String...) throws {
    let run = try scripts.run(words[0], Array(words.dropFirst()))
    #expect(run.status == 0, "\(words): \(run.errors)")
  }

  private func system(_ words: String...) throws {
    let run = try CommandTests.run(URL(filePath: "/usr/bin/env"), words, input: nil)
    #expect(run.status == 0, "\(run.errors)")
  }

  private func edit(_ document: String, copiedTo copy: String? = nil) throws {
    let value = newValue()
    try editAsApp(
      folder.appending(path: document), copiedTo: copy.map { folder.appending(path: $0) },
      by: value
    ) { document in
      guard let key = document.keys(obj: .ROOT).first,
        case .Object(let entity, .Map)? = try document.get(obj: .ROOT, key: key)
      else { throw CocoaError(.fileReadCorruptFile) }
      try document.put(obj: entity, key: "added", value: .String(value))
    }
  }

  private func newValue() -> String {
    valueCount += 1
    return Values.make(valueCount)
  }

  private func writeTags(below folder: URL) throws {
    recordCount += 1
    try write(
      ##"{"tags":[{"id":"\##(Self.id(recordCount, "A"))","name":"\##(newValue())","##
        + ##""color":"#34C759","createdAt":"2024-01-02T08:00:00Z"}]}"##,
      to: "tags.json", below: folder)
  }

  private func writeRecord(_ month: String, below folder: URL) throws {
    recordCount += 1
    let day = month.replacing("/", with: "-") + "-15"
    let minute = recordCount < 10 ? "0\(recordCount)" : "\(recordCount)"
    try write(
      #"{"id":"\#(Self.id(recordCount, "B"))","startTime":"\#(day)T09:\#(minute):00Z","#
        + #""comment":"\#(newValue())","images":[]}"#,
      to: "records/\(month)/\(day)_09\(minute)00.json", below: folder)
  }

  private func write(_ text: String, to path: String, below folder: URL) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file, options: .atomic)
  }

  private static func id(_ number: Int, _ kind: String) -> String {
    let digits = String(number)
    return "0000000\(kind)-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count)
      + digits
  }
}
