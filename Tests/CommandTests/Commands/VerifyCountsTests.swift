import Foundation
import Testing

@Suite struct VerifyCountsTests {
  @Test func `counts come first, then the verdict`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let run = try run("verify-counts", folder.path)
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.first?.contains("kind") == true)
    #expect(lines.contains { $0.contains("record  2024-01") })
    #expect(lines.last == "Everything is there and equal.")
  }

  @Test func `with nothing to compare the status is 1, never 0`() throws {
    let place = try TemporaryDirectory()
    let run = try run("verify-counts", place.url.path, "--json")
    #expect(run.status == 1)
    #expect(run.jsonLines.contains { $0["code"] as? String == "nothing-to-compare" })
  }

  @Test func `a value that changed in the JSON is found`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":"2024-02-01T07:00:01Z"}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    let run = try run("verify-counts", folder.path)
    #expect(run.status == 1)
    #expect(run.output.contains("NOT everything is there and equal"))
  }

  @Test func `a document with one wrong byte is found`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let file = folder.file("records/2024/01.automerge")
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: file)
    let run = try run("verify-counts", folder.path)
    #expect(run.status == 1)
    #expect(run.output.contains("records/2024/01.automerge"))
  }

  @Test func `a missing image is found and a strange one listed`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    try folder.remove("records/2024/01/\(SmallFolder.firstID)_0.jpg")
    try folder.write("?", to: "records/2024/02/\(SmallFolder.secondID)_7.png")
    let run = try run("verify-counts", folder.path, "--json")
    let codes = run.jsonLines.compactMap { $0["code"] as? String }
    #expect(codes.contains("missing-image"))
    #expect(codes.contains("orphan-image"))
  }

  @Test func `a backup, a folder and a stream are told apart`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    let stream = try run("export-json", folder.path).output
    let copy = folder.parent.appending(path: "copy")
    try FileManager.default.copyItem(at: folder.url, to: copy)
    #expect(try run("import-crdt", folder.path).status == 0)
    for file in ["tags.json", "records/2024/01/2024-01-15_093000.json"] { try folder.remove(file) }
    try folder.remove("records/2024/02/2024-02-01_070000.json")

    #expect(try run("verify-counts", folder.path).status == 1)
    #expect(try run("verify-counts", folder.path, "--against", backup).status == 0)
    #expect(try run("verify-counts", folder.path, "--against", copy.path).status == 0)
    #expect(try run("verify-counts", folder.path, "--against", "-", input: stream).status == 0)
    let file = folder.parent.appending(path: "all.jsonl")
    try Data(stream.utf8).write(to: file)
    #expect(try run("verify-counts", folder.path, "--against", file.path).status == 0)
  }

  @Test func `verifying writes nothing`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let before = try folder.snapshot()
    #expect(try run("verify-counts", folder.path).status == 0)
    #expect(try folder.snapshot() == before)
  }
}
