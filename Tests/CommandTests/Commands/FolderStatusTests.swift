import Foundation
import Testing

@Suite struct FolderStatusTests {
  @Test func `the first line is one word and the next says what to run`() throws {
    let folder = try SmallFolder()
    let legacy = try run("verify-counts", folder.path, "--status")
    #expect(legacy.status == 0)
    #expect(legacy.output == "legacy\nnext: migrate-folder \(folder.path)\n")
    #expect(try run("import-crdt", folder.path).status == 0)
    let migrated = try run("verify-counts", "--status", folder.path)
    #expect(migrated.status == 0)
    #expect(migrated.output == "migrated\nnext: migrate-folder --cleanup \(folder.path)\n")
  }

  @Test func `errors in the way are counted and make status 1`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":"2024-02-01T07:00:01Z"}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    let mixed = try run("verify-counts", "--status", folder.path)
    #expect(mixed.status == 1)
    #expect(mixed.output.hasPrefix("mixed\nin the way: 1 diverged\nnext: import-crdt --update "))
    let machine = try run("verify-counts", "--status", "--json", folder.path)
    #expect(machine.jsonLines.count == 1)
    #expect(machine.summary?["folderStatus"] as? String == "mixed")
    #expect(machine.summary?["errors"] as? [String: Int] == ["diverged": 1])
    #expect((machine.summary?["next"] as? [String])?.count == 2)
    #expect(
      machine.summary?["commands"] as? [[String]]
        == [["import-crdt", "--update", folder.path], ["verify-counts", folder.path]])
  }

  @Test func `asking writes nothing`() throws {
    let folder = try SmallFolder()
    let before = try folder.snapshot()
    #expect(try run("verify-counts", folder.path, "--status").status == 0)
    #expect(try folder.snapshot() == before)
    let place = try TemporaryDirectory()
    #expect(try run("verify-counts", "--status", place.url.path).output == "empty\n")
    #expect(try SmallFolder.snapshot(of: place.url).isEmpty)
  }

  @Test func `what reads dates that are numbers is told the same by the next command`() throws {
    let folder = try SmallFolder()
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":728463600}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    let run = try run("verify-counts", "--status", folder.path, "--numeric-dates", "reference")
    #expect(
      run.output == "legacy\nnext: migrate-folder --numeric-dates reference \(folder.path)\n")
  }

  @Test func `names alone tell what there is, and not what is in it`() throws {
    let folder = try SmallFolder()
    func status(_ option: String...) throws -> CommandRun {
      try CommandTests.run(
        BuiltCommands.directory.appending(path: "verify-counts"),
        ["--status", "--names-only", folder.path] + option, input: nil)
    }
    #expect(try status().output == "legacy\nnext: migrate-folder \(folder.path)\n")
    #expect(try run("import-crdt", folder.path).status == 0)
    try folder.write("{", to: "records/2024/02/2024-02-01_070000.json")
    let both = try status("--json")
    #expect(both.status == 0)
    #expect(both.summary?["folderStatus"] as? String == "migrating")
    #expect(both.summary?["layouts"] as? [String] == ["monthly"])
    #expect(both.summary?["evidentLayout"] == nil)
    #expect(try run("verify-counts", "--names-only", folder.path).status == 64)
  }

  @Test func `there is nothing else to compare with`() throws {
    let folder = try SmallFolder()
    #expect(
      try run("verify-counts", folder.path, "--status", "--against", folder.path).status == 64)
  }
}
