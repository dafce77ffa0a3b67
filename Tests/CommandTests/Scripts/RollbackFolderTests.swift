import Automerge
import CommandLineSupport
import Diagnostics
import Foundation
import Testing

@Suite struct RollbackFolderTests {
  let legacy = [
    "tags.json", "records/2024/01/2024-01-15_093000.json",
    "records/2024/02/2024-02-01_070000.json",
  ]

  /// Migrates a folder and returns the backup made before.
  func migrate(_ folder: SmallFolder, _ scripts: InstalledScripts) throws -> String {
    let backup = try folder.backup()
    let run = try scripts.run("migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(run.status == 0, "\(run.errors)")
    return backup
  }

  @Test func `documents become the JSON they were made from`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let before = try run("export-json", folder.path).jsonLines
    let backup = try migrate(folder, scripts)
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("automerge_migration_complete_v1"))
    for file in legacy { #expect(folder.exists(file)) }
    #expect(folder.exists("notes.txt"))
    #expect(folder.exists("records/2024/01/\(SmallFolder.firstID)_0.jpg"))
    let visible = try folder.snapshot().keys.filter { !$0.hasPrefix(".") }
    #expect(visible.allSatisfy { !$0.hasSuffix(".automerge") })
    let after = try CommandTests.run("export-json", folder.path).jsonLines
    #expect(after.map { $0["id"] as? String } == before.map { $0["id"] as? String })
    #expect(
      after.map { ($0["fields"] as? [String: Any])?["comment"] as? String }
        == before.map { ($0["fields"] as? [String: Any])?["comment"] as? String })
    // No work is left beside the folder.
    let beside = try FileManager.default.contentsOfDirectory(atPath: folder.parent.path)
    #expect(beside.sorted() == ["Minuta", "Minuta-backups"])
  }

  @Test func `the way back can be taken back`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    #expect(try scripts.run("rollback-folder", folder.path, backup).status == 0)
    let again = try scripts.run("migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(again.status == 0, "\(again.errors)")
    #expect(try run("verify-counts", folder.path, "--against", backup).status == 0)
  }

  @Test func `a damaged backup stops it before anything moves`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    var bytes = try Data(contentsOf: URL(filePath: backup))
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.write(to: URL(filePath: backup))
    // The backup of today, which comes first, gives the folder its number.
    func content() throws -> [String: SmallFolder.Entry] {
      try folder.snapshot().filter { !$0.key.hasSuffix(".id") }
    }
    let before = try content()
    #expect(try scripts.run("rollback-folder", folder.path, backup).status == 65)
    #expect(try content() == before)
  }

  /// Leaves what a run does that dies just before it puts the next content in place.
  func leaveReadyWork(_ folder: SmallFolder, _ backup: String) throws {
    let run = try SteppedRun.rollingBack(folder.path, to: backup) { command, run in
      command.arguments.contains("--replacing") ? .failed(.inputOutput) : try run()
    }
    #expect(run.status == 74, "\(run.output)\(run.errors)")
    #expect(FileManager.default.fileExists(atPath: folder.path + "-rollback.nosync/today"))
  }

  @Test func `a second rollback beside a living one is busy and changes nothing`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let work = URL(filePath: folder.path + "-rollback.nosync")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: false)
    let pid = "\(ProcessInfo.processInfo.processIdentifier)\n"
    try Data(pid.utf8).write(to: work.appending(path: "made-by-rollback-folder"))
    let before = try folder.snapshot()
    let busy = try scripts.run("rollback-folder", folder.path, backup)
    #expect(busy.status == 75, "\(busy.errors)")
    #expect(try folder.snapshot() == before)
    try FileManager.default.removeItem(at: work)
    #expect(try scripts.run("rollback-folder", folder.path, backup).status == 0)
  }

  @Test func `of several rollbacks that begin at once one does the work, and the others wait`()
    throws
  {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let running = try (1...4).map { _ in
      let command = try RunningCommand(
        BuiltCommands.directory.appending(path: "rollback-folder"), [folder.path, backup])
      try command.input.close()
      return command
    }
    let runs = try running.map { try $0.wait() }
    // Who begins when all is done finds nothing to do.
    #expect(runs.allSatisfy { [0, 75].contains($0.status) }, "\(runs.map(\.errors))")
    #expect(runs.contains { $0.output.contains("\nDone.") })
    for file in legacy { #expect(folder.exists(file)) }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.parent.path)
    #expect(!left.contains { $0.contains("-rollback.nosync") }, "\(left)")
  }

  @Test func `a restore killed in its middle is finished with the same content`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    try leaveReadyWork(folder, backup)

    // What a restore leaves that dies while entries are moving: everything unpacked, one entry out.
    try folder.leaveUnfinishedRestore(
      of: folder.path + "-rollback.nosync/next.tar", settingAside: ["tags.automerge"])

    #expect(try run("pack-backup", folder.path).status == 75)
    let again = try scripts.run("rollback-folder", folder.path, backup)
    #expect(again.status == 0, "\(again.errors)")
    for file in legacy { #expect(folder.exists(file)) }
    #expect(!folder.exists("tags.automerge"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "-rollback.nosync"))
    #expect(try run("import-crdt", folder.path).status == 0)
  }

  @Test func `what was deleted since comes back only when that is asked for`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    // The app deleted the record: its month document goes away with it in the simplest case.
    try folder.remove("records/2024/02.automerge")
    let without = try scripts.run("rollback-folder", folder.path, backup)
    #expect(without.status == 0, "\(without.errors)")
    #expect(without.output.contains("record \(SmallFolder.secondID) was deleted since the backup"))
    #expect(!folder.exists("records/2024/02/2024-02-01_070000.json"))

    let second = try SmallFolder()
    let secondBackup = try migrate(second, scripts)
    try second.remove("records/2024/02.automerge")
    let with = try scripts.run("rollback-folder", second.path, secondBackup, "--with-deleted")
    #expect(with.status == 0, "\(with.errors)")
    #expect(second.exists("records/2024/02/2024-02-01_070000.json"))
    // The files have the names they had before.
    #expect(second.exists("records/2024/01/2024-01-15_093000.json"))
    #expect(
      try second.snapshot().keys.count { $0.hasPrefix("records/") && $0.hasSuffix(".json") } == 2)
  }

  @Test func `a second time there is nothing left to do`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    #expect(try scripts.run("rollback-folder", folder.path, backup).status == 0)
    let before = try folder.snapshot()
    let again = try scripts.run("rollback-folder", folder.path, backup)
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("Nothing to roll back"))
    #expect(try folder.snapshot() == before)
  }

  // MARK: Situations

  /// Changes a document as the app does.
  func edit(
    _ path: String, of folder: SmallFolder, actor: UInt8 = 7, copiedTo copy: String? = nil,
    _ change: (Document) throws -> Void
  ) throws {
    let document = try Document(try Data(contentsOf: folder.file(path)))
    document.actor = try #require(ActorId(data: Data(repeating: actor, count: 16)))
    try change(document)
    try document.save().write(to: folder.file(copy ?? path), options: .atomic)
  }

  func put(
    _ text: String, as field: String, of identity: String, in document: Document
  ) throws {
    guard case .Object(let object, .Map)? = try document.get(obj: .ROOT, key: identity) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    try document.put(obj: object, key: field, value: .String(text))
  }

  /// The fields of every entity a folder shows, by identity.
  func shown(_ folder: SmallFolder) throws -> [String: NSDictionary] {
    let run = try CommandTests.run("export-json", folder.path)
    #expect(run.status == 0, "\(run.errors)")
    let entities = run.jsonLines.compactMap { line in
      (line["id"] as? String).map { ($0, line["fields"] as? NSDictionary ?? [:]) }
    }
    return Dictionary(entities) { first, _ in first }
  }

  func visibleFiles(_ folder: SmallFolder) throws -> [String] {
    try folder.snapshot().filter { $0.value.bytes != nil && !$0.key.hasPrefix(".") }.keys.sorted()
  }

  @Test(arguments: ["monthly", "per-record"], [true, false])
  func `what was entered, edited and deleted since is in the JSON`(
    layout: String, isCleaned: Bool
  ) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try folder.backup()
    let migrated =
      isCleaned
      ? try scripts.run("migrate-folder", folder.path, "--cleanup", "--layout", layout)
      : try scripts.run("migrate-folder", folder.path, "--layout", layout)
    #expect(migrated.status == 0, "\(migrated.errors)")
    let january =
      layout == "monthly" ? "records/2024/01" : "records/2024/01/2024-01-15_093000"
    let february =
      layout == "monthly" ? "records/2024/02" : "records/2024/02/2024-02-01_070000"
    // A record of a new month with a picture, an edit, a new tag's name, a deletion.
    let added = "7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04"
    let stream = """
      {"stream":"automerge-migrate","version":1,"profile":"minuta"}
      {"kind":"record","id":"\(added)","place":"records/2025/06/2025-06-02_080000","fields":\
      {"startTime":"2025-06-02T08:00:00Z","images":["\(added)_0.jpg"]}}
      {"end":true,"entities":1}

      """
    let importer = BuiltCommands.directory.appending(path: "import-crdt")
    let imported = try CommandTests.run(
      importer, ["-", "--into", folder.path, "--layout", layout], input: stream)
    #expect(imported.status == 0, "\(imported.errors)")
    try folder.write("a new picture", to: "records/2025/06/\(added)_0.jpg")
    try edit("\(january).automerge", of: folder) {
      try put("edited since", as: "comment", of: SmallFolder.firstID, in: $0)
    }
    try edit("tags.automerge", of: folder) {
      try put("Kaffee", as: "name", of: SmallFolder.tagID, in: $0)
    }
    try edit("\(february).automerge", of: folder) {
      try $0.delete(obj: .ROOT, key: SmallFolder.secondID)
    }
    try folder.remove("records/2024/01/\(SmallFolder.firstID)_0.jpg")
    let before = try shown(folder)
    #expect(before.count == 3)

    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try shown(folder) == before)
    #expect(
      try visibleFiles(folder) == [
        "notes.txt", "records/2024/01/2024-01-15_093000.json",
        "records/2025/06/2025-06-02_080000.json", "records/2025/06/\(added)_0.jpg", "tags.json",
      ])
    #expect(run.output.contains("record \(SmallFolder.secondID) was deleted since the backup"))
    #expect(run.output.contains("defaults delete"))
    // Its JSON stays what it is if the folder is migrated again.
    #expect(try scripts.run("migrate-folder", folder.path).status == 0)
    #expect(try shown(folder) == before)
  }

  @Test func `deleted records come back with their pictures, deleted tags beside the others`()
    throws
  {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let before = try shown(folder)
    let backup = try migrate(folder, scripts)
    let image = "records/2024/01/\(SmallFolder.firstID)_0.jpg"
    try folder.remove(image)
    try edit("records/2024/01.automerge", of: folder) {
      try $0.delete(obj: .ROOT, key: SmallFolder.firstID)
    }
    try edit("tags.automerge", of: folder) { try $0.delete(obj: .ROOT, key: SmallFolder.tagID) }
    let run = try scripts.run("rollback-folder", folder.path, backup, "--with-deleted")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let after = try shown(folder)
    #expect(Set(after.keys) == Set(before.keys))
    #expect(after[SmallFolder.tagID] == before[SmallFolder.tagID])
    #expect(try Data(contentsOf: folder.file(image)) == Data("not really a picture".utf8))
  }

  @Test func `nobody is told to give an option that was given`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    try edit("records/2024/02.automerge", of: folder) {
      try $0.delete(obj: .ROOT, key: SmallFolder.secondID)
    }
    let run = try scripts.run("rollback-folder", folder.path, backup, "--with-deleted")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(!run.output.contains("add --with-deleted"))
    #expect(run.output.contains("and is exported as it was then"))
  }

  @Test func `they come back also when the folder was rolled back before`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    try edit("records/2024/02.automerge", of: folder) {
      try $0.delete(obj: .ROOT, key: SmallFolder.secondID)
    }
    #expect(try scripts.run("rollback-folder", folder.path, backup).status == 0)
    #expect(!folder.exists(legacy[2]))
    let run = try scripts.run("rollback-folder", folder.path, backup, "--with-deleted")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try visibleFiles(folder).filter { $0.hasSuffix(".json") } == legacy.sorted())
  }

  @Test func `JSON that was not imported yet is part of it`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try folder.backup()
    #expect(try scripts.run("migrate-folder", folder.path).status == 0)
    let late = "records/2024/03/2024-03-01_070000.json"
    try folder.write(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04","startTime":"2024-03-01T07:00:00Z"}"#, to: late
    )
    try folder.write("{", to: "records/2024/03/torn.json")
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(
      try visibleFiles(folder).filter { $0.hasSuffix(".json") }
        == (legacy + [late, "records/2024/03/torn.json"]).sorted())
  }

  @Test func `losing values are told, and the documents that hold them are kept`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let path = "records/2024/01.automerge"
    let original = try Data(contentsOf: folder.file(path))
    try edit(path, of: folder, actor: 8) {
      try put("mine", as: "comment", of: SmallFolder.firstID, in: $0)
    }
    let mine = try Document(try Data(contentsOf: folder.file(path)))
    try original.write(to: folder.file(path))
    try edit(path, of: folder, actor: 9) {
      try put("yours", as: "comment", of: SmallFolder.firstID, in: $0)
      try $0.merge(other: mine)
    }
    let document = try Data(contentsOf: folder.file(path))
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("1 losing value of conflicts is not exported"))
    #expect(run.output.contains(path))
    let kept = try folder.snapshot().filter { $0.key.hasSuffix("old/\(path)") }
    #expect(kept.values.map(\.bytes) == [document])
  }

  @Test func `a conflict copy with other values stops it, and nothing moved`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    try edit("records/2024/01.automerge", of: folder, copiedTo: "records/2024/01 2.automerge") {
      try put("elsewhere", as: "comment", of: SmallFolder.firstID, in: $0)
    }
    let before = try visibleFiles(folder)
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 1)
    #expect(run.output.contains("error stopped: \(folder.path): verify-counts failed\n"))
    // What was made of a copy is named, and not there any more.
    let merge = "merge-conflicts \(folder.path)"
    #expect(run.output.contains("\n  next: the folder holds conflict copies: \(merge), then "))
    let work = folder.path + "-rollback.nosync"
    #expect(run.output.contains("what it named below \(work) was a copy, and is gone\n"))
    #expect(run.output.hasSuffix("Stopped: nothing in the folder has changed.\n"))
    #expect(try visibleFiles(folder) == before)

    let lines = try scripts.run("rollback-folder", folder.path, backup, "--json")
    #expect(lines.status == 1 && lines.summary?["status"] as? Int == 1, "\(lines.output)")
    let finding = try #require(lines.jsonLines.first { $0["type"] as? String == "finding" })
    #expect(finding["code"] as? String == "stopped")
    #expect(finding["path"] as? String == folder.path)
    #expect(finding["command"] as? [String] == ["merge-conflicts", folder.path])
    #expect(lines.summary?["folder"] as? String == folder.path)

    #expect(try CommandTests.run("merge-conflicts", folder.path).status == 0)
    let again = try scripts.run("rollback-folder", folder.path, backup)
    #expect(again.status == 0, "\(again.output)\(again.errors)")
    #expect(try shown(folder)[SmallFolder.firstID]?["comment"] as? String == "elsewhere")
  }

  @Test func `the permissions of a directory are those it had`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.file(path).path)[.posixPermissions]
        as? Int
    }
    let january = folder.file("records/2024/01").path
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: january)
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: january)
    }
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for file in legacy { #expect(folder.exists(file)) }
    #expect(try mode("records/2024/01") == 0o555)
    #expect(try mode("records/2024") == 0o755)
  }

  @Test func `a damaged document stops it, and it says who can help`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    var bytes = try Data(contentsOf: folder.file("records/2024/01.automerge"))
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.write(to: folder.file("records/2024/01.automerge"))
    let before = try visibleFiles(folder)
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 1)
    #expect((run.output + run.errors).contains("repair-crdt"))
    #expect(try visibleFiles(folder) == before)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "-rollback.nosync"))
  }
}
