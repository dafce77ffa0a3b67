import Foundation
import Testing

@Suite struct RollbackFolderTests {
  private let legacy = [
    "tags.json", "records/2024/01/2024-01-15_093000.json",
    "records/2024/02/2024-02-01_070000.json",
  ]

  /// Migrates a folder and returns the backup made before.
  private func migrate(_ folder: SmallFolder, _ scripts: InstalledScripts) throws -> String {
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
    let before = try folder.snapshot()
    #expect(try scripts.run("rollback-folder", folder.path, backup).status == 65)
    #expect(try folder.snapshot() == before)
  }

  /// After each command in turn the script is killed where it stands.
  @Test(arguments: ["pack-backup", "export-json", "verify-counts", "restore-backup"])
  func `killed after any step it is completed by running it again`(command: String) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    try scripts.replace(command, with: #""$real" "$@"; kill -KILL $PPID"#)
    #expect(try scripts.run("rollback-folder", folder.path, backup).status != 0)
    try scripts.putBack(command)
    let again = try scripts.run("rollback-folder", folder.path, backup)
    #expect(again.status == 0, "\(again.errors)")
    for file in legacy { #expect(folder.exists(file)) }
  }

  @Test func `a restore killed in its middle is finished with the same content`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let killer = #"case "$*" in *--into*) kill -KILL $PPID ;; *) exec "$real" "$@" ;; esac"#
    try scripts.replace("restore-backup", with: killer)
    #expect(try scripts.run("rollback-folder", folder.path, backup).status != 0)
    try scripts.putBack("restore-backup")

    // What a restore leaves that dies while entries are moving: everything unpacked, one entry out.
    let place = folder.file(".automerge-migrate.nosync/restore/20260106T120000Z-0001")
    for name in ["new", "old"] {
      try FileManager.default.createDirectory(
        at: place.appending(path: name), withIntermediateDirectories: true)
    }
    let archive = folder.path + "-rollback.nosync/next.tar"
    let extracted = try run(
      URL(filePath: "/usr/bin/env"),
      ["tar", "-xf", archive, "-C", place.appending(path: "new").path, "--exclude=manifest.json"],
      input: nil)
    #expect(extracted.status == 0, "\(extracted.errors)")
    try FileManager.default.moveItem(
      at: folder.file("tags.automerge"), to: place.appending(path: "old/tags.automerge"))

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
    #expect(without.output.contains("  records/2024/02/2024-02-01_070000.json\n"))
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
}
