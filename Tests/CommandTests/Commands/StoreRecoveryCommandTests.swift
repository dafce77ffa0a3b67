import Foundation
import TestStores
import Testing

/// `recover-folder` of stores, as a user runs it.
@Suite struct StoreRecoveryCommandTests {
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
    try generate("app")
  }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }
  private var store: String { path("app/default.store") }

  private func generate(_ directory: String, _ options: String...) throws {
    let made = try run(
      BuiltCommands.directory.appending(path: "generate-store"),
      [path(directory), "--profile", "laundrytime", "--rows", "60"] + options, input: nil)
    #expect(made.status == 0, "\(made.errors)")
  }

  /// Puts a damaged store in the place of the one that is there.
  private func damage(_ damage: String) throws {
    try generate(damage, "--damage", damage)
    try FileManager.default.removeItem(atPath: store + "-wal")
    for suffix in ["", "-wal", "-journal"] {
      let made = path("\(damage)/default.store\(suffix)")
      guard FileManager.default.fileExists(atPath: made) else { continue }
      try? FileManager.default.removeItem(atPath: store + suffix)
      try FileManager.default.moveItem(atPath: made, toPath: store + suffix)
    }
  }

  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path("app")) {
      files[name] = FileManager.default.contents(atPath: path("app/\(name)"))
    }
    return files
  }

  private func recover(_ options: String..., at place: String? = nil) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "recover-folder"), [place ?? store] + options,
      input: nil)
  }

  /// The commands that a plan shows, as they can be pasted.
  private func commands(_ run: CommandRun) -> [String] {
    run.output.split(separator: "\n").filter { $0.hasPrefix("   $ ") }.map {
      String($0.dropFirst(5))
    }
  }

  @Test func `a store with nothing wrong is status 0, and so is a directory of stores`() throws {
    for place in [store, path("app")] {
      let run = try recover(at: place)
      #expect(run.status == 0 && run.output.hasPrefix("Nothing is wrong.\n"), "\(run.errors)")
      #expect(run.output.contains("default.store: whole, 60 rows"))
      #expect(try recover("--apply", at: place).status == 0)
    }
    #expect(try recover("--numeric-dates", "unix").status == 64)
    #expect(try recover(at: path("none.store")).status == 66)
  }

  @Test func `a damaged store comes back with --apply, and is kept as it was`() throws {
    #expect(try run("pack-backup", store).status == 0)
    try damage("truncated")
    let before = try files()
    let plan = try recover()
    #expect(plan.status == 1)
    #expect(try files() == before)
    let planned = commands(plan)
    #expect(planned.count == 2)
    #expect(planned.first?.hasPrefix("pack-backup \(store) --as-it-is") == true)
    #expect(planned.last?.hasSuffix("--into \(store) --brief") == true)
    #expect(plan.output.contains("Nothing was changed. To do it: recover-folder"))

    let applied = try recover("--apply")
    #expect(applied.status == 0, "\(applied.output)\(applied.errors)")
    #expect(applied.output.contains("step 2") && applied.output.contains("Nothing is wrong."))
    #expect(try run("verify-counts", store).status == 0)
    let list = try run("pack-backup", store, "--list", "--verify", "--json")
    #expect(list.jsonLines.contains { $0["unopened"] as? Bool == true })
    #expect(list.status == 0)
    // Only what holds rows is named to scripts.
    let paths = try run("pack-backup", store, "--list", "--print-path")
    #expect(paths.output.split(separator: "\n").count == 1)
    #expect(try recover().status == 0)
  }

  @Test func `pasted one by one, the commands of a plan do the same`() throws {
    #expect(try run("pack-backup", store).status == 0)
    try damage("emptied")
    for line in commands(try recover()) {
      let words = line.split(separator: " ").map(String.init)
      let run = try run(
        BuiltCommands.directory.appending(path: words[0]), Array(words.dropFirst()), input: nil)
      #expect(run.status == 0, "\(line): \(run.errors)")
    }
    #expect(try recover().status == 0)
  }

  @Test func `an app's own copy brings back what no archive holds`() throws {
    let copy = path("Backups/backup_2025-11-02.store")
    try FileManager.default.createDirectory(
      atPath: path("Backups"), withIntermediateDirectories: true)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: store + suffix, toPath: copy + suffix)
    }
    for damage in ["emptied", "encrypted"] {
      try self.damage(damage)
      let plan = try recover()
      #expect(commands(plan).last == "restore-backup \(copy) --into \(store) --brief")
      #expect(try recover("--apply").status == 0)
      try Data().write(to: URL(filePath: store + "-wal"))
    }
  }

  @Test func `a restore that was killed is finished first, wherever it is asked for`() throws {
    let archive = path("archive.tar")
    #expect(try run("pack-backup", store, "-o", archive).status == 0)
    // As a run leaves it that dies while it moves the store out.
    let place = path("app/.automerge-migrate.nosync/restore/20260106T120000Z-0001")
    for name in ["chosen", "old"] {
      try FileManager.default.createDirectory(
        atPath: place + "/" + name, withIntermediateDirectories: true)
    }
    try Data().write(to: URL(filePath: place + "/keeping-"))
    try FileManager.default.copyItem(atPath: store, toPath: place + "/chosen/default.store")
    try FileManager.default.moveItem(atPath: store, toPath: place + "/old/default.store")
    for place in [store, path("app")] {
      let plan = try recover(at: place)
      #expect(plan.status == 1, "\(plan.errors)")
      #expect(commands(plan) == ["restore-backup --finish \(place) --brief"])
    }
    let applied = try recover("--apply")
    #expect(applied.status == 0, "\(applied.output)\(applied.errors)")
    #expect(try recover(at: path("app")).status == 0)
  }

  @Test func `what is wrong is told in JSON Lines, with the steps as words`() throws {
    try damage("stale-wal")
    let run = try recover("--json")
    #expect(run.status == 1, "\(run.errors)")
    let kept = try #require(run.jsonLines.first { $0["type"] as? String == "step" })
    #expect(
      kept["command"] as? [String] == ["pack-backup", store, "--as-it-is", "--brief"])
    let told = try #require(run.jsonLines.first { $0["type"] as? String == "store" })
    #expect(told["condition"] as? String == "whole" && told["rows"] as? Int != nil)
    #expect(run.jsonLines.contains { $0["code"] as? String == "stale-wal" })
    #expect(run.summary?["steps"] as? Int == 1 && run.summary?["inRestore"] as? Bool == false)
    #expect(try recover("--apply").status == 0)
    // The log is kept, and is not kept again.
    #expect(commands(try recover()).isEmpty)
  }

  @Test func `of several stores each has its steps, and what lies deeper is named`() throws {
    #expect(try run("pack-backup", store).status == 0)
    try damage("empty-file")
    try FileManager.default.createDirectory(
      atPath: path("app/deeper"), withIntermediateDirectories: true)
    try generate("other")
    try FileManager.default.moveItem(
      atPath: path("other/default.store"), toPath: path("app/deeper/some.store"))
    try Data("no database".utf8).write(to: URL(filePath: path("app/second.store")))
    let plan = try recover(at: path("app"))
    #expect(plan.status == 1)
    #expect(commands(plan).count == 3, "\(plan.output)")
    #expect(plan.output.contains("not looked at: deeper/some.store"))
    let applied = try recover("--apply", at: path("app"))
    #expect(applied.status == 1 && applied.output.contains("For a person to decide:"))
    #expect(try run("verify-counts", store).status == 0)
  }

  @Test func `a store that is open in a program is not replaced, and the status says so`() throws {
    #expect(try run("pack-backup", store).status == 0)
    try damage("emptied")
    do {
      let app = try TestDatabase(at: store)
      try app.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
      let busy = try recover("--apply")
      #expect(busy.status == 75 && busy.output.contains("step 2"), "\(busy.errors)")
      withExtendedLifetime(app) {}
    }
    #expect(try recover("--apply").status == 0)
  }

  @Test func `what cannot be packed as it is is refused`() throws {
    #expect(try run("pack-backup", store, "--as-it-is", "--keep", "3").status == 64)
    #expect(try run("pack-backup", path("none"), "--as-it-is").status == 66)
    let folder = try SmallFolder()
    #expect(try run("pack-backup", folder.path, "--as-it-is").status == 78)
  }

  @Test func `a container with stores below says that nobody looked at them`() throws {
    try FileManager.default.createDirectory(
      atPath: path("c/Library"), withIntermediateDirectories: true)
    try damage("truncated")
    try FileManager.default.moveItem(atPath: path("app"), toPath: path("c/Library/AS"))
    for (place, below) in [("c", "Library/AS"), ("c/Library", "AS")] {
      let run = try recover(at: path(place))
      #expect(run.status == 1 && !run.output.contains("Nothing is wrong"), "\(run.output)")
      #expect(run.output.contains("next: recover-folder \(path(place))/\(below)"))
      #expect(run.output.contains("not looked at: \(below)/default.store"))
    }
    #expect(try recover(at: path("c/Library/AS")).output.contains("damaged"))
    // Backups beside it make a folder of it, and that is no better an answer.
    #expect(try run("pack-backup", path("c")).status < 2)
    let folder = try recover(at: path("c"))
    #expect(folder.status == 1 && folder.output.contains("not-looked-at"), "\(folder.output)")
    #expect(!folder.output.contains("Nothing is wrong"), "\(folder.output)")
  }

  @Test func `where only an app's own copies are left, they are told and bring the store back`()
    throws
  {
    let copy = path("Backups/backup_2025-11-02.store")
    try FileManager.default.createDirectory(
      atPath: path("Backups"), withIntermediateDirectories: true)
    for suffix in ["", "-wal"] {
      try FileManager.default.moveItem(atPath: store + suffix, toPath: copy + suffix)
    }
    let whole = try recover(at: path("app"))
    #expect(whole.status == 1 && whole.output.contains("missing-store"), "\(whole.output)")
    #expect(!whole.output.contains("Nothing is wrong") && whole.output.contains(copy))
    let one = try recover()
    #expect(commands(one) == ["restore-backup \(copy) --into \(store) --brief"])
    // Another store does not stand for it.
    #expect(try run("generate-store", path("other"), "--rows", "240").status == 0)
    try FileManager.default.moveItem(
      atPath: path("other/Local.store"), toPath: path("app/Local.store"))
    let beside = try recover(at: path("app"))
    #expect(beside.status == 1 && beside.output.contains("Local.store: whole"))
    #expect(beside.output.contains("missing-store"), "\(beside.output)")
    // Of whose data the copy is, is not: it is of the one that is gone, whatever else is a database there.
    try TestDatabase(at: path("app/cache.db")).run("CREATE TABLE t (c)")
    #expect(try commands(recover()) == ["restore-backup \(copy) --into \(store) --brief"])
    // Whoever is told its path says how it comes back.
    for arguments in [
      ["verify-counts", store, "--status"], ["verify-counts", store],
      ["migrate-folder", store, path("Data")], ["import-crdt", store, "--into", path("Data")],
    ] {
      let told = try run(arguments[0], Array(arguments.dropFirst()))
      #expect(told.status == 66, "\(arguments): \(told.errors)")
      #expect(told.errors.contains("recover-folder \(store)"), "\(arguments): \(told.errors)")
    }
    // A store of the same data beside it may have lost just as much.
    try generate("twin")
    try FileManager.default.moveItem(
      atPath: path("twin/default.store"), toPath: path("app/twin.store"))
    let twin = try recover()
    #expect(commands(twin).isEmpty && twin.output.contains("nobody can tell"), "\(twin.output)")
    for name in ["twin.store", "cache.db"] {
      try FileManager.default.removeItem(atPath: path("app/\(name)"))
    }
    try FileManager.default.removeItem(atPath: path("app/Local.store"))
    #expect(try recover("--apply").status == 0)
    #expect(try recover(at: path("app")).status == 0)
  }
}
