import Automerge
import Foundation
import Testing

/// `cleanup-legacy --months-before` on a folder that only a profile describes.
@Suite struct ProfiledMonthsCommandTests {
  private let app: ProfiledApp
  private let backup: String
  private static let january = [
    "notes/2024-01.automerge", "visits/2024/01.automerge", "visits/2024/01/pier.jpg",
  ]

  /// The folder as it is after a migration and a clean-up, and a backup of that.
  init() throws {
    app = try DiaryApp.make()
    let run = try app.run("migrate-folder", app.folder, "--cleanup")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    backup = try app.backup()
  }

  private func setAside(
    before month: String = "2024-03", applying: Bool = true, _ options: String...
  ) throws -> CommandRun {
    try app.run(
      "cleanup-legacy",
      [app.folder, "--months-before", month, "--backup", backup, "--json"]
        + (applying ? ["--apply"] : []) + options)
  }

  private func paths(_ run: CommandRun, _ outcome: String) -> [String] {
    run.jsonLines.filter { $0["type"] as? String == "file" && $0["outcome"] as? String == outcome }
      .compactMap { $0["path"] as? String }.sorted()
  }

  private func messages(_ run: CommandRun, _ code: String) -> [String] {
    run.jsonLines.filter { $0["code"] as? String == code }
      .map { "\($0["severity"] ?? "") \($0["path"] ?? ""): \($0["message"] ?? "")" }
  }

  @Test func `documents of all kinds with months go, and what has none stays and is told`() throws {
    let before = try app.files()
    let plan = try setAside(applying: false)
    #expect(plan.status == 0 && paths(plan, "moved") == Self.january, "\(plan.output)")
    #expect(try app.files() == before)

    let run = try setAside()
    #expect(run.status == 0, "\(run.output)")
    #expect(paths(run, "moved") == Self.january)
    #expect(run.jsonLines.filter { $0["type"] as? String == "month" }.count == 1)
    #expect(
      messages(run, "kept") == [
        "info moods.json: has no month and stays", "info topics.automerge: has no month and stays",
      ])
    #expect(messages(run, "private-kind").count == 2)
    let after = try app.files()
    #expect(after == before.filter { !Self.january.contains($0.key) })
    // What nobody asked for is in no document, and stays with what it names.
    #expect(after["pages/2024/01/storm.json"] != nil && after["photos/storm.jpg"] != nil)

    let verified = try app.run("verify-counts", app.folder, "--json")
    #expect(verified.status == 0, "\(verified.output)")
    #expect(messages(verified, "set-aside").count == 1)
    #expect(try app.run("import-crdt", app.folder).status == 0)
    #expect(try app.files() == after)
    #expect(try setAside().status == 0)

    // The command that undoes it knows the profile.
    let undo = try #require(run.summary?["undoCommand"] as? [String])
    #expect(undo.contains("--profile"))
    let back = try CommandTests.run(
      BuiltCommands.directory.appending(path: undo[0]), Array(undo.dropFirst()), input: nil)
    #expect(back.status == 0, "\(back.output)\(back.errors)")
    #expect(try app.files() == before)
  }

  @Test func `months of private kinds go with the others once they are documents`() throws {
    _ = try app.run("import-crdt", app.folder, "--include-private")
    let early = try setAside()
    #expect(early.status == 1 && paths(early, "moved").isEmpty)
    #expect(messages(early, "kept").contains { $0.contains("the backup does not hold it") })

    let whole = try app.backup()
    let run = try app.run(
      "cleanup-legacy", app.folder, "--months-before", "2024-02", "--backup", whole, "--apply",
      "--json")
    #expect(run.status == 0, "\(run.output)")
    #expect(
      paths(run, "moved")
        == (Self.january + ["pages/2024-01.automerge", "pages/2024/01/storm.json"]).sorted())
    #expect(try app.files()["photos/storm.jpg"] != nil)
    #expect(try app.run("verify-counts", app.folder).status == 0)
  }

  @Test func `JSON whose date says the month keeps the months of its entities`() throws {
    let app = try DiaryApp.make()
    _ = try app.run("import-crdt", app.folder)
    let backup = try app.backup()
    func setAside() throws -> CommandRun {
      try app.run(
        "cleanup-legacy", app.folder, "--months-before", "2024-03", "--backup", backup, "--apply",
        "--json")
    }
    let before = try app.files()
    let run = try setAside()
    #expect(run.status == 1 && paths(run, "moved").isEmpty)
    #expect(
      messages(run, "kept").contains(
        "error notes/tide.json: 2024-01 stays whole: its documents hold what this file was imported "
          + "to"), "\(run.output)")
    #expect(try app.files() == before)

    // One that cannot be read may hold an entity of any month.
    try app.write("{", to: "notes/tide.json")
    let damaged = try setAside()
    #expect(damaged.status == 1 && paths(damaged, "moved").isEmpty)
    #expect(
      messages(damaged, "kept").contains { $0.contains("notes/tide.json: 2024-01 stays whole") })

    try FileManager.default.removeItem(at: app.url("notes/tide.json"))
    let moved = try setAside()
    #expect(moved.status == 0, "\(moved.output)")
    #expect(paths(moved, "moved") == (Self.january + ["visits/2024/01/pier.json"]).sorted())
  }

  @Test func `what was set aside is not imported anew, nor after a purge, and comes back`() throws {
    _ = try setAside()
    try app.write(DiaryApp.open["notes/tide.json"] ?? "", to: "notes/tide.json")
    try app.write(DiaryApp.open["visits/2024/01/pier.json"] ?? "", to: "visits/2024/01/pier.json")
    let documents = try app.documents()
    let again = try app.run("import-crdt", app.folder, "--json")
    #expect(again.status == 1)
    #expect(messages(again, "set-aside").count == 2, "\(again.output)")
    #expect(
      messages(again, "set-aside").contains { $0.contains("note notes/tide is in notes/2024-01") })
    #expect(
      again.jsonLines.filter { $0["code"] as? String == "set-aside" }
        .allSatisfy { ($0["command"] as? [String])?.contains("--profile") ?? false })
    #expect(try app.documents() == documents)
    let status = try app.run("verify-counts", app.folder, "--status").output
    #expect(status.contains("next: cleanup-legacy") && status.contains("--bring-back"))

    let purged = try app.run(
      "cleanup-legacy", app.folder, "--purge", "--older-than", "0d", "--apply", "--backup", backup)
    #expect(purged.status <= 1, "\(purged.output)")
    let late = try app.run("import-crdt", app.folder, "--json")
    #expect(late.status == 1 && messages(late, "set-aside").count == 2, "\(late.output)")
    #expect(try app.documents() == documents)

    for path in Self.january {
      let restored = try app.run(
        "restore-backup", backup, "--into", app.folder, "--only", path)
      #expect(restored.status == 0, "\(restored.errors)")
    }
    let known = try app.run("import-crdt", app.folder, "--json")
    #expect(known.status == 0, "\(known.output)")
    let quarantine = app.folder + "/.automerge-migrate.nosync/quarantine"
    let names = try FileManager.default.contentsOfDirectory(atPath: quarantine)
    #expect(!names.contains { $0.hasSuffix(".purged.jsonl") }, "\(names)")
    #expect(try app.run("verify-counts", app.folder).status == 0)
  }

  @Test func `a rollback brings back what was set aside`() throws {
    let whole = try app.backup()
    _ = try setAside()
    let run = try app.run("rollback-folder", app.folder, whole)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try app.documents().isEmpty)
    #expect(
      try app.json().keys.sorted()
        == DiaryApp.open.merging(DiaryApp.closed) { first, _ in first }.keys
        .filter { $0.hasSuffix(".json") }.sorted())
    #expect(try app.files()["visits/2024/01/pier.jpg"] != nil)
    #expect(!run.output.contains("was deleted since the backup"))
  }

  @Test func `months that were set aside are not told as deleted since a backup`() throws {
    _ = try setAside()
    let run = try app.run("export-json", app.folder, "--backup", backup, "--json")
    let report = CommandRun.jsonLines(of: run.errors)
    #expect(!report.contains { $0["code"] as? String == "deleted-since" }, "\(run.errors)")
  }

  @Test func `without documents by month there is nothing to set aside, and that is said`() throws {
    let app = try ProfiledApp(
      profile: #"""
        {"profile": "p", "version": 1, "kinds": [
          {"kind": "k", "identity": {"type": "file"}, "files": {"paths": ["k/{year}/{month}/*.json"]},
           "document": {"path": "k.automerge"}, "properties": {}}]}
        """#, files: ["k/2024/01/a.json": "{}"])
    let before = try app.files()
    let run = try app.run("cleanup-legacy", app.folder, "--months-before", "2024-03")
    #expect(run.status == 64)
    #expect(run.errors.contains("--months-before: no kind of the profile has documents by month"))
    #expect(try app.files() == before)
  }
}
