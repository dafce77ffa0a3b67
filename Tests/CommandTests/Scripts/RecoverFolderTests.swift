import Automerge
import CommandLineSupport
import Diagnostics
import Foundation
import Testing

/// What `recover-folder` decides, and what comes of it. Values are compared, not counts.
@Suite struct RecoverFolderTests {
  let scripts: InstalledScripts
  let folder: SmallFolder

  init() throws {
    scripts = try InstalledScripts()
    folder = try SmallFolder()
  }

  func migrate(cleaningUp: Bool = true) throws {
    let options = cleaningUp ? ["--cleanup", "--layout", "monthly"] : []
    let run = try scripts.run("migrate-folder", [folder.path] + options)
    try #require(run.status == 0, "\(run.errors)")
  }

  func recover(_ options: String...) throws -> CommandRun {
    try scripts.run("recover-folder", [folder.path] + options)
  }

  /// Everything the folder shows: kind and id to fields.
  func values() throws -> [String: String] {
    let lines = try run("export-json", folder.path).output.split(separator: "\n")
    var values: [String: String] = [:]
    for line in lines {
      guard let entity = CommandRun.jsonLines(of: String(line)).first, let id = entity["id"] else {
        continue
      }
      let fields = try JSONSerialization.data(
        withJSONObject: entity["fields"] ?? [:], options: .sortedKeys)
      values["\(entity["kind"] ?? "") \(id)"] = String(decoding: fields, as: UTF8.self)
    }
    return values
  }

  /// Asserts that the plan of a dry run holds just these commands, and that it did nothing.
  func expectPlan(_ commands: String..., sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let before = try folder.snapshot()
    let run = try recover()
    let planned = run.output.split(separator: "\n").filter { $0.hasPrefix("   $ ") }.map {
      String($0.dropFirst(5)).replacing(folder.path, with: "F")
        .replacing(/F-backups\/Minuta-\d+T\d+Z-/, with: "B-")
    }
    #expect(planned == commands, "\(run.errors)", sourceLocation: sourceLocation)
    #expect(run.status == (commands.isEmpty ? 0 : 1), sourceLocation: sourceLocation)
    #expect(try folder.snapshot() == before, sourceLocation: sourceLocation)
  }

  /// Makes the checksum wrong: everything can still be read, and nothing proves it.
  func scratch(_ path: String) throws {
    var bytes = try Data(contentsOf: folder.file(path))
    bytes[5] ^= 0xFF
    try bytes.write(to: folder.file(path))
  }

  /// Takes the end away, as a sync service does that has copied a part.
  func tear(_ path: String) throws {
    try Data(try Data(contentsOf: folder.file(path)).dropLast(5)).write(to: folder.file(path))
  }

  /// Paths of files below the folder that end like this, in our own state as well.
  func files(endingWith suffix: String) throws -> [String] {
    try folder.snapshot().keys.filter { $0.hasSuffix(suffix) }.sorted()
  }

  @Test func `a folder with nothing wrong is left alone`() throws {
    try migrate()
    try expectPlan()
    let before = try folder.snapshot()
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == "Nothing is wrong.\n\(folder.path): cleaned\n")
    #expect(try folder.snapshot() == before)
  }

  @Test func `a folder that nobody migrated is not migrated`() throws {
    try expectPlan()
    let run = try recover("--apply")
    #expect(run.status == 0)
    #expect(run.output.contains(": legacy\nnext: migrate-folder"))
    #expect(try files(endingWith: ".automerge").isEmpty)
  }

  @Test func `a month that is gone comes back`() throws {
    try migrate()
    _ = try folder.backup()
    let values = try values()
    try folder.remove("records/2024/02.automerge")
    try folder.remove("tags.automerge")
    try expectPlan(
      "restore-backup B-0002.tar --into F --only records/2024/02.automerge --brief",
      "restore-backup B-0002.tar --into F --only tags.automerge --brief")
    #expect(try recover("--apply").status == 0)
    #expect(try self.values() == values)
  }

  @Test func `a record with a document of its own that is gone may have been deleted`() throws {
    let run = try scripts.run(
      "migrate-folder", [folder.path, "--cleanup", "--layout", "per-record"])
    #expect(run.status == 0)
    try folder.write(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04","startTime":"2024-01-03T07:00:00Z"}"#,
      to: "records/2024/01/2024-01-03_070000.json")
    #expect(try CommandTests.run("import-crdt", folder.path).status == 0)
    _ = try folder.backup()
    try folder.remove("records/2024/01/2024-01-15_093000.automerge")
    let plan = try recover()
    #expect(!plan.output.contains("restore-backup"))
  }

  @Test func `months that were set aside stay aside`() throws {
    try migrate()
    let backup = try folder.backup()
    let run = try run(
      "cleanup-legacy", folder.path, "--months-before", "2024-02", "--apply", "--backup", backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(!folder.exists("records/2024/01.automerge"))
    let plan = try recover("--apply")
    #expect(!plan.output.contains("restore-backup"))
    #expect(!folder.exists("records/2024/01.automerge"))
  }

  @Test func `months come back when their JSON does, to be compared with it`() throws {
    let path = "records/2024/01/2024-01-15_093000.json"
    let json = try Data(contentsOf: folder.file(path))
    try migrate()
    let values = try values()
    let backup = try folder.backup()
    let run = try run(
      "cleanup-legacy", folder.path, "--months-before", "2024-02", "--apply", "--backup", backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    try folder.write(String(decoding: json, as: UTF8.self), to: path)
    let plan = try recover()
    #expect(plan.status == 1)
    #expect(
      plan.output.contains("   $ cleanup-legacy \(folder.path) --bring-back "), "\(plan.output)")
    let recovered = try recover("--apply")
    #expect(recovered.status == 0, "\(recovered.output)\(recovered.errors)")
    #expect(folder.exists("records/2024/01.automerge"))
    #expect(try self.values() == values)
  }

  @Test func `a document comes back although another of its path is in quarantine`() throws {
    try migrate()
    _ = try folder.backup()
    let path = "records/2024/02.automerge"
    let run = ".automerge-migrate.nosync/quarantine/20260106T130000Z"
    try folder.write("displaced", to: "\(run)/\(path)")
    try folder.write(
      #"{"schema":"automerge-migrate/quarantine","version":1,"command":"import-crdt","files":1}"#,
      to: "\(run).jsonl")
    try folder.remove(path)
    try expectPlan("restore-backup B-0002.tar --into F --only \(path) --brief")
  }

  @Test func `an emptied folder gets the content of the newest backup`() throws {
    try migrate()
    _ = try folder.backup()
    let values = try values()
    for path in ["tags.automerge", "records", "notes.txt", ".automerge-migrate.nosync"] {
      try folder.remove(path)
    }
    // Nor does a backup of the emptied folder hide the one before.
    _ = try folder.backup()
    try folder.write("mine", to: "later.txt")
    try expectPlan(
      "restore-backup B-0002.tar --into F --only notes.txt records tags.automerge --brief")
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try self.values() == values)
    #expect(folder.exists("notes.txt"))
    #expect(folder.exists("later.txt"))
  }

  @Test func `an interrupted migration is completed`() throws {
    let values = try values()
    try migrate(cleaningUp: false)
    try folder.remove("records/2024/02.automerge")
    try expectPlan("import-crdt F --brief")
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("migrated\n"))
    #expect(folder.exists("records/2024/02.automerge"))
    #expect(try self.values().keys.sorted() == values.keys.sorted())
  }

  @Test func `JSON that was changed since is taken over where nobody edited the document`() throws {
    try migrate(cleaningUp: false)
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":"2024-02-01T07:00:00Z","comment":"late"}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    try expectPlan("import-crdt F --update --brief")
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try values()["record \(SmallFolder.secondID)"]?.contains("late") == true)
  }

  @Test func `conflict copies are merged`() throws {
    try migrate()
    let month = folder.file("records/2024/01.automerge")
    let copy = "records/2024/01 (Anna's conflicted copy 2026-01-06).automerge"
    try editAsApp(month, copiedTo: folder.file(copy), by: "anna") {
      try $0.set("comment", of: SmallFolder.firstID, to: "from the copy")
    }
    try editAsApp(month, by: "bert") {
      try $0.set("tagId", of: SmallFolder.firstID, to: "from the base")
    }
    try expectPlan("merge-conflicts F --brief")
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.errors)")
    let record = try #require(try values()["record \(SmallFolder.firstID)"])
    #expect(record.contains("from the copy") && record.contains("from the base"))
    #expect(!folder.exists(copy))
    #expect(try files(endingWith: "2026-01-06).automerge").count == 1)
  }

  @Test func `an interrupted restore is finished before anything is planned`() throws {
    try migrate()
    let backup = try folder.backup()
    let values = try values()
    try folder.leaveUnfinishedRestore(of: backup, settingAside: ["tags.automerge"])
    try expectPlan("restore-backup --finish F --brief")
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try self.values() == values)
  }

  @Test func `all at once`() throws {
    try migrate()
    let values = try values()
    _ = try folder.backup()
    try tear("tags.automerge")
    try folder.remove("records/2024/02.automerge")
    try folder.write(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04","startTime":"2024-03-03T07:00:00Z"}"#,
      to: "records/2024/03/2024-03-03_070000.json")
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    var after = try self.values()
    #expect(after.removeValue(forKey: "record 7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04") != nil)
    #expect(after == values)
  }

  @Test func `what is only in the cloud is fetched first`() throws {
    try migrate()
    try folder.write("", to: "records/2024/.03.automerge.icloud")
    let before = try folder.snapshot()
    let run = try recover("--apply")
    #expect(run.status == 75)
    #expect(run.errors.contains("in the cloud only"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `a folder of placeholders is not taken for an empty one`() throws {
    try migrate()
    for path in ["tags.automerge", "records", "notes.txt"] { try folder.remove(path) }
    try folder.write("", to: ".tags.automerge.icloud")
    let run = try recover("--apply")
    #expect(run.status == 75, "\(run.output)")
    #expect(!folder.exists("tags.automerge"))
  }

  @Test func `a copy that is no copy stays, and is named`() throws {
    try migrate()
    let month = try Data(contentsOf: folder.file("records/2024/01.automerge"))
    let made = Document()
    let record = try made.putObject(obj: .ROOT, key: SmallFolder.firstID, ty: .Map)
    try made.put(obj: record, key: "comment", value: .String("made separately"))
    let copy = folder.file("records/2024/01 2.automerge")
    try made.save().write(to: copy)
    let before = try Data(contentsOf: copy)
    let run = try recover("--apply")
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.output.contains("For a person to decide:\n"))
    #expect(run.output.contains("\n  there are conflict copies"))
    #expect(try Data(contentsOf: copy) == before)
    #expect(try Data(contentsOf: folder.file("records/2024/01.automerge")) == month)
  }

  @Test(arguments: [["--backup-dir", "BACKUPS"], []])
  func `line breaks, quotes and backslashes are names like any other`(options: [String]) throws {
    let odd = folder.parent.appending(path: "a\ntouch '\(folder.parent.lastPathComponent)-ran' #\\")
    let image = "records/2024/02/it's \"a\"\\\n1.jpg"
    try folder.write("a picture", to: image)
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":"2024-02-01T07:00:00Z","images":["it's \"a\"\\\n1.jpg"]}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    try FileManager.default.moveItem(at: folder.url, to: odd)
    let backups = options.isEmpty ? [] : ["--backup-dir", folder.parent.path + "/b\n's"]
    #expect(
      try CommandTests.run(
        BuiltCommands.directory.appending(path: "import-crdt"), [odd.path], input: nil
      ).status == 0)
    #expect(
      try CommandTests.run(
        BuiltCommands.directory.appending(path: "pack-backup"), [odd.path] + backups, input: nil
      ).status == 0)
    try FileManager.default.removeItem(at: odd.appending(path: image))
    try FileManager.default.removeItem(at: odd.appending(path: "tags.json"))
    let document = odd.appending(path: "tags.automerge")
    let whole = try Data(contentsOf: document)
    try whole.dropLast(5).write(to: document)
    let plan = try scripts.run("recover-folder", [odd.path] + backups)
    #expect(plan.status == 1, "\(plan.errors)")
    let applying = try #require(
      plan.output.split(separator: "\n").last?.split(separator: "after a backup: ").last)
    let run = try scripts.runLine(String(applying))
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try Data(contentsOf: document) == whole)
    #expect(try Data(contentsOf: odd.appending(path: image)) == Data("a picture".utf8))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.parent.path).allSatisfy {
        !$0.hasSuffix("-ran")
      })
  }

  @Test func `what nobody can decide is left to a person`() throws {
    try migrate(cleaningUp: false)
    try folder.write(
      #"{"id":"no uuid","startTime":"2024-02-02T07:00:00Z"}"#, to: "records/2024/02/x.json")
    let run = try recover("--apply")
    #expect(run.status == 1)
    #expect(run.output.contains("For a person to decide:\n  1 invalid-value\n    next: "))
  }

  @Test func `it stops at the first step that fails, with its status`() throws {
    try migrate()
    _ = try folder.backup()
    try tear("tags.automerge")
    try folder.write(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04","startTime":"2024-03-03T07:00:00Z"}"#,
      to: "records/2024/03/2024-03-03_070000.json")
    let run = try SteppedRun.recovering(folder.path) { command, run in
      command.name == .restoreBackup ? .failed(.inputOutput) : try run()
    }
    #expect(run.status == 74)
    #expect(run.output.contains("step 3"))
    #expect(!run.output.contains("step 4"))
    #expect(!folder.exists("records/2024/03.automerge"))
  }

  @Test(arguments: [NextCommand.Name.packBackup, .restoreBackup, .importCRDT])
  func `stopped after any step it is completed by running it again`(
    last: NextCommand.Name
  ) throws {
    try migrate()
    let values = try values()
    _ = try folder.backup()
    try tear("tags.automerge")
    try folder.write(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04","startTime":"2024-03-03T07:00:00Z"}"#,
      to: "records/2024/03/2024-03-03_070000.json")
    let stopped = try SteppedRun.recovering(folder.path) { command, run in
      let ending = try run()
      return command.name == last ? .failed(.inputOutput) : ending
    }
    #expect(stopped.status == 74)
    let again = try recover("--apply")
    #expect(again.status == 0, "\(again.output)\(again.errors)")
    var after = try self.values()
    #expect(after.removeValue(forKey: "record 7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04") != nil)
    #expect(after == values)
  }

  @Test func `its steps wait for the lock as long as it was told to`() throws {
    try migrate()
    _ = try folder.backup()
    try folder.remove("records/2024/02.automerge")
    let lock = try FolderLockHolder(folder.url)
    let waiting = try recover("--apply", "--lock-timeout", "0")
    #expect(waiting.status == 75, "\(waiting.output)\(waiting.errors)")
    #expect(waiting.errors.contains("for 0 seconds"), "\(waiting.errors)")
    withExtendedLifetime(lock) {}
  }

  @Test func `names with spaces and quotes are names`() throws {
    try migrate()
    let odd = folder.parent.appending(path: "it's \"my\" $(data)")
    try FileManager.default.moveItem(at: folder.url, to: odd)
    let backup = try scripts.run("migrate-folder", odd.path)
    #expect(backup.status <= 1)
    try FileManager.default.removeItem(at: odd.appending(path: "tags.automerge"))
    let run = try scripts.run("recover-folder", odd.path, "--apply")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(FileManager.default.fileExists(atPath: odd.path + "/tags.automerge"))
  }
}
