import Foundation
import Testing

@Suite struct ExportJSONTests {
  @Test func `an export of an import equals the original, number for number`() throws {
    let folder = try SmallFolder()
    let before = try run("export-json", folder.path)
    #expect(try run("import-crdt", folder.path).status == 0)
    for file in [
      "tags.json", "records/2024/01/2024-01-15_093000.json",
      "records/2024/02/2024-02-01_070000.json",
    ] {
      try folder.remove(file)
    }
    let after = try run("export-json", folder.path)
    #expect(after.status == 0)
    #expect(after.output.contains(#""scale":12345678901234567890"#))
    let ids = [SmallFolder.tagID, SmallFolder.firstID, SmallFolder.secondID]
    for id in ids {
      let fields = { (run: CommandRun) -> NSDictionary? in
        run.jsonLines.first { $0["id"] as? String == id }?["fields"] as? NSDictionary
      }
      let original = try #require(fields(before)?.mutableCopy() as? NSMutableDictionary)
      // A record without images comes back with an empty list, as the format says.
      if id == SmallFolder.secondID { original["images"] = [String]() }
      #expect(fields(after) == original)
    }
  }

  @Test func `legacy files are written below a directory and never replaced by others`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let place = try TemporaryDirectory()
    let target = place.url.appending(path: "json")
    #expect(try run("export-json", folder.path, "--to", target.path).status == 0)
    let written = try SmallFolder.snapshot(of: target)
    #expect(written.keys.contains("tags.json"))
    #expect(written.keys.contains("records/2024/01/2024-01-15_093000.json"))

    let again = try run("export-json", folder.path, "--to", target.path, "--json")
    #expect(again.status == 0)
    #expect(again.summary?["filesCreated"] as? Int == 0)
    #expect(try SmallFolder.snapshot(of: target) == written)

    try Data("{}".utf8).write(to: target.appending(path: "tags.json"))
    let refused = try run("export-json", folder.path, "--to", target.path)
    #expect(refused.status == 73)
    #expect(refused.errors.contains("tags.json"))
    #expect(try Data(contentsOf: target.appending(path: "tags.json")) == Data("{}".utf8))
  }

  @Test func `a dry run writes nothing`() throws {
    let folder = try SmallFolder()
    let before = try folder.snapshot()
    let place = try TemporaryDirectory()
    let target = place.url.appending(path: "json")
    let run = try run("export-json", folder.path, "--to", target.path, "-n", "--json")
    #expect(run.status == 0)
    #expect(run.summary?["dryRun"] as? Bool == true)
    #expect(!FileManager.default.fileExists(atPath: target.path))
    #expect(try folder.snapshot() == before)
  }

  @Test func `one document can be exported alone`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let run = try run("export-json", folder.file("tags.automerge").path)
    #expect(run.status == 0)
    #expect(run.jsonLines.contains { $0["id"] as? String == SmallFolder.tagID })
    #expect(run.output.hasSuffix(#"{"end":true,"entities":1}"# + "\n"))
  }

  @Test func `a damaged record is told and does not stop the others`() throws {
    let folder = try SmallFolder()
    try folder.write(#"{"id":"#, to: "records/2024/02/2024-02-02_070000.json")
    let run = try run("export-json", folder.path)
    #expect(run.status == 1)
    #expect(run.errors.contains("records/2024/02/2024-02-02_070000.json"))
    #expect(run.output.contains(SmallFolder.secondID))
    #expect(run.output.hasSuffix(#"{"end":true,"entities":3}"# + "\n"))
  }
}
