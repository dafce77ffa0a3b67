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
}
