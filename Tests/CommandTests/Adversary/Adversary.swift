import Automerge
import Foundation
import Testing

/// Does to a folder what apps, sync services, impatient people and failing machines do: edits it in
/// both formats, brings conflict copies, runs the commands in any order, and kills them anywhere.
///
/// It remembers every value that must not get lost: all that was ever written, but those that the
/// app itself wrote over in a JSON file.
final class Adversary {
  /// What happened, to be read when something got lost.
  private(set) var story: [String] = []
  /// How many commands were run, killed and stopped by a file size limit.
  private(set) var runCount = 0
  private(set) var killCount = 0
  private(set) var limitCount = 0

  private let place: TemporaryDirectory
  private let folder: URL
  private var random: SeededRandom
  private var required: Set<String> = []
  private var valueCount = 0
  private var recordCount = 0
  private let layout: String

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    place = try TemporaryDirectory()
    folder = place.url.appending(path: "Minuta")
    layout = random.isOne(in: 2) ? "monthly" : "per-record"
    try makeFolder()
  }

  private var backups: URL { place.url.appending(path: "Minuta-backups") }

  // MARK: Values

  private func newValue() -> String {
    valueCount += 1
    let value = Values.make(valueCount)
    required.insert(value)
    return value
  }

  /// The values that nobody could get back any more.
  func lostValues() throws -> [String] {
    required.subtracting(try Values.all(below: place.url)).sorted()
  }

  /// Fails for each value that nobody could get back any more.
  func expectNothingLost(_ comment: Comment) throws {
    let lost = try lostValues()
    #expect(
      lost.isEmpty,
      "\(comment): lost \(lost)\n\(story.map { "  \($0)" }.joined(separator: "\n"))")
  }

  /// Deletes a file for good, as no command of ours may.
  func destroy(_ path: String) throws {
    try FileManager.default.removeItem(at: folder.appending(path: path))
  }

  // MARK: The folder

  private func makeFolder() throws {
    let tags = (1...3).map { number in
      ##"{"id":"\##(Self.id(number, "A"))","name":"\##(newValue())","color":"#34C759","##
        + #""createdAt":"2024-01-02T08:00:00Z"}"#
    }
    try write("{\"tags\":[\(tags.joined(separator: ","))]}", to: "tags.json")
    for _ in 1...6 { try writeNextRecord() }
    try write(newValue(), to: "records/2024/01/\(Self.id(1, "B"))_0.jpg")
    try write(newValue(), to: "notes.txt")
  }

  private func writeNextRecord() throws {
    recordCount += 1
    let month = 1 + recordCount % 2
    let minute = recordCount < 10 ? "0\(recordCount)" : "\(recordCount)"
    try write(
      #"{"id":"\#(Self.id(recordCount, "B"))","startTime":"2024-0\#(month)-15T09:\#(minute):00Z","#
        + #""comment":"\#(newValue())","images":[]}"#,
      to: "records/2024/0\(month)/2024-0\(month)-15_09\(minute)00.json")
  }

  private static func id(_ number: Int, _ kind: String) -> String {
    let digits = String(number)
    return "0000000\(kind)-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count)
      + digits
  }

  private func write(_ text: String, to path: String) throws {
    try write(Data(text.utf8), to: folder.appending(path: path))
  }

  /// Writes as the app does: beside the file, then over it.
  private func write(_ data: Data, to file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file, options: .atomic)
  }

  /// The files of an extension, in a fixed order, our own state and placeholders left out.
  private func files(_ suffix: String) -> [URL] {
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }.sorted()
      .map { folder.appending(path: $0) }
  }

  private func any(_ suffix: String) -> URL? {
    let files = files(suffix)
    return files.isEmpty ? nil : files[random.number(below: files.count)]
  }

  private func tell(_ event: String) { story.append(event) }

  private func shown(_ file: URL) -> String {
    String(file.path.dropFirst(folder.path.count + 1))
  }

  // MARK: Steps

  /// Does one thing.
  func step() throws {
    switch random.number(below: 10) {
    case 0: try editJSON()
    case 1: try editDocument()
    case 2, 3: try bringConflictCopy()
    case 4: try addRecord()
    default: try runCommand()
    }
  }

  /// The app writes another value over one in a JSON file; the old one is gone by its own wish.
  private func editJSON() throws {
    guard let file = any(".json") else { return }
    let value = newValue()
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    guard let old = text.firstRange(of: /~v[0-9]{7}/) else {
      required.remove(value)
      return
    }
    required.remove(String(text[old]))
    try write(Data(text.replacingCharacters(in: old, with: value).utf8), to: file)
    tell("the app writes \(value) over \(text[old]) in \(shown(file))")
  }

  private func addRecord() throws {
    try writeNextRecord()
    tell("the app adds record \(recordCount)")
  }

  /// The app changes, adds or deletes something in a document; history keeps what was there.
  private func editDocument() throws {
    guard let file = any(".automerge"),
      let bytes = try edited([UInt8](Data(contentsOf: file)), what: shown(file))
    else { return }
    try write(Data(bytes), to: file)
  }

  private func edited(_ bytes: [UInt8], what: String) throws -> [UInt8]? {
    guard let document = try? Document(Data(bytes)) else { return nil }
    let keys = document.keys(obj: .ROOT)
    guard let key = keys.isEmpty ? nil : keys[random.number(below: keys.count)],
      case .Object(let entity, .Map)? = try document.get(obj: .ROOT, key: key)
    else { return nil }
    if random.isOne(in: 5) {
      try document.delete(obj: .ROOT, key: key)
      tell("the app deletes \(key) in \(what)")
    } else {
      let value = newValue()
      let field = random.isOne(in: 2) ? "comment" : "added"
      try document.put(obj: entity, key: field, value: .String(value))
      tell("the app puts \(value) at \(field) of \(key) in \(what)")
    }
    return [UInt8](document.save())
  }

  /// A sync service leaves a copy under one of its names, and one of the two was edited.
  private func bringConflictCopy() throws {
    let suffix = [".automerge", ".automerge", ".json", ".jpg"][random.number(below: 4)]
    guard let file = any(suffix) else { return }
    let stem = file.deletingPathExtension().lastPathComponent
    let names = [
      "\(stem) 2", "\(stem) (Anna's conflicted copy 2026-01-06)", "\(stem) (1)",
      "\(stem).sync-conflict-20260106-120000-ABCDEFG", "\(stem)-MACBOOK", "\(stem) [conflicted]",
      "\(stem) (In Konflikt stehende Kopie von Anna 2026-01-06)",
      "\(stem)_Andy-PC_Jan-03-0901-2026_CaseConflict_1",
    ]
    let copy = file.deletingLastPathComponent()
      .appending(path: names[random.number(below: names.count)] + suffix)
    guard !FileManager.default.fileExists(atPath: copy.path) else { return }
    let bytes = try Data(contentsOf: file)
    tell("a sync service copies \(shown(file)) to \(copy.lastPathComponent)")
    switch suffix {
    case ".automerge":
      guard let edited = try edited([UInt8](bytes), what: copy.lastPathComponent) else { return }
      try write(Data(edited), to: copy)
      // A name that looks like a conflict may be all that is left.
      if random.isOne(in: 8) {
        try FileManager.default.removeItem(at: file)
        tell("and the original is gone")
      }
    case ".json":
      let text = String(decoding: bytes, as: UTF8.self)
      guard let old = text.firstRange(of: /~v[0-9]{7}/) else { return }
      try write(Data(text.replacingCharacters(in: old, with: newValue()).utf8), to: copy)
    default:
      try write(random.isOne(in: 2) ? bytes : Data(newValue().utf8), to: copy)
    }
  }

  // MARK: Commands

  private var newestBackup: String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: backups.path)) ?? []
    return names.filter { $0.hasSuffix(".tar") && !$0.hasPrefix(".") }.max()
      .map { backups.appending(path: $0).path }
  }

  private func anyBackup() -> String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: backups.path)) ?? []
    let sorted = names.filter { $0.hasSuffix(".tar") && !$0.hasPrefix(".") }.sorted()
    return sorted.isEmpty
      ? nil : backups.appending(path: sorted[random.number(below: sorted.count)]).path
  }

  private func runCommand() throws {
    let path = folder.path
    var choices: [[String]] = [
      ["import-crdt", path, "--layout", layout], ["import-crdt", path, "--layout", layout],
      ["import-crdt", path, "--update"], ["import-crdt", path, "--update", "--prefer", "legacy"],
      ["merge-conflicts", path], ["merge-conflicts", path], ["merge-conflicts", path, "--unify"],
      ["verify-counts", path], ["verify-counts", path, "--status"], ["export-json", path],
      ["pack-backup", path], ["pack-backup", path],
    ]
    if let backup = newestBackup {
      choices += [
        ["cleanup-legacy", path, "--apply", "--backup", backup],
        ["cleanup-legacy", path, "--apply", "--backup", backup],
        ["cleanup-legacy", path, "--purge", "--older-than", "0d", "--apply", "--backup", backup],
        ["cleanup-legacy", path, "--months-before", "2024-02", "--apply", "--backup", backup],
      ]
    }
    if let backup = anyBackup() {
      choices += [
        ["restore-backup", backup, "--into", path],
        ["restore-backup", backup, "--into", path, "--only", "tags.json"],
        ["restore-backup", backup, "--into", path, "--only", "records/2024/01"],
      ]
    }
    try runCommand(choices[random.number(below: choices.count)], isTroubled: random.isOne(in: 2))
  }

  /// Runs a command and, if it is to have trouble, kills it at some moment or lets no file grow
  /// beyond a few kilobytes.
  @discardableResult
  private func runCommand(_ words: [String], isTroubled: Bool) throws -> CommandRun {
    let told = words.map { $0.replacing(place.url.path + "/", with: "") }.joined(separator: " ")
    let executable = BuiltCommands.directory.appending(path: words[0]).path
    runCount += 1
    let command: RunningCommand
    let isLimited = isTroubled && random.isOne(in: 4)
    if isLimited {
      // In units of 512 bytes; a file that would get longer fails with SIGXFSZ or an error.
      let limit = String(random.number(below: 16))
      command = try RunningCommand(
        URL(filePath: "/bin/sh"),
        ["-c", "ulimit -f \(limit); exec \"$0\" \"$@\"", executable] + words.dropFirst())
      limitCount += 1
    } else {
      command = try RunningCommand(URL(filePath: executable), Array(words.dropFirst()))
    }
    try command.input.close()
    if isTroubled, !isLimited {
      usleep(UInt32(random.number(below: 60_000)))
      command.send(random.isOne(in: 4) ? SIGTERM : SIGKILL)
    }
    let run = try command.wait()
    if run.signal == SIGKILL || run.signal == SIGTERM { killCount += 1 }
    tell("\(told)\(isLimited ? " (with little room)" : "") ends with \(run.status)")
    let expected: Set<Int32> = [0, 1, 65, 66, 73, 75, 78]
    let isKilled = isTroubled && run.signal != nil && run.signal != SIGTRAP && run.signal != SIGILL
    #expect(
      expected.contains(run.status) || isKilled || isLimited && [71, 74].contains(run.status),
      "\(told) ended with \(run.status): \(run.errors)\n\(story.joined(separator: "\n"))")
    return run
  }

  /// Runs every command once more without trouble: the folder comes to rest.
  func settle() throws {
    tell("and now everything once more, untroubled")
    let path = folder.path
    let pack = ["pack-backup", path, "--reuse"]
    if try runCommand(pack, isTroubled: false).status == 75, let backup = newestBackup {
      try runCommand(["restore-backup", backup, "--into", path], isTroubled: false)
    }
    for _ in 1...2 {
      try runCommand(["merge-conflicts", path], isTroubled: false)
      try runCommand(["import-crdt", path, "--update"], isTroubled: false)
    }
    let before = try snapshot()
    try runCommand(["merge-conflicts", path], isTroubled: false)
    try runCommand(["import-crdt", path, "--update"], isTroubled: false)
    #expect(
      try snapshot() == before, "a folder at rest changed\n\(story.joined(separator: "\n"))")
    #expect(try runCommand(["verify-counts", path], isTroubled: false).status <= 1)
    let debris = files("").filter { $0.lastPathComponent.hasSuffix(".tmp.nosync") }
    #expect(debris.isEmpty)
  }

  private func snapshot() throws -> [String: Data] {
    var content: [String: Data] = [:]
    for suffix in [".automerge", ".json", ".jpg"] {
      for file in files(suffix) { content[shown(file)] = try Data(contentsOf: file) }
    }
    return content
  }
}
