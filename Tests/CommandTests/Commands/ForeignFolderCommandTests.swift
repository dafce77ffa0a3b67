import Foundation
import Testing
import TestStores

/// What commands say of a folder in which nothing is of the app that their profile describes: what to
/// give, with status 78, and nothing is left in the folder or beside it.
@Suite struct ForeignFolderCommandTests {
  /// Calls on a folder F, of which B is a backup; E is an empty one.
  private static let calls = [
    "import-crdt F", "import-crdt F -n", "import-crdt F --update", "verify-counts F",
    "verify-counts F --status", "verify-counts F --status --names-only",
    "verify-counts F --against B", "export-json F", "export-json F --to F-json", "cleanup-legacy F",
    "cleanup-legacy F --apply --backup B", "cleanup-legacy F --months-before 2024-01",
    "cleanup-legacy F --purge --older-than 0d --apply --backup B",
    "cleanup-legacy F --bring-back 20260106T120000Z --apply", "merge-conflicts F",
    "merge-conflicts F --unify", "merge-conflicts F -n", "inspect-crdt --sizes F",
    "migrate-folder F", "migrate-folder F -n", "recover-folder F", "recover-folder F --apply",
    "report-folder F", "report-folder F -o F.html",
    "rollback-folder F B", "rollback-folder F B --with-deleted", "sync-folder F E",
    "sync-folder E F", "sync-folder F E -n",
  ]

  private static func fixture(_ name: String) -> String {
    ProfiledApp.fixtures.appending(path: "\(name)/profile.json").path
  }

  /// The folder of the notes, and the profile that is given for it, if one is.
  private static let profiles = [nil, "habits"].map { $0.map(fixture) }

  @Test(arguments: profiles)
  func `a folder of another app is told by every command, and nothing is left in it`(
    _ profile: String?
  ) throws {
    let app = try ProfiledApp("notes")
    let backup = try app.backup()
    // What makes a command believe at first that there may be something for it.
    for directory in ["records", "log"] {
      try app.write("x", to: "\(directory)/readme.txt")
    }
    let empty = app.place.url.appending(path: "empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    let before = try SmallFolder.snapshot(of: app.place.url)
    for call in Self.calls {
      let words = call.split(separator: " ").map { word in
        switch word {
        case "B": backup
        case "E": empty.path
        case _ where word.hasPrefix("F"): app.folder + word.dropFirst()
        default: String(word)
        }
      }
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: words[0]),
        words.dropFirst() + (profile.map { ["--profile", $0] } ?? []), input: nil)
      #expect(
        run.status == 78 && run.output == "",
        "\(call): \(run.status) \(run.output)\(run.errors)")
      #expect(run.errors.contains("--profile FILE"), "\(call): \(run.errors)")
      #expect(
        run.errors.contains("inspect-crdt --profile-from \(app.folder) drafts one"),
        "\(call): \(run.errors)")
      #expect(
        run.errors.contains(
          profile == nil
            ? "notebooks.json is nowhere where Minuta has data"
            : "notebooks.json is nowhere where it has data (habits.json, log/*/{year}-{month}-*.json)"
        ), "\(call): \(run.errors)")
      #expect(try SmallFolder.snapshot(of: app.place.url) == before, "\(call)")
    }
  }

  /// What takes folders of any app, or none.
  private static let others: Set = [
    "bench-engine", "migrate-fleet", "generate-folder", "generate-store", "migrate-schema",
    "pack-backup",
    "repair-crdt", "restore-backup",
  ]

  @Test func `every command is called here, or takes any folder`() {
    let called = Set(Self.calls.compactMap { $0.split(separator: " ").first.map(String.init) })
    #expect(called.union(Self.others) == Set(BuiltCommands.names))
    #expect(called.isDisjoint(with: Self.others))
  }

  @Test func `a folder that holds no data of anybody is none of another app`() throws {
    let place = try TemporaryDirectory()
    try Data("a letter".utf8).write(to: place.url.appending(path: "a.pdf"))
    let folder = place.url.path
    for options in [[], ["--profile", Self.fixture("habits")]] {
      #expect(
        try CommandTests.run(
          BuiltCommands.directory.appending(path: "migrate-folder"), [folder] + options, input: nil
        ).status == 0)
      #expect(try run("verify-counts", [folder, "--status"] + options).output == "unknown\n")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.pdf"])
  }

  @Test func `of a directory of stores with JSON beside them the stores are told`() throws {
    let place = try TemporaryDirectory()
    let database = try TestStore().write(to: place.url.appending(path: "default.store").path)
    try Data("{}".utf8).write(to: place.url.appending(path: "preferences.json"))
    let told = try run("verify-counts", [place.url.path, "--status"])
    #expect(told.status == 0 && told.output.contains("default.store"), "\(told.errors)")
    // Names alone show no store.
    let names = try run("verify-counts", [place.url.path, "--status", "--names-only"])
    #expect(names.status == 78, "\(names.output)")
    withExtendedLifetime(database) {}
  }

  private func run(_ command: String, _ arguments: [String]) throws -> CommandRun {
    try CommandTests.run(
      BuiltCommands.directory.appending(path: command), arguments, input: nil)
  }

  // MARK: What shows whose folder it is

  private static let journal = """
    {
      "profile": "journal", "version": 1, "recognizedBy": ["diary/*.json", "journal.cfg"],
      "kinds": [
        {"kind": "goal", "identity": {"type": "uuid", "property": "id"},
         "files": {"paths": ["*.json"]}, "document": {"path": "goals.automerge"}, "properties": {}},
        {"kind": "day", "identity": {"type": "file"},
         "files": {"paths": ["diary/*.json"]}, "document": {"path": "diary.automerge"},
         "properties": {}}
      ]
    }
    """
  private static let goal = #"{"id": "0C5A1B7E-0000-4000-8000-00000000000A"}"#

  @Test(arguments: ["diary/monday.json", "diary/monday 2.json", "journal.cfg"])
  func `files that any app may have show nothing where a profile says what does`(
    _ telling: String
  ) throws {
    let app = try ProfiledApp(profile: Self.journal, files: ["a.json": Self.goal])
    for command in ["import-crdt", "verify-counts", "migrate-folder", "merge-conflicts"] {
      let run = try app.run(command, app.folder)
      #expect(run.status == 78 && run.output == "", "\(run.output)\(run.errors)")
      #expect(
        run.errors.contains(
          "the profile \"journal\" knows its folders by diary/*.json, journal.cfg, and nothing here "
            + "is that"), "\(run.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: app.folder) == ["a.json"])
    try app.write("{}", to: telling)
    let imported = try app.run("import-crdt", app.folder)
    #expect(imported.status == 0, "\(imported.output)\(imported.errors)")
    // From now on its documents do.
    try FileManager.default.removeItem(at: app.url(telling))
    #expect(try app.run("import-crdt", app.folder).status == 0)
  }

  @Test func `a part of a folder is imported into the whole of it`() throws {
    let app = try ProfiledApp(profile: Self.journal, files: ["diary/monday.json": "{}"])
    let part = app.place.url.appending(path: "part")
    try FileManager.default.createDirectory(at: part, withIntermediateDirectories: false)
    try Data(Self.goal.utf8).write(to: part.appending(path: "a.json"))
    let imported = try app.run("import-crdt", part.path, "--into", app.folder)
    #expect(imported.status == 0, "\(imported.output)\(imported.errors)")
    #expect(try app.documents().keys.contains("goals.automerge"))
    // Of a folder in which there is nothing of the app, no part is known, either.
    try FileManager.default.moveItem(
      at: part.appending(path: "a.json"), to: part.appending(path: "a.b.JSON"))
    #expect(try app.run("import-crdt", part.path, "--into", app.folder).status == 78)
  }

  @Test func `what a clean-up moved shows it, though everything else is another one's`() throws {
    let app = try ProfiledApp("greenhouse")
    #expect(try app.run("migrate-folder", app.folder, "--cleanup").status == 0)
    for path in try app.documents().keys { try FileManager.default.removeItem(at: app.url(path)) }
    try app.write("{}", to: "letters.json")
    let run = try app.run("verify-counts", app.folder, "--json")
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.jsonLines.contains { $0["code"] as? String == "missing-entity" })
    // Of another app there is nothing in it, neither here nor there.
    let other = try self.run(
      "verify-counts", [app.folder, "--profile", Self.fixture("habits")])
    #expect(other.status == 78, "\(other.output)")
  }

  @Test func `a folder that lost everything of the app is known by its backups`() throws {
    let app = try ProfiledApp("greenhouse")
    #expect(try app.run("migrate-folder", app.folder).status == 0)
    _ = try app.backup()
    let (documents, json) = (try app.documents(), try app.json())
    for path in try app.files().keys { try FileManager.default.removeItem(at: app.url(path)) }
    try app.write("{}", to: "letters.json")
    #expect(try app.run("verify-counts", app.folder).status == 78)
    let run = try app.run("recover-folder", app.folder, "--apply")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try app.documents() == documents)
    #expect(try app.json() == json.merging(["letters.json": Data("{}".utf8)]) { first, _ in first })
  }
}
