import Foundation
import Testing

/// `migrate-schema` over the files and preferences of a folder, as a user runs it.
@Suite struct MigratePlacesTests {
  static let plan = BuiltCommands.packageRoot.appending(path: "plans/local-data.json").path
  static let fixtures = BuiltCommands.packageRoot.appending(
    path: "fixtures/plans/local-data")
  static let options = ["--set", "at=2026-01-01T00:00:00Z", "--app-version", "1.9"]
  static let ids = ["move-setting", "move-profile", "transform-profile", "unify-settings"]

  let place: TemporaryDirectory
  var folder: URL { place.url.appending(path: "App") }

  init() throws {
    place = try TemporaryDirectory()
    try FileManager.default.copyItem(
      at: Self.fixtures.appending(path: "before"), to: place.url.appending(path: "App"))
  }

  func migrate(_ options: String..., plan: String = plan) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "migrate-schema"), [plan, folder.path] + options,
      input: nil)
  }

  func migrateAll(_ options: String...) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "migrate-schema"),
      [Self.plan, folder.path] + Self.options + options, input: nil)
  }

  /// The files of a folder, without our state.
  func files(_ url: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: url.path)
    where !path.hasPrefix(".automerge-migrate") {
      let file = url.appending(path: path)
      if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile ?? false {
        files[path] = try Data(contentsOf: file)
      }
    }
    return files
  }

  func states(_ run: CommandRun) -> [String: String] {
    var states: [String: String] = [:]
    for line in run.jsonLines where line["type"] as? String == "migration-step" {
      states[line["id"] as? String ?? ""] = line["state"] as? String
    }
    return states
  }

  @Test func `no backup is made where only steps are to run that were not asked for`() throws {
    #expect(try migrateAll("--to", "move-setting").status == 1)
    let backups = folder.path + "-backups"
    let made = try FileManager.default.contentsOfDirectory(atPath: backups)
    let again = try migrateAll("--to", "move-setting")
    #expect(again.output.contains("Nothing was to be done"), "\(again.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: backups) == made)
  }

  @Test func `the shipped plan runs on its folder, twice without a second effect, and is undone`()
    throws
  {
    let before = try files(folder)
    let run = try migrateAll()
    // The keychain cannot be read here, so one step waits.
    #expect(run.status == 1 && run.errors == "", "\(run.output)\(run.errors)")
    #expect(run.output.contains("keychain:profile cannot be read here"))
    #expect(run.output.contains("Ran 4 steps; 5 files moved"))
    #expect(try files(folder) == files(Self.fixtures.appending(path: "after")))
    let again = try migrateAll()
    #expect(again.status == 1 && again.output.contains("Nothing was to be done"))
    #expect(try files(folder) == files(Self.fixtures.appending(path: "after")))
    for id in Self.ids.reversed() {
      let undone = try migrateAll("--undo", id)
      #expect(undone.output.contains("Undid 1 step"), "\(id): \(undone.output)\(undone.errors)")
    }
    #expect(try files(folder) == before)
    let states = states(try migrateAll("--status", "--json"))
    for id in Self.ids { #expect(states[id] == "undone") }
    #expect(states["move-secret-profile"] == "waiting")
    // Only if that is asked for it runs again.
    #expect(try migrateAll().output.contains("Nothing was to be done"))
    let forced = try migrateAll("--force", "move-setting")
    #expect(forced.output.contains("Ran 1 step"), "\(forced.output)\(forced.errors)")
  }

  @Test func `what a step used and is there is told, set aside, and has its line of history`()
    throws
  {
    let plan = try plan("plan.json")
    func history() throws -> Int {
      try String(
        contentsOf: folder.appending(path: ".automerge-migrate.nosync/history.jsonl"),
        encoding: .utf8
      ).split(separator: "\n").count
    }
    try write("1", "old.json")
    try write("1", "old2.json")
    #expect(try migrate(plan: plan).output.contains("Ran 1 step; 2 files moved"))
    #expect(try migrate("--status", plan: plan).output.contains("No step is to run."))
    let lines = try history()
    // The app of before has written it again.
    try write("1", "old.json")
    let before = try files(folder)
    let status = try migrate("--status", plan: plan)
    #expect(status.status == 1 && status.output.contains("unfinished"), "\(status.output)")
    #expect(
      status.output.contains(
        "what it used is still there, and is set aside by the next run: old.json"),
      "\(status.output)")
    let look = try migrate("--dry-run", plan: plan)
    #expect(look.output.contains("Would finish 1 step; 1 file would move"), "\(look.output)")
    #expect(try files(folder) == before && history() == lines)
    let run = try migrate(plan: plan)
    #expect(
      run.status == 0 && run.output.contains("Finished 1 step; 1 file moved"), "\(run.output)")
    #expect(run.output.contains("finished now"))
    #expect(try files(folder)["old.json"] == nil && history() == lines + 1)
    // What says something else is another value, and nobody's to take away.
    try write("2", "old2.json")
    for options in [["--status"], ["--dry-run"], []] {
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: "migrate-schema"), [plan, folder.path] + options,
        input: nil)
      #expect(run.status == 0, "\(run.output)")
      #expect(
        run.output.contains("old2.json: s: it has changed since it was used"), "\(run.output)")
    }
    #expect(try files(folder)["old2.json"] == Data("2".utf8) && history() == lines + 1)
  }

  /// A plan with one step that moves a file, or the first of two.
  func plan(_ name: String, to destination: String = "new.json", also: String = "old2.json")
    throws -> String
  {
    let text = """
      {"plan": "x", "places": [{"id": "s", "risk": "transformative", "destination": "\(destination)",
        "sources": [{"file": "old.json"}, {"file": "\(also)"}]}]}
      """
    let plan = place.url.appending(path: name)
    try Data(text.utf8).write(to: plan)
    return plan.path
  }

  func write(_ text: String, _ name: String) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  @Test func `a dry run of an undoing tells what comes back and what leaves, and writes nothing`()
    throws
  {
    let plan = try plan("plan.json")
    try write("[1]", "old.json")
    try write("[1]", "old2.json")
    let before = try files(folder)
    #expect(try migrate(plan: plan).status == 0)
    let done = try SmallFolder.snapshot(of: folder)
    let look = try migrate("--undo", "s", "--dry-run", plan: plan)
    #expect(look.status == 0, "\(look.output)\(look.errors)")
    #expect(look.output.contains("Would undo 1 step; 2 files would come back"), "\(look.output)")
    #expect(look.output.contains("new file old2.json"), "\(look.output)")
    let lines = try migrate("--undo", "s", "--dry-run", "--json", plan: plan).jsonLines
    let changes = lines.filter { $0["type"] as? String == "changed-entity" }
    #expect(changes.map { $0["id"] as? String } == ["old.json", "old2.json", "new.json"])
    #expect(try SmallFolder.snapshot(of: folder) == done)
    #expect(try migrate("--undo", "s", plan: plan).output.contains("Undid 1 step; 2 files came"))
    #expect(try files(folder) == before)
  }

  @Test func `a destination that held the same before is none of the step's`() throws {
    let plan = try plan("plan.json", to: "sub/new.json")
    try write("1", "old.json")
    try write("1 ", "sub/new.json")
    let before = try files(folder)
    let run = try migrate("--json", plan: plan)
    #expect(run.status == 0 && run.jsonLines.first?["made"] as? Int == 0, "\(run.output)")
    let undone = try migrate("--undo", "s", plan: plan)
    #expect(undone.status == 0, "\(undone.output)")
    #expect(
      undone.output.contains("sub/new.json: s: it was there before the step"), "\(undone.output)")
    #expect(try files(folder) == before)
  }

  @Test(arguments: [("new2.json", "old2.json"), ("new.json", "old3.json")])
  func `a step is not undone by another one of its name`(destination: String, source: String) throws
  {
    let before = try plan("plan.json")
    try write("1", "old.json")
    try write("1", "old2.json")
    #expect(try migrate(plan: before).status == 0)
    let done = try SmallFolder.snapshot(of: folder)
    let edited = try plan("edited.json", to: destination, also: source)
    for options in [["--undo", "s"], ["--undo", "s", "--dry-run"]] {
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: "migrate-schema"), [edited, folder.path] + options,
        input: nil)
      #expect(run.status == 78 && run.errors.contains("id of its own"), "\(run.errors)")
    }
    #expect(try SmallFolder.snapshot(of: folder) == done)
  }

  @Test func `a dry run shows each value, and writes nothing`() throws {
    let before = try SmallFolder.snapshot(of: folder)
    let run = try migrateAll("--dry-run")
    #expect(run.output.contains("Would run 4 steps; 5 files would move"))
    let lines = try migrateAll("--dry-run", "--json")
    #expect(lines.output.contains(#"\"fullName\":\"Ada Lovelace\""#))
    #expect(run.output.contains("new file settings/unified.json"))
    #expect(try SmallFolder.snapshot(of: folder) == before)
    let status = try migrateAll("--status")
    #expect(status.status == 1 && status.output.contains("4 steps to run"))
    #expect(try SmallFolder.snapshot(of: folder) == before)
  }

  @Test func `preferences are read, binary or XML, and never written`() throws {
    let plan = place.url.appending(path: "plan.json")
    let text = """
      {"plan": "p", "places": [{"id": "a", "risk": "transformative", "destination": "all.json",
        "sources": [{"preferences": "preferences.plist", "key": "theme", "as": "theme"},
          {"preferences": "preferences.plist", "key": "launchCount", "as": "count"},
          {"preferences": "preferences.plist", "key": "profile", "as": "profile"},
          {"preferences": "preferences.plist", "key": "none", "as": "none"}],
        "value": {"object": {"theme": {"copy": "/theme"}, "count": {"copy": "/count"}, "name": {"copy": "/profile/name"},
          "none": {"first": [{"copy": "/none"}, {"constant": "absent"}]}}}}]}
      """
    try Data(text.utf8).write(to: plan)
    let preferences = folder.appending(path: "preferences.plist")
    let binary = try Data(contentsOf: preferences)
    let content = try unsafe PropertyListSerialization.propertyList(from: binary, format: nil)
    let xml = try PropertyListSerialization.data(
      fromPropertyList: content, format: .xml, options: 0)
    for data in [binary, xml] {
      try data.write(to: preferences)
      let run = try migrate(plan: plan.path)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("clear the key theme of preferences.plist in the app"))
      let made = try String(contentsOf: folder.appending(path: "all.json"), encoding: .utf8)
      #expect(
        made.filter { $0 != "\n" && $0 != " " }
          == #"{"theme":"sepia","count":7,"name":"Ada","none":"absent"}"#)
      #expect(try Data(contentsOf: preferences) == data)
      #expect(try migrate("--undo", "a", plan: plan.path).status == 0)
      try FileManager.default.removeItem(at: folder.appending(path: ".automerge-migrate.nosync"))
    }
    try Data("no list".utf8).write(to: preferences)
    for options in [[], ["--status"], ["--dry-run"]] {
      let damaged = try CommandTests.run(
        BuiltCommands.directory.appending(path: "migrate-schema"),
        [plan.path, folder.path] + options, input: nil)
      #expect(damaged.status == 1 && damaged.output.contains("waiting"), "\(damaged.errors)")
      #expect(damaged.output.contains("preferences.plist cannot be read as preferences"))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "all.json").path))
  }

  @Test(arguments: ["{", "directory", "placeholder"])
  func `a step waits for what does not load, and others go on`(what: String) throws {
    let broken = folder.appending(path: "legacy/theme.json")
    let placeholder = folder.appending(path: "legacy/.theme.json.icloud")
    let problem: String
    let whole = try Data(contentsOf: broken)
    switch what {
    case "directory":
      try FileManager.default.removeItem(at: broken)
      try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: false)
      problem = "legacy/theme.json is no regular file"
    case "placeholder":
      try FileManager.default.moveItem(at: broken, to: placeholder)
      problem = "legacy/theme.json is not downloaded"
    default:
      try Data(what.utf8).write(to: broken)
      problem = "legacy/theme.json is no JSON"
    }
    let before = try files(folder)
    for options in ["--status", "--dry-run", "--quiet"] {
      let run = try migrateAll(options, "--json")
      #expect(run.status == 1 && run.errors == "", "\(options): \(run.errors)")
      let states = states(run)
      #expect(states["move-setting"] == "waiting", "\(run.output)")
      #expect(run.output.contains(problem), "\(run.output)")
      // What the settings are made of is not complete, and the profile is.
      #expect(states["unify-settings"] == "waiting", "\(run.output)")
      #expect(run.output.contains("move-setting, which writes settings"), "\(run.output)")
      #expect(states["move-profile"] == (options == "--quiet" ? "applied" : "pending"))
    }
    let after = try files(folder)
    #expect(after["legacy/theme.json"] == before["legacy/theme.json"])
    #expect(after["settings/theme-old.json"] != nil && after["settings/unified.json"] == nil)
    #expect(after["profile/profile.json"] != nil)
    // Once it loads all is as if it always had.
    try? FileManager.default.removeItem(at: placeholder)
    try? FileManager.default.removeItem(at: broken)
    try whole.write(to: broken)
    #expect(try migrateAll().status == 1)
    #expect(try files(folder) == files(Self.fixtures.appending(path: "after")))
  }

  @Test func `what an app makes unreadable after a step keeps nobody from saying how it stands`()
    throws
  {
    let plan = try plan("plan.json")
    try write("1", "old.json")
    try write("{", "new.json")
    // The destination cannot be compared with what would go there.
    for options in ["--status", "--dry-run", "--quiet"] {
      let run = try migrate(options, "--json", plan: plan)
      #expect(run.status == 1 && states(run)["s"] == "waiting", "\(run.errors)")
      #expect(run.output.contains("new.json is no JSON"))
    }
    try FileManager.default.removeItem(at: folder.appending(path: "new.json"))
    #expect(try migrate(plan: plan).status == 0)
    try write("{", "new.json")
    try write("{", "old.json")
    for options in ["--status", "--quiet"] {
      let run = try migrate(options, "--json", plan: plan)
      #expect(run.status == 1 && states(run)["s"] == "waiting", "\(run.errors)")
      #expect(run.output.contains("new.json is no JSON"))
      #expect(run.output.contains("cannot be read, so nobody knows whether it is what was used"))
    }
    let undone = try migrate("--undo", "s", plan: plan)
    #expect(undone.status == 1 && undone.output.contains("new.json is no JSON"))
    #expect(try files(folder)["old.json"] == Data("{".utf8))
    #expect(try files(folder)["new.json"] == Data("{".utf8))
  }

  @Test func `what is edited, in the way, or edited since is left alone`() throws {
    try Data("\"mine\"".utf8).write(to: folder.appending(path: "settings/theme.json"))
    let status = try migrateAll("--status", "--json")
    #expect(status.status == 1 && states(status)["move-setting"] == "waiting")
    let standing = status.jsonLines.first { $0["id"] as? String == "move-setting" }
    #expect(
      (standing?["reason"] as? String)?.contains("settings/theme.json holds something else already")
        == true, "\(status.output)")
    let taken = try migrateAll("--to", "move-setting")
    #expect(taken.status == 1 && taken.output.contains("it holds something else already"))
    try FileManager.default.removeItem(at: folder.appending(path: "settings/theme.json"))
    #expect(try migrateAll("--to", "move-setting").status == 1)
    try Data("\"mine\"".utf8).write(to: folder.appending(path: "settings/theme.json"))
    let undone = try migrateAll("--undo", "move-setting")
    #expect(undone.status == 1 && undone.output.contains("it was edited since"))
    // A plan that says something else under the same name is refused.
    let edited = place.url.appending(path: "edited.json")
    let text = try String(contentsOfFile: Self.plan, encoding: .utf8)
    try Data(text.replacing("legacy/theme.json", with: "legacy/other.json").utf8).write(to: edited)
    let run = try migrate("--app-version", "1.9", plan: edited.path)
    #expect(run.status == 78 && run.errors.contains("id of its own"), "\(run.errors)")
  }

  @Test func `what is made of private files is as private, and of anything else no wider`() throws {
    let manager = FileManager.default
    func mode(_ path: String) throws -> Int {
      try manager.attributesOfItem(atPath: folder.appending(path: path).path)[.posixPermissions]
        as? Int ?? 0
    }
    try manager.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: folder.appending(path: "legacy/profile.json").path)
    try manager.setAttributes(
      [.posixPermissions: 0o640],
      ofItemAtPath: folder.appending(path: "settings/notifications.json").path)
    #expect(try migrateAll().status == 1)
    #expect(try mode("profile/profile.json") == 0o600)
    #expect(try mode("settings/unified.json") & 0o007 == 0)
    for id in Self.ids.reversed() { #expect(try migrateAll("--undo", id).status == 1) }
    #expect(try mode("legacy/profile.json") == 0o600)
    #expect(try mode("settings/notifications.json") == 0o640)
  }

  @Test func `two runs at once do what one does`() throws {
    let executable = BuiltCommands.directory.appending(path: "migrate-schema")
    let both = try (0..<2).map { _ in
      try RunningCommand(executable, [Self.plan, folder.path] + Self.options)
    }
    for command in both {
      try command.input.close()
      #expect([1, 75].contains(try command.wait().status))
    }
    #expect(try files(folder) == files(Self.fixtures.appending(path: "after")))
  }
}
