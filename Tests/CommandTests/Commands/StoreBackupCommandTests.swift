import Foundation
import TestStores
import Testing

/// `pack-backup` and `restore-backup` of stores, as a user runs them.
@Suite struct StoreBackupCommandTests {
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
    #expect(try run("generate-store", path("app"), "--profile", "laundrytime").status == 0)
  }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }
  private var store: String { path("app/default.store") }

  private func rows() throws -> Int? {
    try run("verify-counts", "--status", "--json", store).summary?["rows"] as? Int
  }

  private func pack(_ options: String...) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "pack-backup"), [store] + options, input: nil)
  }

  private func backup() throws -> String {
    let run = try pack("--print-path")
    #expect(run.status == 0, "\(run.errors)")
    return run.output.trimmingCharacters(in: .newlines)
  }

  @Test func `a store is packed, listed, checked and brought back`() throws {
    let backup = try backup()
    #expect(backup.contains("/default.store-backups/default.store-"))
    let list = try pack("--list", "--verify", "--json")
    #expect(list.jsonLines.first?["verified"] as? Bool == true)
    #expect(try run("restore-backup", backup, "--check").status == 0)
    try Data("not a database".utf8).write(to: URL(filePath: store))
    let plan = try run("restore-backup", backup, "--into", store, "--dry-run")
    #expect(plan.status == 0 && plan.output.contains("Would restore 1 entry"), "\(plan.errors)")
    let restored = try run("restore-backup", backup, "--into", store)
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try rows() == 300)
    let files = try FileManager.default.contentsOfDirectory(atPath: path("app"))
    #expect(!files.contains("default.store-wal"))
    let young = try pack("--if-older-than", "24h")
    #expect(young.status == 0 && young.output.contains("young enough"), "\(young.output)")
  }

  @Test func `a store that is open in a program is not replaced`() throws {
    let backup = try backup()
    do {
      let app = try TestDatabase(at: store)
      try app.run("UPDATE ZPET SET Z_OPT = Z_OPT + 1")
      let before = try Data(contentsOf: URL(filePath: store))
      let busy = try run("restore-backup", backup, "--into", store)
      #expect(busy.status == 75 && busy.errors.contains("is open in another program"))
      #expect(try Data(contentsOf: URL(filePath: store)) == before)
      withExtendedLifetime(app) {}
    }
    #expect(try run("restore-backup", backup, "--into", store).status == 0)
  }

  @Test func `a store can wait to be brought back, and nothing moves before that`() throws {
    let backup = try backup()
    try Data("not a database".utf8).write(to: URL(filePath: store))
    let staged = try run("restore-backup", backup, "--into", store, "--at-next-start")
    #expect(staged.status == 0 && staged.output.contains("--finish"), "\(staged.errors)")
    #expect(try Data(contentsOf: URL(filePath: store)) == Data("not a database".utf8))
    #expect(try run("restore-backup", backup, "--into", store, "--at-next-start").status == 0)
    let finished = try run("restore-backup", "--finish", store)
    #expect(finished.status == 0 && finished.output.contains("Restored 1 entry"))
    #expect(try rows() == 300)
    #expect(try run("restore-backup", "--finish", store).output.contains("No restore was"))
  }

  @Test func `a store whose rows are gone is status 78 until that is said to be right`() throws {
    _ = try backup()
    #expect(
      try run("generate-store", path("gone"), "--profile", "laundrytime", "--damage", "emptied")
        .status == 0)
    try Data(contentsOf: URL(filePath: path("gone/default.store"))).write(to: URL(filePath: store))
    try FileManager.default.removeItem(atPath: store + "-wal")
    let refused = try pack("--keep", "1")
    #expect(refused.status == 78 && refused.errors.contains("--allow-empty"), "\(refused.errors)")
    let allowed = try pack("--allow-empty", "--keep", "1", "--json")
    #expect(allowed.status == 0, "\(allowed.errors)")
    #expect(allowed.jsonLines.contains { $0["code"] as? String == "store-emptied" })
    #expect(allowed.summary?["dropped"] as? Int == 0)
  }

  @Test func `rows that an app begins anew with do not hide that all others are gone`() throws {
    _ = try backup()
    try TestDatabase(at: store).run("DELETE FROM ZPET; DELETE FROM ZLAUNDRYTASK;")
    #expect(try rows() == 1)
    let refused = try pack("--keep", "1")
    #expect(refused.status == 78 && refused.errors.contains("--allow-empty"), "\(refused.errors)")
    let status = try run("verify-counts", "--status", "--json", store)
    #expect(status.jsonLines.contains { $0["code"] as? String == "store-emptied" })
    #expect(try run("recover-folder", store).output.contains("store-emptied"))
    // Neither that it is right nor what comes later gives up the rows, or what tells that they were gone.
    #expect(try pack("--allow-empty", "--keep", "1").status == 0)
    for name in ["a", "b"] {
      try TestDatabase(at: store).run("UPDATE ZAPPSETTINGS SET ZAPPEARANCEMODE = '\(name)'")
      #expect(try pack("--keep", "1").status == 0)
    }
    let reasons = try pack("--list", "--keep", "1", "--json").jsonLines.compactMap {
      $0["keptBy"] as? [String]
    }
    #expect(reasons.suffix(2) == [["tells of lost rows"], ["holds lost rows"]], "\(reasons)")
  }

  @Test func `another store with few rows in the place of one is told, few deletions are not`()
    throws
  {
    _ = try backup()
    try TestDatabase(at: store).run("DELETE FROM ZLAUNDRYTASK WHERE Z_PK % 5 = 0;")
    #expect(try pack("--keep", "1").status == 0)
    #expect(try !run("verify-counts", "--status", store).output.contains("store-emptied"))
    #expect(
      try run(
        "generate-store", path("new"), "--profile", "laundrytime", "--rows", "3", "--seed", "9"
      ).status == 0)
    let files = FileManager.default
    for suffix in ["", "-wal", "-shm"] {
      if files.fileExists(atPath: store + suffix) { try files.removeItem(atPath: store + suffix) }
      let new = path("new/default.store") + suffix
      if files.fileExists(atPath: new) { try files.moveItem(atPath: new, toPath: store + suffix) }
    }
    #expect(try pack("--keep", "1").status == 78)
    #expect(try run("recover-folder", store).output.contains("store-emptied"))
  }

  @Test func `a store that moved still has its backups, and is not emptied unseen`() throws {
    _ = try backup()
    let (there, moved) = (path("there"), path("there/moved.store"))
    try FileManager.default.createDirectory(atPath: there, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: store, toPath: moved)
    try FileManager.default.moveItem(atPath: store + "-wal", toPath: moved + "-wal")
    let command = BuiltCommands.directory.appending(path: "pack-backup")
    func pack(_ options: String...) throws -> CommandRun {
      try run(command, [moved, "--backup-dir", store + "-backups"] + options, input: nil)
    }
    let listed = try pack("--list", "--json")
    #expect(listed.status == 0, "\(listed.errors)")
    #expect(listed.jsonLines.count { $0["type"] as? String == "backup" } == 1)
    #expect(
      try run("generate-store", path("gone"), "--profile", "laundrytime", "--damage", "emptied")
        .status == 0)
    try Data(contentsOf: URL(filePath: path("gone/default.store"))).write(to: URL(filePath: moved))
    try FileManager.default.removeItem(atPath: moved + "-wal")
    let refused = try pack()
    #expect(refused.status == 78 && refused.errors.contains("--allow-empty"), "\(refused.errors)")
    #expect(try pack("--dry-run").status == 78)
    #expect(try pack("--allow-empty", "--keep", "1").status == 0)
    #expect(try pack("--list", "--json").jsonLines.count { $0["type"] as? String == "backup" } == 2)
  }

  @Test func `a copy for support has no byte of a private row, wherever the store kept one`() throws
  {
    #expect(
      try run("generate-store", path("group"), "--profile", "ritualist", "--schema-version", "V9")
        .status == 0)
    let (store, copy) = (path("group/Ritualist.sqlite"), path("support.tar"))
    let support = URL(filePath: path("group/.Ritualist_SUPPORT/_EXTERNAL_DATA"))
    try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
    let names = ["0F0E0D0C-0000-4000-8000-000000000001", "0F0E0D0C-0000-4000-8000-000000000002"]
    try Data("INNERMOST photo".utf8).write(to: support.appending(path: names[0]))
    try Data("avatar of the profile".utf8).write(to: support.appending(path: names[1]))
    func reference(_ name: String) -> String { TestStore.literal([2] + Array(name.utf8) + [0]) }
    let app = try TestDatabase(at: store)
    try app.run(
      """
      PRAGMA secure_delete=OFF;
      ALTER TABLE ZPERSONALITYANALYSISMODEL ADD COLUMN ZPHOTO BLOB;
      ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE0 BLOB;
      UPDATE ZPERSONALITYANALYSISMODEL SET ZUSERID = 'INNERMOST row', \
      ZPHOTO = \(reference(names[0]));
      UPDATE ZUSERPROFILEMODEL SET ZAVATARIMAGEDATA = \(reference(names[1]));
      INSERT INTO ZPERSONALITYANALYSISMODEL (Z_PK, Z_ENT, ZUSERID) SELECT value, \
      (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME LIKE 'Personality%'), \
      'INNERMOST deleted' || hex(zeroblob(500)) FROM generate_series(1000, 1050);
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTOMBSTONE0) SELECT \
      70000, 16001, 2, Z_ENT, 1, x'\(Data("INNERMOST tombstone".utf8).map { String($0, radix: 16) }
        .joined())' FROM Z_PRIMARYKEY WHERE Z_NAME LIKE 'Personality%';
      PRAGMA wal_checkpoint(TRUNCATE);
      DELETE FROM ZPERSONALITYANALYSISMODEL WHERE Z_PK >= 1010;
      """.replacing(
        "generate_series(1000, 1050)",
        with: "(WITH RECURSIVE n(value) AS (SELECT 1000 UNION ALL SELECT value + 1 FROM n "
          + "WHERE value < 1050) SELECT value FROM n)"))
    let before = try Data(contentsOf: URL(filePath: store))
    let rows = try run("verify-counts", "--status", "--json", store).summary?["rows"] as? Int

    let packed = try run("pack-backup", store, "--for-support", "-o", copy, "--json")
    #expect(packed.status == 0, "\(packed.errors)")
    let told = packed.jsonLines.filter { $0["code"] as? String == "private-kind" }
    #expect(
      told.map { $0["message"] as? String }
        == ["11 rows of PersonalityAnalysisModel are private and left out"])
    let archive = try Data(contentsOf: URL(filePath: copy))
    #expect(archive.range(of: Data("INNERMOST".utf8)) == nil)
    #expect(archive.range(of: Data(names[0].utf8)) == nil)
    #expect(archive.range(of: Data("avatar of the profile".utf8)) != nil)
    #expect(archive.range(of: Data(#""leftOut":["PersonalityAnalysisModel"]"#.utf8)) != nil)
    // The search would find them.
    let whole = try run("pack-backup", store, "-o", path("whole.tar"))
    #expect(whole.status == 0)
    let bytes = try Data(contentsOf: URL(filePath: path("whole.tar")))
    for part in ["row", "deleted", "tombstone", "photo"] {
      #expect(bytes.range(of: Data("INNERMOST \(part)".utf8)) != nil, "\(part)")
    }
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
    withExtendedLifetime(app) {}

    let list = try run("restore-backup", copy, "--list")
    #expect(!list.output.contains("original") && list.output.contains("are not in it"))
    let restored = try run("restore-backup", copy, "--into", path("there/Ritualist.sqlite"))
    #expect(restored.status == 0 && restored.output.contains("made for others"), "\(restored)")
    let status = try run("verify-counts", "--status", "--json", path("there/Ritualist.sqlite"))
    #expect(status.summary?["rows"] as? Int == rows.map { $0 - 11 })
  }

  @Test func `a copy for support is no backup, and says what nobody knows to be private`() throws {
    let place = path("app/default.store-backups")
    let name = URL(filePath: try backup()).lastPathComponent
    let copy = place + "/" + name.replacing("-0001.tar", with: "-0002.tar")
    let packed = try pack("--for-support", "-o", copy)
    #expect(packed.status == 0 && !packed.output.contains("private"), "\(packed.errors)")
    #expect(try pack("--list", "--json").summary?["listed"] as? Int == 1)
    #expect(try pack("--for-support").status == 64)
    #expect(try pack("--for-support", "-o", path("new.tar"), "--keep", "1").status == 64)
    #expect(try run("generate-store", path("lib"), "--profile", "library").status == 0)
    let unknown = try run(
      "pack-backup", path("lib/Library.store"), "--for-support", "-o", path("lib.tar"), "--json")
    #expect(unknown.status == 0)
    #expect(
      unknown.jsonLines.contains {
        $0["code"] as? String == "private-kind" && $0["severity"] as? String == "warning"
      })
    let folder = try SmallFolder()
    let refused = try run(
      "pack-backup", folder.path, "--for-support", "-o", path("folder.tar"))
    #expect(refused.status == 78 && refused.errors.contains("is no store"))
  }

  @Test func `what is no backup of this store, or no store, is refused`() throws {
    let backup = try backup()
    let other = try run("restore-backup", backup, "--into", path("app/Other.store"))
    #expect(other.status == 78 && other.errors.contains("is not called default.store"))
    let folder = try SmallFolder()
    let whole = try run(
      "restore-backup", try folder.backup(), "--into", folder.path, "--at-next-start")
    #expect(whole.status == 78 && whole.errors.contains("is no backup of a store"))
    try Data("not a database".utf8).write(to: URL(filePath: store))
    #expect(try pack().status == 65)
    #expect(try run("pack-backup", path("nothing.store")).status == 66)
    let files = try FileManager.default.contentsOfDirectory(
      atPath: path("app/default.store-backups"))
    #expect(files.count == 1)
  }

  @Test func `of several stores one whose rows are gone is status 78, and the others are packed`()
    throws
  {
    let made = try run("generate-store", path("two"), "--rows", "60")
    #expect(made.status == 0)
    #expect(try run("pack-backup", path("two")).status == 0)
    let store = path("two/CloudKit.store")
    try TestDatabase(at: store).run(
      "DELETE FROM ZHABITMODEL; DELETE FROM ZHABITLOGMODEL; DELETE FROM ZHABITCATEGORYMODEL;")
    let refused = try run("pack-backup", path("two"), "--json")
    #expect(refused.status == 78, "\(refused.output)\(refused.errors)")
    #expect(
      refused.jsonLines.contains {
        $0["code"] as? String == "store-emptied" && $0["severity"] as? String == "error"
      })
    #expect(refused.summary?["created"] as? Int == 1)
    // However young the backup is that holds the rows.
    #expect(try run("pack-backup", store, "--if-older-than", "24h").status == 78)
    #expect(try run("pack-backup", path("two"), "--if-older-than", "24h").status == 78)
    #expect(try run("pack-backup", path("two"), "--allow-empty").status == 0)
  }

  @Test func `of several stores one that is damaged is status 65, and the others are packed`()
    throws
  {
    #expect(try run("generate-store", path("two"), "--damage", "truncated").status == 0)
    for option in ["--dry-run", "--json"] {
      let packed = try run("pack-backup", path("two"), option)
      #expect(packed.status == 65, "\(packed.output)\(packed.errors)")
      #expect((packed.output + packed.errors).contains("CloudKit.store"))
    }
    #expect(try run("restore-backup", "--check", newest(of: "two/Local.store")).status == 0)
  }

  private func newest(of store: String) throws -> String {
    let backups = path(store + "-backups")
    let names = try FileManager.default.contentsOfDirectory(atPath: backups)
    return try "\(backups)/" + #require(names.max())
  }

  @Test func `a restore that waits can be given up`() throws {
    let backup = try backup()
    try Data("not a database".utf8).write(to: URL(filePath: store))
    #expect(try run("restore-backup", backup, "--into", store, "--at-next-start").status == 0)
    let planned = try run("restore-backup", "--abort", store, "--dry-run")
    #expect(planned.output.contains("Would give up the restore that waits"), "\(planned.output)")
    let finishing = try run("restore-backup", "--finish", store, "--dry-run")
    #expect(finishing.output.contains("Would restore 1 entry"), "\(finishing.output)")
    let given = try run("restore-backup", "--abort", store)
    #expect(given.status == 0 && given.output.contains("Gave up the restore that waited"))
    let finished = try run("restore-backup", "--finish", store)
    #expect(finished.output.contains("No restore was interrupted"), "\(finished.output)")
    #expect(try Data(contentsOf: URL(filePath: store)) == Data("not a database".utf8))
    #expect(
      try run("restore-backup", "--abort", store).output.contains("No restore was interrupted"))
  }

  @Test func `of a copy that the app made is said what was checked, which are no hashes`() throws {
    let copy = path("Backups/default.store")
    try FileManager.default.createDirectory(
      atPath: path("Backups"), withIntermediateDirectories: true)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: store + suffix, toPath: copy + suffix)
    }
    let checked = try run("restore-backup", copy, "--check")
    #expect(checked.status == 0 && checked.output.contains("SQLite checks it"), "\(checked.output)")
    #expect(checked.output.contains("has no hashes") && !checked.output.contains("should have"))
    let restored = try run("restore-backup", copy, "--into", store)
    #expect(restored.status == 0 && !restored.output.contains("every hash"), "\(restored.output)")
    #expect(restored.output.contains("which has no hashes"))
  }
}
