import Automerge
import Foundation
import Testing

/// `recover-folder`, `--status` and `--purge` on folders that only a profile describes.
@Suite struct ProfiledRecoveryCommandTests {
  private static let january = "documents/2025-01.automerge"

  /// A migrated folder, its documents, and a backup of all of it.
  private func migrated(
    _ name: String = "notes", cleansUp: Bool = false
  ) throws -> (app: ProfiledApp, documents: [String: Data]) {
    let app = try ProfiledApp(name)
    _ = try app.run("migrate-folder", [app.folder] + (cleansUp ? ["--cleanup"] : []))
    return (app, try app.documents())
  }

  private func damage(_ path: String, of app: ProfiledApp) throws {
    var bytes = try Data(contentsOf: app.url(path))
    bytes[bytes.count / 2] ^= 0x55
    try bytes.write(to: app.url(path))
  }

  /// Shows the plan, of which every command knows the profile, then carries it out.
  private func recover(_ app: ProfiledApp, says text: String) throws -> CommandRun {
    let before = try app.files()
    let plan = try app.run("recover-folder", app.folder, "--json")
    #expect(plan.status == 1, "\(plan.output)\(plan.errors)")
    #expect(try app.files() == before)
    #expect(plan.output.contains(text), "\(plan.output)")
    for line in plan.jsonLines where line["type"] as? String == "step" {
      // What is salvaged from bytes alone needs no profile.
      guard let command = line["command"] as? [String], command[0] != "repair-crdt" else {
        continue
      }
      #expect(command.contains("--profile") && command.contains(app.profile), "\(command)")
    }
    return try app.run("recover-folder", app.folder, "--apply")
  }

  @Test func `a folder with nothing wrong needs nothing`() throws {
    let (app, documents) = try migrated()
    let run = try app.run("recover-folder", app.folder)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try app.documents() == documents)
  }

  @Test func `a damaged document comes back from a backup`() throws {
    let (app, documents) = try migrated()
    _ = try app.backup()
    try damage(Self.january, of: app)
    let status = try app.run("verify-counts", app.folder, "--status")
    #expect(status.status == 1 && status.output.contains("damaged: \(Self.january)"))
    _ = try recover(app, says: "the newest backup that holds it whole")
    #expect(try app.documents() == documents)
    #expect(try app.run("verify-counts", app.folder).status == 0)
    try expectNothingLeft(of: app)
  }

  /// Once somebody has looked at what was salvaged, and moved it away, nothing is wrong any more.
  private func expectNothingLeft(of app: ProfiledApp) throws {
    try FileManager.default.removeItem(atPath: app.folder + "-salvaged")
    let run = try app.run("recover-folder", app.folder)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test(arguments: ["notes", "greenhouse", "habits"])
  func `a damaged document that no backup holds is made from its JSON again`(
    _ name: String
  ) throws {
    let (app, documents) = try migrated(name)
    for path in documents.keys.sorted().prefix(2) { try damage(path, of: app) }
    _ = try recover(app, says: "one holds the JSON it was made from")
    #expect(try app.documents() == documents)
    try expectNothingLeft(of: app)
  }

  @Test(arguments: ["notes", "greenhouse", "habits"])
  func `a document that is gone comes back`(_ name: String) throws {
    let (app, documents) = try migrated(name, cleansUp: true)
    _ = try app.backup()
    for path in documents.keys {
      try FileManager.default.removeItem(at: app.url(path))
      let run = try recover(app, says: "brings it back")
      #expect(run.status == 0, "\(path): \(run.output)\(run.errors)")
      #expect(try app.documents() == documents, "\(path)")
    }
  }

  @Test(arguments: [
    ("greenhouse", ["log/2025-03.automerge", "plants.automerge"]),
    ("notes", ["notebooks.automerge"]), ("notes", ["documents/2025-01.automerge"]),
    ("notes", ["documents/2023-05.automerge", "documents/2024-12.automerge"]),
    ("habits", ["habits.automerge", "log/2025-02.automerge"]),
  ])
  func `a document that is gone and in no backup is made from quarantine`(
    _ name: String, _ paths: [String]
  ) throws {
    let (app, documents) = try migrated(name, cleansUp: true)
    let json = try app.json()
    let backups = app.folder + "-backups"
    for name in try FileManager.default.contentsOfDirectory(atPath: backups) {
      try FileManager.default.removeItem(atPath: backups + "/" + name)
    }
    for path in paths { try FileManager.default.removeItem(at: app.url(path)) }
    let run = try recover(app, says: "its JSON is in quarantine")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try app.documents() == documents && app.json() == json)
  }

  @Test func `documents by date that are in no backup are made from its JSON in one step`() throws {
    let (app, documents) = try migrated("notes", cleansUp: true)
    let months = documents.keys.filter { $0.hasPrefix("documents/") }
    #expect(months.count > 2)
    for path in months { try FileManager.default.removeItem(at: app.url(path)) }
    let run = try recover(app, says: "one holds the JSON it was made from")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try app.documents() == documents)
    #expect(run.output.components(separatedBy: " is imported: ").count == 2, "\(run.output)")
  }

  @Test func `what later backups hold of a file that was cleaned up is no JSON of a document`()
    throws
  {
    let app = try ProfiledApp("habits")
    let backup = try app.backup()
    _ = try app.run("migrate-folder", app.folder, "--cleanup")
    let (documents, json) = (try app.documents(), try app.json())
    _ = try app.run(
      "cleanup-legacy", app.folder, "--purge", "--older-than", "0d", "--apply", "--backup", backup)
    try damage("habits.automerge", of: app)
    _ = try app.backup()
    _ = try recover(app, says: "one holds the JSON it was made from")
    #expect(try app.documents() == documents && app.json() == json)
  }

  @Test func `a folder that lost everything gets its content back`() throws {
    let (app, documents) = try migrated("greenhouse")
    let json = try app.json()
    _ = try app.backup()
    for path in try FileManager.default.contentsOfDirectory(atPath: app.folder)
    where !path.hasPrefix(".") {
      try FileManager.default.removeItem(at: app.url(path))
    }
    let run = try recover(app, says: "neither documents nor JSON")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try app.documents() == documents && app.json() == json)
  }

  @Test func `files that entities name come back, and JSON that is new is imported`() throws {
    let (app, _) = try migrated()
    let plan = try Data(contentsOf: app.url("attachments/plan.txt"))
    _ = try app.backup()
    try FileManager.default.removeItem(at: app.url("attachments/plan.txt"))
    try Data(
      """
      {"id":"00000001-0000-4000-8000-000000000001","title":"x","created":"2022-01-01T00:00:00Z"}
      """.utf8
    ).write(to: app.url("notes/new.json"))
    let status = try app.run("verify-counts", app.folder, "--status")
    #expect(status.output.hasPrefix("migrating\n"), "\(status.output)")
    #expect(status.output.contains("next: migrate-folder --profile \(app.profile) \(app.folder)"))
    let run = try recover(app, says: "JSON that is in no document yet is imported")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try Data(contentsOf: app.url("attachments/plan.txt")) == plan)
    #expect(try app.run("verify-counts", app.folder).output.contains("10 of 10 entities proven"))
  }

  @Test func `copies that a merge which was killed left are merged, and another entity is no copy`()
    throws
  {
    let (app, _) = try migrated("habits")
    let base = "log/2025/2025-01-30.json"
    let copy = "log/2025/2025-01-30 (Anna's conflicted copy 2026-01-06).json"
    let text = try String(contentsOf: app.url(base), encoding: .utf8)
    try app.write(text, to: copy)
    // It is proven like any file, and all the same it is not one of the app's.
    #expect(try app.run("verify-counts", app.folder).status == 0)
    let run = try recover(app, says: "those that are related are merged")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try app.json()[copy] == nil && app.json()[base] == Data(text.utf8))
    #expect(try app.run("recover-folder", app.folder).status == 0)

    let (notes, _) = try migrated("notes")
    try notes.write(
      #"{"id":"00000001-0000-4000-8000-000000000001","title":"x","created":"2022-01-01T00:00:00Z"}"#,
      to: "notes/welcome (Anna's conflicted copy 2026-01-06).json")
    _ = try notes.run("import-crdt", notes.folder)
    let none = try notes.run("recover-folder", notes.folder)
    #expect(none.status == 0, "\(none.output)\(none.errors)")
  }

  @Test func `a restore that was interrupted is finished first, and the lock stays`() throws {
    let (app, documents) = try migrated()
    let lock = try inode(of: ".notes.lock", in: app)
    let backup = try app.backup()
    let run = app.folder + "/.automerge-migrate.nosync/restore/20260106T120000Z-0001"
    try FileManager.default.createDirectory(atPath: run + "/new", withIntermediateDirectories: true)
    #expect(
      try CommandTests.run(
        URL(filePath: "/bin/tar"), ["-xf", backup, "-C", run + "/new"],
        input: nil
      ).status == 0)
    try FileManager.default.removeItem(atPath: run + "/new/manifest.json")
    try Data().write(to: URL(filePath: run + "/keeping-.notes.lock"))
    #expect(try app.run("verify-counts", app.folder, "--status").status == 75)
    let recovered = try recover(app, says: "a restore was interrupted")
    #expect(recovered.status == 0, "\(recovered.output)\(recovered.errors)")
    #expect(try app.documents() == documents)
    #expect(try inode(of: ".notes.lock", in: app) == lock)
  }

  private func inode(of path: String, in app: ProfiledApp) throws -> UInt64 {
    let attributes = try FileManager.default.attributesOfItem(atPath: app.url(path).path)
    return try #require(attributes[.systemFileNumber] as? UInt64)
  }

  // MARK: Purge

  @Test func `what a backup holds is purged from quarantine, and the documents are all there is`()
    throws
  {
    let app = try ProfiledApp("greenhouse")
    let backup = try app.backup()
    _ = try app.run("migrate-folder", app.folder, "--cleanup")
    let documents = try app.documents()
    let refused = try app.run(
      "cleanup-legacy", app.folder, "--purge", "--older-than", "0d", "--apply")
    #expect(refused.status == 64)
    let purged = try app.run(
      "cleanup-legacy", app.folder, "--purge", "--older-than", "0d", "--apply", "--backup", backup)
    #expect(purged.status == 0, "\(purged.output)\(purged.errors)")
    #expect(purged.output.contains("7 files"))
    let quarantine = app.folder + "/.automerge-migrate.nosync/quarantine"
    let left = try? FileManager.default.subpathsOfDirectory(atPath: quarantine)
    #expect(left?.contains { $0.hasSuffix("mint.json") } != true)
    #expect(try app.documents() == documents)
    let status = try app.run("verify-counts", app.folder, "--status")
    #expect(status.status == 0 && status.output.hasPrefix("cleaned\n"), "\(status.output)")
    // The backup is the last that holds the files: it stays, whatever is kept.
    for number in 1...2 {
      try Data("\(number)".utf8).write(to: app.url("other.txt"))
      _ = try app.run("pack-backup", app.folder, "--keep", "1")
    }
    #expect(FileManager.default.fileExists(atPath: backup))
    #expect(try app.run("rollback-folder", app.folder, backup).status == 0)
    #expect(try app.documentsAnew() == documents)
  }

  @Test(arguments: ["greenhouse", "minuta"])
  func `that there is nothing to compare with after a purge is no error while its backup is there`(
    _ name: String
  ) throws {
    let app = name == "minuta" ? try ProfiledApp(minuta: SmallFolder()) : try ProfiledApp(name)
    let backup = try app.backup()
    _ = try app.run(
      "migrate-folder",
      [app.folder, "--cleanup"] + (name == "minuta" ? ["--layout", "monthly"] : []))
    _ = try app.run(
      "cleanup-legacy", app.folder, "--purge", "--older-than", "0d", "--apply", "--backup", backup)
    func verified() throws -> (run: CommandRun, finding: [String: Any]) {
      let run = try app.run("verify-counts", app.folder, "--json")
      let finding = run.jsonLines.first { $0["code"] as? String == "nothing-to-compare" }
      return (run, try #require(finding, "\(run.output)"))
    }
    let (run, finding) = try verified()
    #expect(run.status == 0, "\(run.output)")
    #expect(finding["severity"] as? String == "warning")
    #expect(run.summary?["sound"] as? Bool == true && run.summary?["complete"] as? Bool == false)
    // What it says to do proves it.
    let command = try #require(finding["command"] as? [String])
    #expect(command.contains(backup))
    let compared = try CommandTests.run(
      BuiltCommands.directory.appending(path: command[0]), Array(command.dropFirst()), input: nil)
    #expect(compared.status == 0, "\(compared.output)")
    #expect(compared.output.contains("Everything is there and equal."), "\(compared.output)")

    // Another file under its name proves nothing, and one that is gone neither.
    let whole = try Data(contentsOf: URL(filePath: backup))
    try whole.dropLast().write(to: URL(filePath: backup))
    #expect(try verified().run.status == 1)
    try FileManager.default.removeItem(atPath: backup)
    let gone = try verified()
    #expect(gone.run.status == 1 && gone.finding["severity"] as? String == "error")
    #expect((gone.finding["message"] as? String)?.contains(backup) == true)
    try whole.write(to: URL(filePath: backup))
    #expect(try verified().run.status == 0)
    // Where there is no document, it held something for nobody.
    for path in try app.documents().keys { try FileManager.default.removeItem(at: app.url(path)) }
    #expect(try verified().run.status == 1)
  }

  @Test func `documents that were made and are gone are missed, though no JSON tells of them`()
    throws
  {
    let app = try ProfiledApp("greenhouse")
    let backup = try app.backup()
    _ = try app.run("migrate-folder", app.folder, "--cleanup")
    _ = try app.run(
      "cleanup-legacy", app.folder, "--purge", "--older-than", "0d", "--apply", "--backup", backup)
    for path in try app.documents().keys { try FileManager.default.removeItem(at: app.url(path)) }
    let status = try app.run("verify-counts", app.folder, "--status")
    #expect(status.status == 1 && status.output.contains("missing-file"), "\(status.output)")
    let again = try app.run("migrate-folder", app.folder)
    #expect(again.status == 1 && again.output.contains("not all there"), "\(again.output)")
  }
}
