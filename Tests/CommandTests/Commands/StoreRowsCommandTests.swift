import Foundation
import Testing
import TestStores

/// Rows of stores as documents, as a user runs the commands.
@Suite struct StoreRowsCommandTests {
  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  private func generate(_ name: String, _ options: String...) throws {
    let made = try run("generate-store", [path(name)] + options)
    #expect(made.status == 0, "\(made.errors)")
  }

  private func run(_ command: String, _ arguments: [String]) throws -> CommandRun {
    try CommandTests.run(BuiltCommands.directory.appending(path: command), arguments, input: nil)
  }

  @Test func `from a store to documents, and back to the proof`() throws {
    try generate("app", "--profile", "ritualist", "--rows", "100")
    let store = path("app/CloudKit.store")
    let before = try SmallFolder.snapshot(of: place.url.appending(path: "app"))
    let imported = try run("import-crdt", [store, "--into", path("data")])
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.output.contains("Imported 100 of 100 entities"))
    let verified = try run("verify-counts", [path("data"), "--against", store])
    #expect(verified.status == 0 && verified.output.contains("100 of 100 entities proven"))
    let again = try run("import-crdt", [store, "--into", path("data"), "--update"])
    #expect(again.status == 0 && again.output.contains("Nothing new"))
    let exported = try run("export-json", [path("data"), "--profile", "ritualist"])
    #expect(exported.status == 0, "\(exported.errors)")
    #expect(exported.output.contains(#""place":"HabitLogModel","#))
    #expect(exported.output.hasSuffix("{\"end\":true,\"entities\":100}\n"))
    #expect(try SmallFolder.snapshot(of: place.url.appending(path: "app")) == before)
  }

  @Test func `two stores compare, and advice about documents is a command to be pasted`() throws {
    try generate("one", "--rows", "100")
    try generate("two", "--rows", "100", "--device", "2")
    let (one, two) = (path("one/CloudKit.store"), path("two/CloudKit.store"))
    let equal = try run("verify-counts", [one, "--against", one])
    #expect(equal.status == 0 && equal.output.contains("100 of 100 rows equal"), "\(equal.errors)")
    let differing = try run("verify-counts", [one, "--against", two, "--json"])
    #expect(differing.status == 1)
    #expect(differing.jsonLines.contains { $0["code"] as? String == "field-differs" })
    #expect(try run("import-crdt", [one, "--into", path("data")]).status == 0)
    let verified = try run("verify-counts", [path("data"), "--against", two, "--json"])
    let diverged = try #require(verified.jsonLines.first { $0["code"] as? String == "diverged" })
    let command = try #require(diverged["command"] as? [String])
    #expect(Array(command.prefix(2)) == ["import-crdt", "--update"])
    #expect(Array(command.suffix(3)) == [two, "--into", path("data")])
    #expect("\(diverged["next"] ?? "")".contains(two))
    #expect(try run(command[0], Array(command.dropFirst())).status == 0)
    let again = try run("verify-counts", [path("data"), "--against", two, "--json"])
    #expect(!again.jsonLines.contains { $0["code"] as? String == "diverged" })
  }

  @Test func `every kind of value is a line that says what it is`() throws {
    var made = TestStore()
    made.newest = [
      "UPDATE ZBOOK SET ZPRICE = 'free', ZPAGES = 3.5, ZISREAD = 7, ZADDEDAT = 'soon' WHERE Z_PK = 2"
    ]
    let database = try made.write(to: path("Library.store"))
    let exported = try run("export-json", [path("Library.store")])
    withExtendedLifetime(database) {}
    #expect(exported.status == 0, "\(exported.errors)")
    let lines = exported.output.split(separator: "\n").map(String.init)
    let first = try #require(lines.first { $0.contains(#""place":"Book/p1""#) })
    #expect(first.contains(#""id":"00112233-4455-6677-8899-AABBCCDDEEFF""#))
    for part in [
      #""addedAt":"2023-03-08T20:26:40.250Z""#, #""cover":"/9g=""#, #""isRead":true"#,
      #""price":"99.99""#, #""rating":4.5"#, #""title":"Middlemarch""#,
      #""author":"5D0E1B0C-0000-4000-8000-00000000000A/Author/p2""#, #""shelves":["#,
    ] { #expect(first.contains(part), "\(part) in \(first)") }
    let second = try #require(lines.first { $0.contains(#""place":"Book/p2""#) })
    for part in [
      #""price":"free""#, #""pages":3.5"#, #""isRead":7"#, #""addedAt":"soon""#, #""cover":"""#,
      #""/price":"string""#, #""/addedAt":"string""#,
    ] { #expect(second.contains(part), "\(part) in \(second)") }
    let third = try #require(lines.first { $0.contains(#""place":"Book/p3""#) })
    #expect(third.contains(#""author":"Author/p9""#))
    #expect(exported.errors.contains("dangling-reference"))
    #expect(exported.errors.contains("row-identity"))
    #expect(exported.errors.contains("other-storage"))
  }

  @Test func `a store is checked row by row`() throws {
    try generate("app", "--profile", "laundrytime", "--rows", "100")
    let sound = try run("verify-counts", [path("app/default.store")])
    #expect(sound.status == 0, "\(sound.errors)")
    #expect(!sound.output.contains("what the rows hold"))
    try generate("bad", "--profile", "ritualist", "--rows", "100", "--damage", "duplicate-ids")
    let bad = try run("verify-counts", ["--json", path("bad")])
    #expect(bad.status == 1)
    #expect(bad.jsonLines.contains { $0["code"] as? String == "duplicate-id" })
    #expect(bad.summary?["rowsRead"] as? Int == 100)
    try generate("empty", "--profile", "ritualist", "--damage", "emptied")
    #expect(try run("verify-counts", [path("empty")]).output.contains("store-emptied"))
  }

  @Test func `what stores do not have is refused`() throws {
    try generate("app", "--rows", "60")
    let store = path("app/CloudKit.store")
    #expect(try run("import-crdt", [store]).status == 64)
    #expect(try run("export-json", [store, "--to", path("files")]).status == 64)
    let wrong = try run("import-crdt", [store, "--into", path("x"), "--profile", "laundrytime"])
    #expect(wrong.status == 78 && wrong.errors.contains("the profile laundrytime"))
    let planned = try run("import-crdt", [store, "--into", path("y"), "--dry-run"])
    #expect(planned.status == 0 && !FileManager.default.fileExists(atPath: path("y")))
  }
}
