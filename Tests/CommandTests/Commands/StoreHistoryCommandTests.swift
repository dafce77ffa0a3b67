import Foundation
import Testing

/// `inspect-crdt --history` of stores, as a user asks.
@Suite struct StoreHistoryCommandTests {
  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  /// Makes a store and returns its path.
  private func store(_ profile: String = "laundrytime", _ version: String? = nil) throws -> String {
    let options = version.map { ["--schema-version", $0] } ?? []
    let made = try run(
      BuiltCommands.directory.appending(path: "generate-store"),
      [path("app"), "--profile", profile] + options, input: nil)
    #expect(made.status == 0, "\(made.errors)")
    return path(profile == "ritualist" ? "app/CloudKit.store" : "app/default.store")
  }

  private func preferences(
    _ content: [String: Any], format: PropertyListSerialization.PropertyListFormat = .binary
  ) throws -> String {
    let data = try PropertyListSerialization.data(
      fromPropertyList: content, format: format, options: 0)
    try data.write(to: place.url.appending(path: "app.plist"))
    return path("app.plist")
  }

  /// A record as the plan of LaundryTime writes it.
  private func metric(
    _ from: String, _ to: String, at seconds: Double, success: Bool = true
  ) -> [String: Any] {
    [
      "fromVersion": from, "toVersion": to, "duration": 0.5, "recordCount": 7, "success": success,
      "timestamp": Date(timeIntervalSinceReferenceDate: seconds), "iosVersion": "18.2",
      "deviceModel": "iPhone",
    ]
  }

  private func history(_ arguments: String...) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "inspect-crdt"), ["--history"] + arguments,
      input: nil)
  }

  private func codes(_ run: CommandRun) -> [String] {
    run.jsonLines.compactMap { $0["code"] as? String }
  }

  @Test func `a directory of stores has no past that is told without theirs`() throws {
    let store = try store("ritualist")
    #expect(try run("pack-backup", path("app")).status == 0)
    let told = try history(path("app"))
    #expect(told.status == 0, "\(told.errors)")
    for name in ["CloudKit.store", "Local.store"] {
      let command = "inspect-crdt --history \(path("app"))/\(name)"
      #expect(told.output.contains(command), "\(told.output)")
    }
    #expect(try history(store).output.contains("1 backup in"))
  }

  @Test func `our backups, restores and imports of a store are shown, and what was not looked at`()
    throws
  {
    let store = try store()
    let backup = try run("pack-backup", store, "--print-path").output.trimmingCharacters(
      in: .newlines)
    #expect(try run("restore-backup", backup, "--into", store).status == 0)
    #expect(try run("import-crdt", store, "--into", path("data")).status < 2)
    let alone = try history(store)
    #expect(alone.status == 0, "\(alone.errors)")
    #expect(alone.output.contains("restore-backup") && !alone.output.contains("import-crdt"))
    #expect(alone.output.contains("1 run wrote beside"))
    #expect(alone.output.contains("the newest holds 300 rows."))
    #expect(alone.output.contains("not looked at: imports"))
    #expect(alone.output.contains("not looked at: what the app itself wrote down"))
    let both = try history(store, path("data"), "--json")
    let lines = both.jsonLines
    #expect(
      lines.compactMap { $0["command"] as? String }.prefix(2) == ["restore-backup", "import-crdt"])
    #expect(lines[1]["folder"] as? String == path("data"))
    #expect(lines[2]["type"] as? String == "backup" && lines[2]["rows"] as? Int == 300)
    #expect(both.summary?["runs"] as? Int == 2)
    #expect((both.summary?["notLookedAt"] as? [String])?.count == 1)
  }

  @Test(arguments: [true, false])
  func `a restore that died in the middle is told with what finishes it`(isMovedOut: Bool) throws {
    let store = try store()
    let run = path("app/.automerge-migrate.nosync/restore/20260106T120000Z-0001")
    for name in ["new", "old"] {
      try FileManager.default.createDirectory(
        atPath: "\(run)/\(name)", withIntermediateDirectories: true)
    }
    if isMovedOut {
      try FileManager.default.moveItem(atPath: store, toPath: "\(run)/old/default.store")
    }
    let file = try preferences(["migrationMetrics": [metric("1.0.0", "2.0.0", at: 810_000_000)]])
    let told = try history(store, "--preferences", file, "--json")
    #expect(told.status == 1, "\(told.errors)")
    #expect(codes(told) == ["unfinished-restore"])
    let finding = try #require(told.jsonLines.first { $0["code"] != nil })
    #expect(finding["command"] as? [String] == ["restore-backup", "--finish", path("app")])
    let notLookedAt = try #require(told.summary?["notLookedAt"] as? [String])
    #expect(notLookedAt.contains { $0.contains("until its restore is finished") })
    #expect(try history(path("app")).output.contains("unfinished-restore"))
    #expect(try CommandTests.run("restore-backup", "--finish", path("app"), "-n").status == 0)
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
  func `what the app wrote down is shown with its success rate`(
    format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let store = try store("laundrytime", "V2")
    let file = try preferences(
      [
        "migrationMetrics": [
          metric("shipped", "1.0.0", at: 800_000_000, success: false),
          metric("shipped", "1.0.0", at: 800_000_060), metric("1.0.0", "2.0.0", at: 810_000_000),
        ], "isMigrating": false, "lastSuccessfulVersion": "2.0.0",
      ], format: format)
    let shown = try history(store, "--preferences", file)
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(
      shown.output.contains("3 attempts to change versions: 2 succeeded, 1 failed, 66 of 100"))
    #expect(shown.output.contains("2026-05-09T06:14:20Z"))
    #expect(shown.output.contains("18.2") && shown.output.contains("iPhone"))
    let json = try history(store, "--preferences", file, "--json")
    let attempts = json.jsonLines.filter { $0["type"] as? String == "app-run" }
    #expect(
      attempts.compactMap { $0["outcome"] as? String } == ["failed", "succeeded", "succeeded"])
    #expect(attempts[2]["rows"] as? Int == 7 && attempts[2]["duration"] as? Double == 0.5)
    #expect(json.summary?["successPercent"] as? Int == 66)
    #expect(json.summary?["averageSeconds"] as? Double == 0.5)
    #expect(json.summary?["storeVersion"] as? String == "2.0.0")
    #expect(codes(json).isEmpty)
  }

  @Test func `an app that did not come to the end is told to try once more after a backup`() throws
  {
    let store = try store("laundrytime", "V2")
    let file = try preferences([
      "migrationMetrics": [metric("1.0.0", "2.0.0", at: 810_000_000)], "isMigrating": true,
    ])
    let before = try history(store, "--preferences", file, "--json")
    #expect(before.status == 1)
    #expect(codes(before) == ["interrupted-migration"])
    let finding = try #require(before.jsonLines.first { $0["code"] != nil })
    #expect(finding["command"] as? [String] == ["pack-backup", store])
    #expect(!"\(finding["next"] ?? "")".contains("restore-backup"))
    #expect(try run("pack-backup", store).status == 0)
    let after = try history(store, "--preferences", file)
    #expect(after.output.contains("then open the app, which tries once more; if it stops again"))
    #expect(after.output.contains("restore-backup") && !after.output.contains("reset"))
  }

  @Test func `a store that cannot be read is to be brought back`() throws {
    let store = try store("laundrytime", "V2")
    #expect(try run("pack-backup", store).status == 0)
    try Data("not a database".utf8).write(to: URL(filePath: store))
    let file = try preferences(["isMigrating": true])
    let shown = try history(store, "--preferences", file, "--json")
    #expect(shown.status == 1)
    #expect(Set(codes(shown)) == ["unreadable", "interrupted-migration"])
    for finding in shown.jsonLines where finding["code"] != nil {
      let command = try #require(finding["command"] as? [String])
      #expect(command.first == "restore-backup" && command.suffix(2) == ["--into", store])
    }
  }

  @Test func `the log of Ritualist is read, and an older or newer store is told`() throws {
    let store = try store("ritualist", "V10")
    func event(_ from: String, _ to: String, _ status: String, at seconds: Double) -> [String: Any]
    {
      ["fromVersion": from, "toVersion": to, "status": status, "startTime": seconds]
    }
    func file(_ events: [[String: Any]], last: String) throws -> String {
      try preferences([
        "com.ritualist.migrationHistory": try JSONSerialization.data(withJSONObject: events),
        "com.ritualist.lastSchemaVersion": last, "unrelated": ["a": 1],
      ])
    }
    let same = try history(
      store, "--preferences",
      try file([event("9.0.0", "10.0.0", "Succeeded", at: 800_000_000.25)], last: "10.0.0"))
    #expect(same.status == 0, "\(same.output)")
    #expect(same.output.contains("2026-05-09T06:13:20Z") && same.output.contains("1 succeeded"))
    let older = try history(
      store, "--preferences",
      try file([event("10.0.0", "11.0.0", "Succeeded", at: 8e8)], last: "11.0.0"), "--json")
    #expect(codes(older) == ["version-skew"] && older.status == 0)
    #expect(
      "\(older.jsonLines)".contains("came to version 11.0.0, and the store is of version 10.0.0"))
    #expect("\(older.jsonLines)".contains("then open the app"))
    let newer = try history(store, "--preferences", try file([], last: "9.0.0"), "--json")
    #expect(codes(newer) == ["version-skew"])
    #expect("\(newer.jsonLines)".contains("keep all its files"))
    let begun = try history(
      store, "--preferences",
      try file(
        [
          event("10.0.0", "11.0.0", "Started", at: 8e8),
          event("9.0.0", "10.0.0", "Failed", at: 7e8),
        ], last: "10.0.0"), "--json")
    #expect(codes(begun) == ["interrupted-migration"])
    #expect(begun.jsonLines.compactMap { $0["outcome"] as? String } == ["failed", "interrupted"])
    let failed = try history(
      store, "--preferences",
      try file([event("10.0.0", "11.0.0", "Failed", at: 8e8)], last: "10.0.0"), "--json")
    #expect(codes(failed) == ["failed-migration"] && failed.status == 1)
  }

  @Test func `a backup that the app is going to bring back is told`() throws {
    let store = try store("ritualist")
    let file = try preferences(["com.ritualist.pendingRestore": "/old/Ritualist_backup.sqlite"])
    let shown = try history(store, "--preferences", file)
    #expect(shown.status == 0)
    #expect(
      shown.output.contains("waiting-restore") && shown.output.contains("/old/Ritualist_backup"))
  }

  @Test func `preferences of somebody else, and no preferences, are told`() throws {
    let store = try store()
    let other = try history(store, "--preferences", try preferences(["a": 1]), "--json")
    #expect(codes(other) == ["not-looked-at"] && other.status == 0)
    try Data("bplist00".utf8).write(to: place.url.appending(path: "app.plist"))
    #expect(try history(store, "--preferences", path("app.plist")).status == 65)
    #expect(try history(store, "--preferences", path("none.plist")).status == 66)
    #expect(try history(store, "--preferences", place.url.path).status == 66)
    #expect(try history(path("app"), "--preferences", path("app.plist")).status == 64)
    #expect(try run("inspect-crdt", store, "--preferences", path("app.plist")).status == 64)
    let last = try history(
      store, "--preferences", try preferences(["lastSuccessfulVersion": "1.4 (7)"]))
    #expect(last.status == 0)
    #expect(last.output.contains("not looked at: whether the store is of version 1.4 (7)"))
  }

  @Test func `a list that no app wrote costs bounded time and is told`() throws {
    let store = try store("laundrytime", "V2")
    let long = metric("1.0.0", String(repeating: "x", count: 1 << 20), at: 0)
    var wide = metric("1.0.0", "2.0.0", at: 0)
    for number in 0..<100 { wide["\(number)"] = number }
    var odd = metric("1.0.0", "2.0.0", at: 1e300)
    odd["duration"] = Double.nan
    odd["recordCount"] = 1e300
    let many: [Any] = Array(repeating: 1, count: 5000) + [long, wide, "text", odd]
    let shown = try history(
      store, "--preferences", try preferences(["migrationMetrics": many]), "--json")
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.summary?["appRuns"] as? Int == 1)
    #expect(shown.summary?["unreadableRuns"] as? Int == 999)
    #expect(codes(shown) == ["not-looked-at"])
    let attempt = try #require(shown.jsonLines.first { $0["type"] as? String == "app-run" })
    #expect(attempt["end"] == nil && attempt["duration"] == nil && attempt["rows"] == nil)
    for list in [Data("[".utf8), Data("{}".utf8), Data(count: 2 << 20)] as [Any] + ["text"] {
      let odd = try history(
        store, "--preferences", try preferences(["com.ritualist.migrationHistory": list]), "--json")
      #expect(odd.status == 1 && codes(odd) == ["unreadable"])
    }
  }

  @Test func `where the store is too new for the app, a backup that the app reads is named`() throws
  {
    let store = try store("ritualist", "V10")
    let packed = try run("pack-backup", store, "--print-path")
    let old = packed.output.trimmingCharacters(in: .newlines)
    #expect(try run("generate-store", path("new"), "--profile", "ritualist").status == 0)
    for suffix in ["", "-wal"] {
      try? FileManager.default.removeItem(atPath: store + suffix)
      try FileManager.default.moveItem(
        atPath: path("new/CloudKit.store\(suffix)"), toPath: store + suffix)
    }
    let newest = try run("pack-backup", store, "--allow-empty", "--print-path")
    #expect(newest.status == 0, "\(newest.errors)")
    let log = try preferences(["com.ritualist.lastSchemaVersion": "10.0.0"])
    #expect(codes(try history(store, "--preferences", log, "--json")).contains("version-skew"))
    let named = try history(store, "--preferences", log)
    #expect(named.output.contains("next: restore-backup \(old) --into \(store)"), "\(named.output)")
    // The newest is of the version that the app cannot open.
    try FileManager.default.removeItem(atPath: old)
    let none = try history(store, "--preferences", log)
    #expect(none.output.contains("no backup here is of a version that the app reads"))
    #expect(!none.output.contains("next: restore-backup"), "\(none.output)")
  }
}
