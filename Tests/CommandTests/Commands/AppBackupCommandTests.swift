import Foundation
import TestStores
import Testing

/// Copies that apps make of their stores, directories with several stores, and stores that were emptied,
/// as a user meets them.
@Suite struct AppBackupCommandTests {
  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  private func generate(_ directory: String, _ options: String...) throws {
    let made = try run(
      BuiltCommands.directory.appending(path: "generate-store"), [path(directory)] + options,
      input: nil)
    #expect(made.status == 0, "\(made.errors)")
  }

  private func move(_ name: String, to target: String) throws {
    let url = URL(filePath: path(target))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: URL(filePath: path(name)), to: url)
  }

  private func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: URL(filePath: path(name)))
  }

  private func rows(_ name: String) throws -> Int? {
    try run("verify-counts", "--status", "--json", path(name)).summary?["rows"] as? Int
  }

  @Test func `copies beside a store are told, and no data`() throws {
    try generate("app", "--profile", "laundrytime", "--rows", "60")
    try generate("old", "--profile", "laundrytime", "--rows", "60", "--seed", "2")
    try move("old/default.store", to: "app/Backups/backup_1.store")
    try move("old/default.store-wal", to: "app/Backups/backup_1.store-wal")
    // What is damaged there keeps nobody from the store.
    try Data("no store".utf8).write(to: URL(filePath: path("app/Backups/backup_2.store")))
    let status = try run("verify-counts", "--status", "--json", path("app"))
    #expect(status.status == 0 && status.summary?["rows"] as? Int == 60, "\(status.errors)")
    let imported = try run("import-crdt", path("app"), "--into", path("data"), "--json")
    #expect(imported.status == 0, "\(imported.errors)")
    let verified = try run("verify-counts", path("data"), "--against", path("app"), "--json")
    #expect(verified.status == 0, "\(verified.output)")
    let exported = try run("export-json", path("app"))
    #expect(exported.output.hasSuffix("{\"end\":true,\"entities\":60}\n"))
    for run in [status, imported, verified] {
      let told = run.jsonLines.filter { $0["code"] as? String == "app-copy" }
      #expect(
        told.compactMap { $0["path"] as? String } == [
          "Backups/backup_1.store", "Backups/backup_2.store",
        ])
    }
    #expect(try rows("app/Backups/backup_1.store") == 60)
    // Without the database its log is told first, which may hold rows that no copy has.
    try FileManager.default.removeItem(atPath: path("app/default.store"))
    let gone = try run("import-crdt", path("app"), "--into", path("other"))
    #expect(gone.status == 66 && gone.errors.contains("the database is gone"), "\(gone.errors)")
    for end in ["-wal", "-shm"] {
      // Not every sample has both.
      try? FileManager.default.removeItem(atPath: path("app/default.store\(end)"))
    }
    let alone = try run("import-crdt", path("app"), "--into", path("other"))
    #expect(alone.status == 78 && alone.errors.contains("no store but copies"), "\(alone.errors)")
  }

  /// The places that the apps keep a store and its copies in, and what they call these.
  @Test(arguments: [
    (
      "ritualist", "V9", "Ritualist.sqlite", "Library/Application Support/CloudKit.store",
      "Backups/Ritualist_backup_2025-11-02T18-08-08Z.sqlite"
    ),
    (
      "laundrytime", "shipped", "default.store", "Library/Application Support/default.store",
      "Documents/backups/backup_2025-11-02T18:08:08Z.store"
    ),
  ])
  func `a copy that an app made is listed, checked and restored with the rows of its log`(
    app: String, version: String, file: String, store: String, copy: String
  ) throws {
    try generate("old", "--profile", app, "--schema-version", version)
    let count = try rows("old/\(file)")
    try move("old/\(file)", to: copy)
    try move("old/\(file)-wal", to: "\(copy)-wal")
    try generate("now", "--profile", app, "--schema-version", version, "--damage", "emptied")
    try move("now/\(file)", to: store)
    // Another app's copies are not this store's; what cannot be read may be one.
    try generate("foreign", "--profile", "library")
    let directory = URL(filePath: path(copy)).deletingLastPathComponent()
    try FileManager.default.moveItem(
      at: URL(filePath: path("foreign/Library.store")),
      to: directory.appending(path: "Library.store"))
    try Data("half".utf8).write(to: directory.appending(path: "torn.sqlite"))
    let before = (try bytes(copy), try bytes(copy + "-wal"))

    let list = try run("pack-backup", path(store), "--list", "--json")
    #expect(list.status == 0, "\(list.errors)")
    let listed = list.jsonLines.filter { $0["type"] as? String == "backup" }
    #expect(
      Set(listed.compactMap { $0["path"] as? String })
        == [path(copy), directory.appending(path: "torn.sqlite").path])
    #expect(listed.allSatisfy { $0["madeBy"] as? String == "app" })
    let sound = try #require(listed.first { $0["path"] as? String == path(copy) })
    #expect(sound["fileCount"] as? Int == 2)
    let verified = try run("pack-backup", path(store), "--list", "--verify", "--json")
    #expect(verified.status == 1)
    let verdicts = verified.jsonLines.filter { $0["madeBy"] as? String == "app" }
      .map { $0["verified"] as? Bool }
    #expect(verdicts.contains(true) && verdicts.contains(false))
    let paths = try run("pack-backup", path(store), "--list", "--print-path")
    #expect(paths.output == path(copy) + "\n")

    #expect(try run("restore-backup", path(copy), "--list").output.contains("-wal"))
    #expect(try run("restore-backup", path(copy), "--check").status == 0)
    #expect(
      try run("restore-backup", directory.appending(path: "torn.sqlite").path, "--check").status
        == 65)
    let into = path(store)
    let plan = try run("restore-backup", path(copy), "--into", into, "--dry-run")
    #expect(plan.status == 0 && plan.output.contains("Would restore"), "\(plan.errors)")
    #expect(try rows(store) == 0)
    let restored = try run("restore-backup", path(copy), "--into", into, "--json")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try rows(store) == count)
    #expect((restored.summary?["setAside"] as? String)?.isEmpty == false)
    #expect((try bytes(copy), try bytes(copy + "-wal")) == before)
    let waits = try run("restore-backup", path(copy), "--into", into, "--at-next-start")
    #expect(waits.status == 0, "\(waits.errors)")
    #expect(try run("restore-backup", "--finish", into).output.contains("Restored 1 entry"))
    #expect(try rows(store) == count)
    // The next backup drops none of the app's.
    #expect(try run("pack-backup", into, "--keep", "1").status == 0)
    #expect(try run("pack-backup", into, "--keep", "1").status == 0)
    let kept = try run("pack-backup", into, "--list", "--keep", "1", "--json").jsonLines
    #expect(
      kept.allSatisfy {
        $0["madeBy"] as? String != "app" || $0["keptBy"] as? [String] == ["never dropped"]
      })
    #expect(kept.contains { ($0["keptBy"] as? [String])?.contains("newest verified") ?? false })
    #expect((try bytes(copy), try bytes(copy + "-wal")) == before)
  }

  @Test func `a copy is restored whole, to a store with a name`() throws {
    try generate("old", "--profile", "laundrytime")
    let copy = path("old/default.store")
    #expect(try run("restore-backup", copy, "--into", path("new")).status == 78)
    let chosen = try run(
      "restore-backup", copy, "--into", path("new/a.store"), "--only", "default.store")
    #expect(chosen.status == 78 && chosen.errors.contains("leave out --only"))
    #expect(!FileManager.default.fileExists(atPath: path("new")))
  }

  @Test func `all stores of a directory are packed, listed, thinned out and restored`() throws {
    try generate("group", "--profile", "ritualist")
    let counts = [try rows("group/CloudKit.store"), try rows("group/Local.store")]
    let packed = try run("pack-backup", path("group"), "--print-path")
    #expect(packed.status == 0, "\(packed.errors)")
    let archives = packed.output.split(separator: "\n").map(String.init)
    #expect(archives.count == 2)
    #expect(archives.first?.contains("/CloudKit.store-backups/CloudKit.store-") == true)
    #expect(archives.last?.contains("/Local.store-backups/Local.store-") == true)
    #expect(try run("pack-backup", path("group"), "--keep", "1").status == 0)
    let list = try run("pack-backup", path("group"), "--list", "--verify", "--json")
    #expect(list.summary?["listed"] as? Int == 2, "\(list.errors)")
    let newest = list.jsonLines.compactMap { $0["path"] as? String }
    for name in ["CloudKit.store", "CloudKit.store-wal", "Local.store"] {
      try FileManager.default.removeItem(atPath: path("group/\(name)"))
    }
    for archive in newest {
      #expect(try run("restore-backup", archive, "--into", path("group")).status == 0)
    }
    #expect([try rows("group/CloudKit.store"), try rows("group/Local.store")] == counts)
    let one = try run("pack-backup", path("group"), "-o", path("one.tar"))
    #expect(one.status == 78 && one.errors.contains("holds 2 stores"), "\(one.errors)")
    // What cannot be read is told, and keeps nothing else from being packed.
    try Data("no database".utf8).write(to: URL(filePath: path("group/CloudKit.store")))
    let damaged = try run("pack-backup", path("group"), "--json")
    #expect(damaged.status == 65 && damaged.summary?["created"] as? Int == 1, "\(damaged.errors)")
    #expect(damaged.jsonLines.contains { $0["code"] as? String == "unreadable" })
    try Data("no database".utf8).write(to: URL(filePath: path("group/Local.store")))
    #expect(try run("pack-backup", path("group")).status == 65)
    // A data folder with a store in it is a data folder.
    let folder = try SmallFolder()
    try Data("no database".utf8).write(to: URL(filePath: folder.path + "/some.store"))
    #expect(try run("pack-backup", folder.path, "-o", path("folder.tar")).status == 0)
  }

  @Test func `a store without the rows that a folder holds many of is not imported`() throws {
    try generate("now", "--profile", "ritualist")
    try generate("gone", "--profile", "ritualist", "--damage", "emptied")
    let folder = path("folder")
    let first = try run("import-crdt", path("gone/CloudKit.store"), "--into", folder)
    #expect(first.status == 0, "\(first.errors)")
    #expect(try run("import-crdt", path("now/CloudKit.store"), "--into", folder).status == 0)
    func files() throws -> [String: Data] {
      var files: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder)
      where name.hasSuffix(".automerge") {
        files[name] = FileManager.default.contents(atPath: folder + "/" + name)
      }
      return files
    }
    let before = try files()
    for options in [[], ["--update"], ["--dry-run"]] {
      let refused = try run(
        BuiltCommands.directory.appending(path: "import-crdt"),
        [path("gone/CloudKit.store"), "--into", folder] + options, input: nil)
      #expect(refused.status == 78 && refused.errors.contains("--allow-empty"), "\(refused.errors)")
    }
    // The app has begun anew: what it always makes is there, and what people made is not.
    try generate("anew", "--profile", "ritualist")
    let app = try TestDatabase(at: path("anew/CloudKit.store"))
    try app.run("DELETE FROM ZHABITMODEL; DELETE FROM ZHABITLOGMODEL;")
    let anew = try run("import-crdt", path("anew/CloudKit.store"), "--into", folder)
    #expect(anew.status == 78 && anew.errors.contains("holds no rows of log"), "\(anew.errors)")
    withExtendedLifetime(app) {}
    #expect(try files() == before)
    let allowed = try run(
      "import-crdt", path("gone/CloudKit.store"), "--into", folder, "--allow-empty", "--json")
    #expect(allowed.status == 0, "\(allowed.errors)")
    #expect(allowed.jsonLines.contains { $0["code"] as? String == "store-emptied" })
    #expect(try files() == before)
    // The private store knows no kind of which the folder holds any.
    #expect(try run("import-crdt", path("now/Local.store"), "--into", folder).status == 0)
  }
}
