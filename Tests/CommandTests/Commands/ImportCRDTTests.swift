import Foundation
import Testing

@Suite struct ImportCRDTTests {
  private let documents = [
    "tags.automerge", "records/2024/01.automerge", "records/2024/02.automerge",
  ]

  @Test func `an import makes a document for the tags and for each month`() throws {
    let folder = try SmallFolder()
    let run = try run("import-crdt", folder.path)
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(run.output.contains("Imported 3 of 3 entities: 3 documents created"))
    for document in documents { #expect(folder.exists(document)) }
  }

  @Test func `a second run changes nothing, not even a time`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let before = try folder.snapshot().filter { $0.key.hasSuffix(".automerge") }
    let again = try run("import-crdt", folder.path)
    #expect(again.status == 0)
    #expect(again.output.contains("Nothing new"))
    #expect(try folder.snapshot().filter { $0.key.hasSuffix(".automerge") } == before)
  }

  @Test func `a dry run writes nothing and says what it would do`() throws {
    let folder = try SmallFolder()
    let before = try folder.snapshot()
    let run = try run("import-crdt", folder.path, "--dry-run", "--json")
    #expect(run.status == 0)
    #expect(try folder.snapshot() == before)
    let summary = try #require(run.summary)
    #expect(summary["dryRun"] as? Bool == true)
    #expect((summary["records"] as? [String: Any])?["imported"] as? Int == 2)
    #expect(run.jsonLines.dropLast().allSatisfy { $0["dryRun"] as? Bool == true })
  }

  @Test func `a stream gives the documents the folder itself gives`() throws {
    let folder = try SmallFolder()
    let stream = try run("export-json", folder.path).output
    let place = try TemporaryDirectory()
    let imported = try run("import-crdt", "-", "--into", place.url.path, input: stream)
    #expect(imported.status == 0)
    #expect(try run("import-crdt", folder.path).status == 0)
    for document in documents {
      let fromStream = try Data(contentsOf: place.url.appending(path: document))
      #expect(try Data(contentsOf: folder.file(document)) == fromStream, "\(document)")
    }
  }

  @Test func `a stream without its last line is damaged and publishes nothing`() throws {
    let folder = try SmallFolder()
    let stream = try run("export-json", folder.path).output
    let cut = stream.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
    let place = try TemporaryDirectory()
    let run = try run("import-crdt", "-", "--into", place.url.path, "--json", input: cut)
    #expect(run.status == 65)
    #expect(run.summary?["status"] as? Int == 65)
    let files = try SmallFolder.snapshot(of: place.url).keys
    #expect(files.allSatisfy { !$0.hasSuffix(".automerge") })
  }

  @Test func `a stream that was filtered is imported with a warning`() throws {
    let folder = try SmallFolder()
    let lines = try run("export-json", folder.path).output.split(separator: "\n")
    let kept = lines.filter { !$0.contains(SmallFolder.secondID) }.joined(separator: "\n") + "\n"
    let place = try TemporaryDirectory()
    let run = try run("import-crdt", "-", "--into", place.url.path, input: kept)
    #expect(run.status == 0)
    #expect(run.output.contains("warning filtered: "))
  }

  @Test func `a damaged record is left out, told, and makes status 1`() throws {
    let folder = try SmallFolder()
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":5}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    let run = try run("import-crdt", folder.path, "--json")
    #expect(run.status == 1)
    let findings = run.jsonLines.filter { $0["type"] as? String == "finding" }
    #expect(
      findings.contains {
        $0["path"] as? String == "records/2024/02/2024-02-01_070000.json"
          && $0["severity"] as? String == "error"
      })
    #expect(run.summary?["status"] as? Int == 1)
    #expect(folder.exists("records/2024/01.automerge"))
    #expect(!folder.exists("records/2024/02.automerge"))
  }

  @Test func `a document that cannot be read is never replaced`() throws {
    let folder = try SmallFolder()
    try folder.write("not a document", to: "records/2024/01.automerge")
    let run = try run("import-crdt", folder.path)
    #expect(run.status == 1)
    #expect(
      try Data(contentsOf: folder.file("records/2024/01.automerge")) == Data("not a document".utf8))
    #expect(folder.exists("records/2024/02.automerge"))
  }

  @Test func `each record gets its own document where that is asked for`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path, "--layout", "per-record").status == 0)
    #expect(folder.exists("records/2024/01/2024-01-15_093000.automerge"))
    #expect(!folder.exists("records/2024/01.automerge"))
  }

  private let second = "records/2024/02/2024-02-01_070000.json"

  @Test func `JSON that changed after its import is told, and reaches the document with --update`()
    throws
  {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":"2024-02-01T07:00:00Z","comment":"new"}"#,
      to: second)
    let told = try run("import-crdt", folder.path)
    #expect(told.status == 1)
    #expect(told.output.contains("error diverged: "))
    #expect(told.output.contains("import-crdt --update \(folder.path)"))
    let updated = try run("import-crdt", "--update", folder.path)
    #expect(updated.status == 0, "\(updated.output)")
    #expect(updated.output.contains("Updated 1 entity in 1 document"))
    #expect(try run("export-json", folder.path).output.contains(#""comment":"new""#))
    #expect(try run("verify-counts", folder.path).status == 0)
    let before = try folder.snapshot().filter { $0.key.hasSuffix(".automerge") }
    #expect(try run("import-crdt", "--update", "--prefer", "legacy", folder.path).status == 0)
    #expect(try folder.snapshot().filter { $0.key.hasSuffix(".automerge") } == before)
  }

  @Test func `an update comes from JSON files and nothing else`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path, "--prefer", "legacy").status == 64)
    #expect(try run("import-crdt", "-", "--into", folder.path, "--update", input: "").status == 64)
    #expect(try run("import-crdt", folder.path).status == 0)
    let other = folder.parent.appending(path: "other").path
    let flattened = try run("import-crdt", folder.path, "--into", other, "--flatten", "--update")
    #expect(flattened.status == 64)
  }

  @Test func `an empty folder is nothing to do`() throws {
    let place = try TemporaryDirectory()
    let run = try run("import-crdt", place.url.path)
    #expect(run.status == 0)
    #expect(run.output.contains("Nothing to import"))
    #expect(try SmallFolder.snapshot(of: place.url).isEmpty)
  }

  @Test func `a folder inside the other is wrong usage`() throws {
    let folder = try SmallFolder()
    let run = try run("import-crdt", folder.path, "--into", folder.file("records").path)
    #expect(run.status == 64)
  }
}
