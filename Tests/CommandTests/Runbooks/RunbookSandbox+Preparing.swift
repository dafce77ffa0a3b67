import Automerge
import Foundation
import Testing

/// What happens to a folder before somebody takes a runbook.
extension RunbookSandbox {
  /// The record of the sample folder that the app edits.
  static let meeting = "EE62DA84-8C86-4543-BEF0-C7E65E600C31"

  func copySample() throws {
    try FileManager.default.copyItem(
      at: BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder"), to: folder)
  }

  /// Runs a command that must succeed.
  func prepare(_ line: String) throws {
    let run = try run(line)
    try #require(run.status == 0, "\(line): \(run.output)")
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(at: folder.appending(path: path))
  }

  func replace(_ text: String, by other: String, in path: String) throws {
    let url = folder.appending(path: path)
    let before = try String(contentsOf: url, encoding: .utf8)
    try #require(before.contains(text))
    try Data(before.replacing(text, with: other).utf8).write(to: url)
  }

  func edit(
    _ path: String, copiedTo copy: String? = nil, by user: String = "anna",
    _ change: (Document) throws -> Void
  ) throws {
    try editAsApp(
      folder.appending(path: path), copiedTo: copy.map { folder.appending(path: $0) }, by: user,
      change)
  }

  /// Overwrites a few bytes in the middle, as a bad sector does.
  func damage(_ path: String) throws {
    let url = folder.appending(path: path)
    var bytes = try Data(contentsOf: url)
    let middle = bytes.count / 2
    bytes.replaceSubrange(middle..<middle + 4, with: [0, 0, 0, 0])
    try bytes.write(to: url)
  }

  /// Makes the last line of the history what a run leaves that dies before it can write its end.
  func leaveLastRunDead() throws {
    let state = folder.appending(path: ".automerge-migrate.nosync")
    let log = state.appending(path: "history.jsonl")
    let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
    let last = try #require(lines.last)
    let end = try #require(last.firstRange(of: #","end""#)).lowerBound
    try Data((last[..<end] + "}").utf8).write(to: state.appending(path: "run.json"))
    try Data(lines.dropLast().map { $0 + "\n" }.joined().utf8).write(to: log)
  }

  func documentPaths() throws -> [String] {
    try paths(below: "").filter { $0.hasSuffix(".automerge") && !$0.hasPrefix(".") }
  }

  /// The runs in quarantine, relative to the folder, oldest first.
  func quarantineRuns() throws -> [String] {
    let quarantine = ".automerge-migrate.nosync/quarantine"
    return try FileManager.default
      .contentsOfDirectory(atPath: folder.appending(path: quarantine).path)
      .filter { !$0.hasSuffix(".jsonl") }.sorted().map { "\(quarantine)/\($0)" }
  }

  func moveLegacyFiles(from: String, to: String) throws {
    for path in try paths(below: from) where path.hasSuffix(".json") {
      try FileManager.default.moveItem(
        at: folder.appending(path: "\(from)/\(path)"), to: folder.appending(path: "\(to)/\(path)"))
    }
  }

  /// What a restore leaves that dies while entries are moving: everything unpacked, one entry out.
  func killRestore(moved path: String) throws {
    let place = folder.appending(path: ".automerge-migrate.nosync/restore/20260106T120000Z-0001")
    for name in ["new", "old"] {
      try FileManager.default.createDirectory(
        at: place.appending(path: name), withIntermediateDirectories: true)
    }
    try prepare(
      "tar -xf Minuta-backups/*-0002.tar -C '\(place.path)/new' --exclude=manifest.json")
    try FileManager.default.moveItem(
      at: folder.appending(path: path), to: place.appending(path: "old/\(path)"))
  }

  private func paths(below directory: String) throws -> [String] {
    let url = folder.appending(path: directory)
    return (FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? [])
      .sorted()
  }
}
