import Foundation
import Testing
import TestStores

/// What `--status` says of stores, as a user asks.
@Suite struct StoreStatusCommandTests {
  private let newest = "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (4, 1, 1, 'Newest')"

  /// Writes a store with the files that it has while its app runs.
  private func write(
    _ store: TestStore = TestStore(), to name: String, in place: TemporaryDirectory
  ) throws {
    let making = try TemporaryDirectory()
    let database = try store.write(to: making.url.appending(path: "made").path)
    for suffix in ["", "-wal"] {
      let source = making.url.appending(path: "made" + suffix)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      try Data(contentsOf: source).write(to: place.url.appending(path: name + suffix))
    }
    withExtendedLifetime(database) {}
  }

  private func store(_ name: String, in place: TemporaryDirectory) -> String {
    place.url.appending(path: name).path
  }

  @Test func `a store is told by version and counts, the newest rows among them`() throws {
    let place = try TemporaryDirectory()
    var made = TestStore()
    made.newest = [newest, "UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_ENT = 1"]
    try write(made, to: "default.store", in: place)
    let before = try SmallFolder.snapshot(of: place.url)
    let path = store("default.store", in: place)
    let run = try run("verify-counts", "--status", path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("version 2.1.0, 6 entities, 11 rows"))
    #expect(run.output.contains("in its log are newer than its database"))
    #expect(run.output.contains("not looked at: what the rows hold"))
    #expect(try SmallFolder.snapshot(of: place.url) == before)
  }

  @Test func `scripts get a line for each store and each entity`() throws {
    let place = try TemporaryDirectory()
    try write(to: "default.store", in: place)
    let path = store("default.store", in: place)
    let run = try run("verify-counts", "--status", "--json", path)
    #expect(run.status == 0)
    let lines = run.jsonLines
    #expect(
      lines.map { $0["type"] as? String } == ["store"] + Array(repeating: "entity", count: 6) + [
        "summary"
      ])
    #expect(lines[0]["path"] as? String == path)
    #expect(lines[0]["uuid"] as? String == "5D0E1B0C-0000-4000-8000-00000000000A")
    #expect(lines[0]["versionIdentifiers"] as? [String] == ["2.1.0"])
    #expect(lines[0]["walFrames"] as? Int == 0)
    #expect(lines[0]["walTail"] as? String == "none")
    #expect(lines[0]["hasModel"] as? Bool == true)
    let book = lines[1]
    #expect(book["entity"] as? String == "Book")
    #expect(book["table"] as? String == "ZBOOK")
    #expect(book["rows"] as? Int == 3)
    #expect(book["highestRow"] as? Int == 3)
    #expect(book["highWater"] as? Int == 3)
    #expect(book["versionHash"] as? String == String(repeating: "02", count: 32))
    #expect(run.summary?["stores"] as? Int == 1)
    #expect(run.summary?["entities"] as? Int == 6)
    #expect(run.summary?["rows"] as? Int == 10)
    #expect(run.summary?["failedStores"] as? Int == 0)
  }

  @Test func `every store of a directory is told, and a bad one does not hide the others`() throws {
    let place = try TemporaryDirectory()
    let group = place.url.appending(path: "Library/Application Support")
    try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
    try write(to: "Library/Application Support/Cloud.store", in: place)
    try write(to: "Library/Application Support/Local.store", in: place)
    let notes = try TestDatabase(at: place.url.appending(path: "notes.db").path)
    try notes.run("CREATE TABLE notes (text)")
    let empty = try TemporaryDirectory()
    try FileManager.default.copyItem(
      at: place.url.appending(path: "notes.db"), to: empty.url.appending(path: "notes.db"))
    #expect(try run("verify-counts", "--status", empty.url.path).output == "unknown\n")
    let both = try run("verify-counts", "--status", "--json", place.url.path)
    #expect(both.status == 0, "\(both.errors)")
    let paths = both.jsonLines.filter { $0["type"] as? String == "store" }.map {
      $0["path"] as? String
    }
    #expect(
      paths == [
        "Library/Application Support/Cloud.store", "Library/Application Support/Local.store",
      ])
    #expect(
      both.summary?["notLookedAt"] as? [String] == [
        "what the rows hold", "notes.db, which is no store",
      ])
    let local = group.appending(path: "Local.store")
    try Data(try Data(contentsOf: local).prefix(8192)).write(to: local)
    let damaged = try run("verify-counts", "--status", "--json", place.url.path)
    #expect(damaged.status == 65)
    #expect(damaged.summary?["stores"] as? Int == 1)
    #expect(damaged.summary?["failedStores"] as? Int == 1)
    #expect(damaged.errors.contains("Local.store: has 8,192 bytes, and its header says"))
    withExtendedLifetime(notes) {}
  }

  @Test func `what is no store ends with 65, what is not there with 66`() throws {
    let place = try TemporaryDirectory()
    let path = store("default.store", in: place)
    #expect(try run("verify-counts", "--status", path).status == 66)
    for bytes in [[], [UInt8](repeating: 0x5a, count: 8192)] {
      try Data(bytes).write(to: URL(filePath: path))
      let run = try run("verify-counts", "--status", path)
      #expect(run.status == 65)
      #expect(run.errors.contains("default.store: "))
      #expect(run.output.isEmpty)
    }
    #expect(try run("verify-counts", "--status", "--names-only", path).status == 64)
  }

  @Test func `what a log and the tables contradict is a finding`() throws {
    let place = try TemporaryDirectory()
    var made = TestStore()
    made.newest = ["INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (9, 77)"]
    try write(made, to: "default.store", in: place)
    let path = store("default.store", in: place)
    let strange = try run("verify-counts", "--status", path)
    #expect(strange.status == 0)
    #expect(strange.output.contains("unknown-entity: \(path): 1 row of ZTAG are of an entity"))
    #expect(strange.output.contains("foreign-rows: \(path): ZTAG has a row 9"))
    let log = URL(filePath: path + "-wal")
    var bytes = try Data(contentsOf: log)
    bytes[20] ^= 1
    try bytes.write(to: log)
    let stale = try run("verify-counts", "--status", path)
    #expect(stale.status == 0)
    #expect(stale.output.contains("stale-wal: \(path): nothing in default.store-wal belongs"))
  }

  @Test func `what is called a store and is none is told beside the others`() throws {
    for bytes in [Data(), Data("SECRET".utf8), Data(repeating: 0xA7, count: 8192)] {
      let place = try TemporaryDirectory()
      try write(to: "default.store", in: place)
      let damaged = place.url.appending(path: "CloudKit.store")
      try bytes.write(to: damaged)
      let status = try run("verify-counts", "--status", place.url.path)
      #expect(status.status != 0 && status.output.contains("default.store"))
      #expect((status.output + status.errors).contains("CloudKit.store"))
      let summary = try run("verify-counts", "--status", "--json", place.url.path).summary
      #expect(summary?["failedStores"] as? Int == 1)
      let history = try run("inspect-crdt", "--history", place.url.path)
      #expect(history.status != 0, "\(history.output)")
      #expect((history.output + history.errors).contains("CloudKit.store"))
      try FileManager.default.removeItem(at: damaged)
      #expect(try run("inspect-crdt", "--history", place.url.path).status == 0)
    }
  }

  @Test func `what comes next is a backup, a look at the rows, or what brings a store back`()
    throws
  {
    let place = try TemporaryDirectory()
    try write(to: "default.store", in: place)
    let path = store("default.store", in: place)
    func next(_ place: String) throws -> [String] {
      let told = try run("verify-counts", "--status", place)
      let summary = try run("verify-counts", "--status", "--json", place).summary
      let listed = try #require(summary?["next"] as? [String])
      let command = try #require(listed.first)
      #expect(listed.count == 1 && told.output.hasSuffix("next: \(command)\n"), "\(told.output)")
      return command.split(separator: " ").map(String.init)
    }
    for given in [path, place.url.path] {
      #expect(try next(given) == ["pack-backup", given])
    }
    let deep = try TemporaryDirectory()
    let library = deep.url.appending(path: "Library")
    try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
    try write(to: "Library/default.store", in: deep)
    let below = library.appending(path: "default.store").path
    #expect(try next(deep.url.path) == ["pack-backup", below])
    #expect(try run("pack-backup", path).status == 0)
    for given in [path, place.url.path] {
      let command = try next(given)
      #expect(command == ["verify-counts", given])
      #expect(try run(command[0], Array(command.dropFirst())).status == 0)
    }
    try Data(repeating: 0xA7, count: 8192).write(to: place.url.appending(path: "Local.store"))
    let bringing = try next(place.url.path)
    #expect(bringing == ["recover-folder", place.url.path])
    #expect(try run(bringing[0], Array(bringing.dropFirst())).status < 2)
  }

  @Test func `what is called a store and has no table of one is passed over by nobody`() throws {
    let (place, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    try write(to: "Local.store", in: place)
    let other = try TestDatabase(at: place.url.appending(path: "CloudKit.store").path)
    try other.run("CREATE TABLE ZHABIT (Z_PK)")
    // Databases of other names are somebody else's.
    let notes = try TestDatabase(at: place.url.appending(path: "notes.sqlite").path)
    try notes.run("CREATE TABLE notes (text)")
    let calls = [
      ["verify-counts", "--status"], ["verify-counts"], ["export-json"],
      ["import-crdt", "--into", target.url.appending(path: "data").path],
    ]
    for call in calls {
      let run = try run(call[0], [place.url.path] + call.dropFirst())
      #expect(run.status == 65, "\(call): \(run.output)\(run.errors)")
      #expect(run.errors.contains("CloudKit.store"), "\(call): \(run.errors)")
    }
    try FileManager.default.removeItem(at: place.url.appending(path: "CloudKit.store"))
    for call in calls {
      let run = try run(call[0], [place.url.path] + call.dropFirst())
      #expect(run.status < 2, "\(call): \(run.output)\(run.errors)")
    }
  }

  @Test func `a store without its rows is told with the command that brings them back`() throws {
    let place = try TemporaryDirectory()
    try write(to: "default.store", in: place)
    let path = store("default.store", in: place)
    #expect(try run("pack-backup", path).status == 0)
    try TestDatabase(at: path).run(
      ["ZBOOK", "ZPERSON", "ZSHELF", "ZTAG"].map { "DELETE FROM \($0);" }.joined())
    let status = try run("verify-counts", "--status", "--json", path)
    #expect(status.status == 0, "\(status.errors)")
    let told = try #require(status.jsonLines.first { $0["code"] as? String == "store-emptied" })
    #expect("\(told["message"] ?? "")".contains("once did; its newest backup with rows holds 10"))
    let command = try #require(told["command"] as? [String])
    #expect(command.first == "restore-backup" && command.suffix(2) == ["--into", path])
    let restored = try run(
      BuiltCommands.directory.appending(path: command[0]), Array(command.dropFirst()), input: nil)
    #expect(restored.status == 0, "\(restored.errors)")
    let again = try run("verify-counts", "--status", "--json", path)
    #expect(again.summary?["rows"] as? Int == 10)
    #expect(!again.jsonLines.contains { $0["code"] as? String == "store-emptied" })
  }

  @Test func `a folder that holds what its profile knows stays a folder`() throws {
    let folder = try SmallFolder()
    let place = try TemporaryDirectory()
    try write(to: "default.store", in: place)
    try FileManager.default.copyItem(
      atPath: store("default.store", in: place), toPath: folder.path + "/default.store")
    #expect(try run("verify-counts", "--status", folder.path).output.hasPrefix("legacy\n"))
  }

  @Test func `without a place for copies nothing is read`() throws {
    let place = try TemporaryDirectory()
    try write(to: "default.store", in: place)
    let run = try runInShell(
      "TMPDIR=/nowhere/at/all exec \"$0\" \"$@\"", "verify-counts", "--status",
      store("default.store", in: place))
    #expect(run.status == 73)
    #expect(run.errors.contains("next: let TMPDIR name a directory"))
  }

  @Test func `a copy is gone when the command is, and a killed one's is swept`() throws {
    let place = try TemporaryDirectory()
    try write(to: "default.store", in: place)
    let working = place.url.appending(path: "tmp")
    let left = working.appending(path: "automerge-migrate-store.00000000000000ff/store")
    try FileManager.default.createDirectory(
      at: left.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([1]).write(to: left)
    let run = try runInShell(
      "TMPDIR='\(working.path)' exec \"$0\" \"$@\"", "verify-counts", "--status",
      store("default.store", in: place))
    #expect(run.status == 0, "\(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: working.path).isEmpty)
  }
}
