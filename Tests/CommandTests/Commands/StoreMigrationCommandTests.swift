import Foundation
import Testing
import TestStores

/// `migrate-folder STORE FOLDER` as a user runs it: backup, import, verification.
@Suite struct StoreMigrationCommandTests {
  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  private func run(_ command: String, _ arguments: String...) throws -> CommandRun {
    try CommandTests.run(BuiltCommands.directory.appending(path: command), arguments, input: nil)
  }

  private func generate(rows: Int = 100, _ options: String...) throws {
    let made = try CommandTests.run(
      BuiltCommands.directory.appending(path: "generate-store"),
      [path("app"), "--rows", "\(rows)"] + options, input: nil)
    #expect(made.status == 0, "\(made.errors)")
  }

  @Test func `a store is backed up, imported and proven, and stays as it was`() throws {
    try generate()
    let store = path("app/CloudKit.store")
    let before = try SmallFolder.snapshot(of: place.url.appending(path: "app"))
    let planned = try run("migrate-folder", store, path("data"), "--dry-run")
    #expect(planned.status == 0, "\(planned.errors)")
    #expect(!FileManager.default.fileExists(atPath: path("data")))
    let first = try run("migrate-folder", store, path("data"), "--backup-dir", path("backups"))
    #expect(first.status == 0, "\(first.errors)")
    for part in [
      "backup\n", "Imported 100 of 100", "100 of 100 entities proven", "Done: every row",
    ] {
      #expect(first.output.contains(part), "\(part): \(first.output)")
    }
    #expect(try SmallFolder.snapshot(of: place.url.appending(path: "app")) == before)
    let backups = try FileManager.default.contentsOfDirectory(atPath: path("backups"))
    #expect(backups.count { $0.hasSuffix(".tar") } == 1)
    let again = try run(
      "migrate-folder", store, path("data"), "--backup-dir", path("backups"), "--json")
    #expect(again.status == 0, "\(again.errors)")
    #expect((again.summary?["backups"] as? [String])?.count == 1)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path("backups")).sorted()
        == backups.sorted())
  }

  @Test func `each store of a directory has its backup`() throws {
    // A store of few rows has no private ones.
    try generate(rows: 240)
    let made = try run(
      "migrate-folder", path("app"), path("data"), "--include-private", "--backup-dir",
      path("backups"), "--json")
    #expect(made.status == 0, "\(made.errors)")
    #expect((made.summary?["stores"] as? [String])?.count == 2)
    #expect((made.summary?["backups"] as? [String])?.count == 2)
    #expect(FileManager.default.fileExists(atPath: path("data/personality.automerge")))
  }

  @Test func `what cannot be migrated is said, and nothing is written`() throws {
    try generate("--damage", "corrupt")
    let store = path("app/CloudKit.store")
    let damaged = try run("migrate-folder", store, path("data"))
    #expect(damaged.status == 65, "\(damaged.errors)")
    let alone = try run("migrate-folder", store)
    #expect(alone.status == 64 && alone.errors.contains("name the folder that gets its documents"))
    #expect(try run("migrate-folder", store, path("data"), "--cleanup").status == 64)
    #expect(try run("migrate-folder", store, path("data"), "--layout", "monthly").status == 64)
    try FileManager.default.createDirectory(
      atPath: path("empty"), withIntermediateDirectories: false)
    let empty = try run("migrate-folder", path("empty"), path("data"))
    #expect(empty.status == 66 && empty.errors.contains("holds no store"))
    #expect(!FileManager.default.fileExists(atPath: path("data")))
  }

  @Test func `saves that damage in a log has cost are lost, and nobody says that all is there`()
    throws
  {
    try generate("--profile", "laundrytime", "--damage", "no-wal")
    let store = path("torn/default.store")
    try FileManager.default.createDirectory(
      atPath: path("torn"), withIntermediateDirectories: true)
    do {
      let database = try TestDatabase(at: path("app/default.store"))
      for number in 1...5 {
        try database.run("UPDATE ZPET SET ZNAME = 'Name \(number)' WHERE Z_PK = \(number)")
      }
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: path("app/default.store") + suffix, toPath: store + suffix)
      }
      withExtendedLifetime(database) {}
    }
    var log = try Data(contentsOf: URL(filePath: store + "-wal"))
    log[log.startIndex + 32 + 4120 + 24 + 100] ^= 1
    try log.write(to: URL(filePath: store + "-wal"))
    let status = try run("verify-counts", store, "--status")
    #expect(status.status == 1 && status.output.contains("error torn-wal"), "\(status.output)")
    #expect(status.output.contains("lost") && status.output.contains("pack-backup --as-it-is"))
    // A backup has the log as it was.
    #expect(try run("pack-backup", store).status == 0)
    #expect(try run("import-crdt", store, "--into", path("data")).status == 1)
    let proof = try run("verify-counts", path("data"), "--against", store, "--json")
    #expect(proof.status == 1 && proof.summary?["complete"] as? Bool == false)
    let migrated = try run("migrate-folder", store, path("data"))
    #expect(migrated.status == 1 && !migrated.output.contains("every row"), "\(migrated.output)")
    #expect(!migrated.output.contains("Everything is there"))
  }

  @Test func `a log of which nothing was taken was not looked at`() throws {
    try generate("--damage", "stale-wal")
    let store = path("app/CloudKit.store")
    let migrated = try run("migrate-folder", store, path("data"))
    #expect(migrated.status == 0, "\(migrated.errors)")
    #expect(migrated.output.contains("Not in a document, or not looked at:"), "\(migrated.output)")
    #expect(!migrated.output.contains("every row"))
    #expect(!migrated.output.contains("Everything is there"))
    let proof = try run("verify-counts", path("data"), "--against", store, "--json")
    #expect(proof.status == 0 && proof.summary?["complete"] as? Bool == false)
  }

  @Test func `the backup of a store is no reference, and what makes one of it is said`() throws {
    try generate()
    let store = path("app/CloudKit.store")
    #expect(try run("import-crdt", store, "--into", path("data")).status == 0)
    let backup = path("backup.tar")
    #expect(try run("pack-backup", store, "-o", backup).status == 0)
    for place in [path("data"), store] {
      let refused = try run("verify-counts", place, "--against", backup)
      #expect(refused.status == 78 && refused.errors.contains("is the backup of a store"))
      #expect(refused.errors.contains("restore-backup \(backup) --into"), "\(refused.errors)")
    }
  }

  @Test func `a link to a store is called one`() throws {
    try generate()
    try FileManager.default.createSymbolicLink(
      atPath: path("link.store"), withDestinationPath: path("app/CloudKit.store"))
    for arguments in [
      ["verify-counts"], ["pack-backup"], ["recover-folder"], ["inspect-crdt", "--history"],
      ["import-crdt", "--into", path("data")],
    ] {
      let made = try CommandTests.run(
        BuiltCommands.directory.appending(path: arguments[0]),
        arguments.dropFirst() + [path("link.store")], input: nil)
      #expect(made.status == 66, "\(arguments): \(made.errors)")
      #expect(
        made.errors.contains("is a symbolic link") && made.errors.contains("the link points to"),
        "\(arguments): \(made.errors)")
    }
  }
}
