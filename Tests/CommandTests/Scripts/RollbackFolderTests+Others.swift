import Automerge
import Diagnostics
import Foundation
import Testing

/// Other runs, other writers and months that were set aside.
extension RollbackFolderTests {
  @Test func `what is written meanwhile is not undone`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let before = try visibleFiles(folder)
    let run = try SteppedRun.rollingBack(folder.path, to: backup) { command, run in
      if command.arguments.contains("--replacing") {
        try folder.write("keep memore\n", to: "notes.txt")
      }
      return try run()
    }
    #expect(run.status == 75)
    #expect(run.errors.contains("changed meanwhile"))
    #expect(try visibleFiles(folder) == before)
    let again = try scripts.run("rollback-folder", folder.path, backup)
    #expect(again.status == 0, "\(again.errors)")
    #expect(
      try String(contentsOf: folder.file("notes.txt"), encoding: .utf8) == "keep memore\n")
  }

  @Test(arguments: [false, true])
  func `months that were set aside are in the JSON, and what took their places, too`(
    isTaken: Bool
  ) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let before = try shown(folder)
    let backup = try migrate(folder, scripts)
    let january = "records/2024/01.automerge"
    let origin = try Data(contentsOf: folder.file(january))
    try edit(january, of: folder) {
      try put("before it went aside", as: "comment", of: SmallFolder.firstID, in: $0)
    }
    let today = try folder.backup()
    let aside = try CommandTests.run(
      "cleanup-legacy", folder.path, "--months-before", "2024-02", "--apply", "--backup", today)
    #expect(aside.status == 0, "\(aside.errors)")
    if isTaken {
      // Another device brings the month, and edits another field.
      try FileManager.default.createDirectory(
        at: folder.file("records/2024"), withIntermediateDirectories: true)
      try origin.write(to: folder.file(january))
      try edit(january, of: folder, actor: 8) {
        try put("after it went aside", as: "tagId", of: SmallFolder.firstID, in: $0)
      }
    }
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(!run.output.contains("deleted-since"))
    let after = try shown(folder)
    #expect(Set(after.keys) == Set(before.keys))
    #expect(after[SmallFolder.firstID]?["comment"] as? String == "before it went aside")
    #expect(
      after[SmallFolder.firstID]?["tagId"] as? String
        == (isTaken ? "after it went aside" : SmallFolder.tagID))
    #expect(try visibleFiles(folder).filter { $0.hasSuffix(".json") } == legacy.sorted())
    let image = "records/2024/01/\(SmallFolder.firstID)_0.jpg"
    #expect(try Data(contentsOf: folder.file(image)) == Data("not really a picture".utf8))
    #expect(try CommandTests.run("verify-counts", folder.path, "--against", backup).status <= 1)
  }

  @Test func `months are all there is to roll back`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let today = try folder.backup()
    let aside = try CommandTests.run(
      "cleanup-legacy", folder.path, "--months-before", "2025-01", "--apply", "--backup", today)
    #expect(aside.status == 0, "\(aside.errors)")
    try folder.remove("tags.automerge")
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(
      try visibleFiles(folder).filter { $0.hasSuffix(".json") }.filter { $0 != "tags.json" }
        == legacy.dropFirst().sorted())
  }

  /// Nil is a name that a command gives.
  @Test(arguments: [nil, "mine.tar", "Minuta-backups/before the purge.tar"])
  func `it is told which backup holds months that were purged`(name: String?) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    // That of another folder holds the same path.
    let other = folder.parent.appending(path: "Other")
    let month = other.appending(path: "records/2024/01")
    try FileManager.default.createDirectory(at: month, withIntermediateDirectories: true)
    try Data(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7AFF","startTime":"2024-01-01T07:00:00Z"}"#.utf8
    ).write(to: month.appending(path: "x.json"))
    #expect(
      try CommandTests.run("import-crdt", other.path, "--layout", "monthly").status == 0)
    let foreign = folder.parent.appending(path: "foreign.tar").path
    #expect(try CommandTests.run("pack-backup", other.path, "--output", foreign).status == 0)
    try Data("no archive".utf8).write(to: folder.parent.appending(path: "x.tar"))
    let today: String
    if let name {
      today = folder.parent.appending(path: name).path
      #expect(try CommandTests.run("pack-backup", folder.path, "--output", today).status == 0)
    } else {
      today = try folder.backup()
    }
    for options in [["--months-before", "2024-02"], ["--purge", "--older-than", "0d"]] {
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: "cleanup-legacy"),
        [folder.path] + options + ["--apply", "--backup", today], input: nil)
      #expect(run.status <= 1, "\(run.errors)")
    }
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(!folder.exists(legacy[1]))
    #expect(
      run.output.contains(
        "in no JSON:\n  1 of their documents: restore-backup \(ShellWord.quoting(today)) --list\n"),
      "\(run.output)")
  }

  @Test func `in the middle of another restore nothing is said to be done`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let today = try folder.backup()
    try folder.leaveUnfinishedRestore(of: today, settingAside: ["tags.automerge", "records"])
    for options in [[], ["--with-deleted"]] {
      let run = try scripts.run("rollback-folder", [folder.path, backup] + options)
      #expect(run.status == 75, "\(run.output)")
      #expect(run.errors.contains("next: restore-backup --finish \(folder.path), then"))
    }
    #expect(try run("restore-backup", "--finish", folder.path).status == 0)
    let again = try scripts.run("rollback-folder", folder.path, backup)
    #expect(again.status == 0, "\(again.errors)")
    for file in legacy { #expect(folder.exists(file)) }
  }

  @Test func `what only looks like a document stays`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let foreign = [
      "records-old/x.automerge.bak", "records-old/y.automerge", "tags-notes/a.automerge.txt",
      "records/2024/01.automerge.bak",
    ]
    for path in foreign { try folder.write("mine", to: path) }
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for path in foreign { #expect(folder.exists(path), "\(path)") }
    #expect(!folder.exists("records/2024/01.automerge"))
  }

  /// Killed in the middle of everything that moves, by the restore itself.
  @Test func `a restore killed before the quarantine went is finished with it`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    try leaveReadyWork(folder, backup)
    let place = folder.file(".automerge-migrate.nosync/restore/20260106T120000Z-0001")
    let ready = place.appending(path: "replacement")
    try FileManager.default.createDirectory(at: ready, withIntermediateDirectories: true)
    let archive = folder.path + "-rollback.nosync/next.tar"
    let extracted = try run(
      URL(filePath: "/usr/bin/env"),
      ["tar", "-xf", archive, "-C", ready.path, "--exclude=manifest.json"], input: nil)
    #expect(extracted.status == 0, "\(extracted.errors)")
    let again = try scripts.run("rollback-folder", folder.path, backup)
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("To undo this: restore-backup /"))
    for file in legacy { #expect(folder.exists(file)) }
    #expect(!folder.exists(".automerge-migrate.nosync/quarantine"))
  }
}
