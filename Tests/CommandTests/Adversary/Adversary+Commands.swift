import FileFaults
import Foundation
import Testing

extension Adversary {
  /// What happens to a command while it runs.
  private struct Trouble {
    /// How many edits others make.
    var edits = 0
    /// Another command that runs at the same time.
    var companion: [String]?
    /// After how many microseconds more which signal ends it.
    var end: (pause: UInt32, signal: Int32)?
    /// The size no file can grow beyond, in units of 512 bytes.
    var room: Int?

    var isNone: Bool { edits == 0 && companion == nil && end == nil && room == nil }
  }

  /// Runs a command or script, with some trouble more often than not.
  func runAnything() throws {
    let words = anyCommand()
    // These run many commands.
    let pause = random.number(below: words[0].hasSuffix("-folder") ? 600_000 : 60_000)
    var trouble = Trouble()
    switch random.number(below: 8) {
    case 0...2: trouble.end = (UInt32(pause), random.isOne(in: 4) ? SIGTERM : SIGKILL)
    case 3: trouble.room = random.number(below: 16)
    case 4: trouble.companion = anyCommand()
    default: break
    }
    if trouble.room == nil, random.isOne(in: 3) { trouble.edits = 1 + random.number(below: 3) }
    try run(words, trouble)
  }

  /// Runs a command without trouble and returns its status.
  @discardableResult
  func run(_ words: [String]) throws -> Int32 { try run(words, Trouble()) }

  var newestBackup: String? { backupPaths.last }

  private var backupPaths: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: backups.path)) ?? []
    return names.filter { $0.hasSuffix(".tar") && !$0.hasPrefix(".") }.sorted()
      .map { backups.appending(path: $0).path }
  }

  private var quarantineRuns: [String] {
    let path = folder.path + "/.automerge-migrate.nosync/quarantine"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { !$0.hasSuffix(".jsonl") && !$0.hasPrefix(".") }.sorted()
  }

  /// A command for the folder.
  func anyCommand() -> [String] {
    let path = folder.path
    let layouts = app.hasLayouts ? ["--layout", layout] : []
    let sharing = sharesBackups ? ["--backup-dir", backups.path] : []
    var choices: [[String]] = [
      ["import-crdt", path] + layouts, ["import-crdt", path] + layouts,
      ["import-crdt", path, "--update"], ["import-crdt", path, "--update", "--prefer", "legacy"],
      ["merge-conflicts", path], ["merge-conflicts", path], ["merge-conflicts", path, "--unify"],
      ["verify-counts", path], ["verify-counts", path, "--status"], ["export-json", path],
      ["pack-backup", path] + sharing, ["pack-backup", path] + sharing,
      ["migrate-folder", path, "--cleanup"] + layouts + sharing,
      ["recover-folder", path, "--apply"] + sharing,
    ]
    if let document = any(".automerge")?.path {
      choices.append(["repair-crdt", document, "-o", place.url.path + "/salvaged.automerge"])
    }
    let backups = backupPaths
    // What a backup held whole before it was damaged may come back from there only, and nobody
    // counts how often it was chosen to be set aside.
    if counts.damaged == 0 { choices.append(["pack-backup", path, "--keep", "1"] + sharing) }
    if let newest = backups.last {
      choices += [
        ["cleanup-legacy", path, "--apply", "--backup", newest],
        ["cleanup-legacy", path, "--apply", "--backup", newest],
        ["cleanup-legacy", path, "--purge", "--older-than", "0d", "--apply", "--backup", newest],
      ]
      if app.hasLayouts {
        choices.append(
          ["cleanup-legacy", path, "--months-before", "2024-02", "--apply", "--backup", newest])
      }
      let any = backups[random.number(below: backups.count)]
      choices += [
        ["restore-backup", any, "--into", path],
        ["restore-backup", any, "--into", path, "--only", app.parts[0]],
        ["restore-backup", any, "--into", path, "--only", app.parts[1]],
        ["restore-backup", any, "--into", path, "--replacing", newest],
        ["rollback-folder", path, any], ["rollback-folder", path, any, "--with-deleted"],
      ]
      if sharesBackups {
        let purge = ["cleanup-legacy", path, "--purge", "--older-than", "0d", "--apply"]
        choices += [
          purge + ["--backup", any], purge + ["--backup", any], purge + ["--backup", any],
          ["pack-backup", path, "--keep", "1"] + sharing,
          ["pack-backup", path, "--prune", "--keep", "1", "--apply"] + sharing,
          ["restore-backup", "--finish", path],
        ]
      }
    }
    if let run = quarantineRuns.last {
      choices.append(["cleanup-legacy", path, "--bring-back", run, "--apply"])
    }
    return choices[random.number(below: choices.count)]
  }

  @discardableResult
  private func run(_ words: [String], _ trouble: Trouble) throws -> Int32 {
    let told = told(words)
    let command = try start(words, room: trouble.room)
    let companion = try trouble.companion.map { try start($0, room: nil) }
    if let companion = trouble.companion { tell("\(companion[0]) begins beside \(words[0])") }
    for _ in 0..<trouble.edits {
      usleep(UInt32(random.number(below: 30_000)))
      counts.edits += command.isRunning ? 1 : 0
      tell("while \(words[0]) runs:")
      try edit()
    }
    if let end = trouble.end {
      usleep(end.pause)
      command.sendToAll(end.signal)
    }
    let run = try command.wait()
    let mayBeKilled = trouble.end != nil
    try expectUsual(run, told, mayBeKilled: mayBeKilled, hasLittleRoom: trouble.room != nil)
    if let companion, let words = trouble.companion {
      try expectUsual(
        try companion.wait(), self.told(words), mayBeKilled: mayBeKilled,
        hasLittleRoom: trouble.room != nil)
      counts.accompanied += 1
    }
    return run.status
  }

  /// Starts a command, of which no file may grow beyond some room.
  func start(_ words: [String], room: Int?) throws -> RunningCommand {
    counts.runs += 1
    let words = words + app.told
    let executable = scripts.directory.appending(path: words[0])
    let command: RunningCommand
    if let room {
      command = try RunningCommand(
        URL(filePath: "/bin/sh"),
        ["-c", "ulimit -f \(room); exec \"$0\" \"$@\"", executable.path] + words.dropFirst())
      counts.limited += 1
    } else {
      command = try RunningCommand(executable, Array(words.dropFirst()))
    }
    try command.input.close()
    return command
  }

  /// Whatever happens, a command ends with a status it has a meaning for.
  func expectUsual(
    _ run: CommandRun, _ told: String, mayBeKilled: Bool, hasLittleRoom: Bool = false
  ) throws {
    let isKilled = run.signal == SIGKILL || run.signal == SIGTERM
    if isKilled { counts.killed += 1 }
    tell("\(told)\(hasLittleRoom ? " (with little room)" : "") ends with \(run.status)")
    var expected: Set<Int32> = [0, 1, 65, 66, 73, 75, 78]
    if hasLittleRoom { expected.formUnion([71, 74, 128 + SIGXFSZ]) }
    #expect(
      expected.contains(run.status) || isKilled && mayBeKilled,
      "\(told) ended with \(run.status): \(run.errors)\n\(self.told)")
  }

  /// A command as it is told.
  func told(_ words: [String]) -> String {
    words.map { $0.replacing(place.url.path + "/", with: "") }.joined(separator: " ")
  }
}
