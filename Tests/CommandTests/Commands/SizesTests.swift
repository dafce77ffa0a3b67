import Foundation
import Testing

/// `inspect-crdt --sizes` as a user runs it.
@Suite struct SizesTests {
  @Test func `a table for people, lines of JSON for scripts`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let before = try folder.snapshot()
    let table = try run("inspect-crdt", "--sizes", folder.path)
    #expect(table.status == 0)
    #expect(table.errors == "")
    #expect(table.output.contains("records/2024/01.automerge"))
    #expect(table.output.contains("all together"))
    #expect(table.output.contains("3 documents"))
    let lines = try run("inspect-crdt", "--sizes", folder.path, "--json")
    let paths = lines.jsonLines.dropLast().map { $0["path"] as? String }
    #expect(
      paths == ["records/2024/01.automerge", "records/2024/02.automerge", "tags.automerge"])
    #expect(lines.summary?["entities"] as? Int == 3)
    #expect(lines.summary?["byteCount"] as? Int ?? 0 > 100)
    #expect(try folder.snapshot() == before)
  }

  @Test func `a damaged document is status 1`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    try folder.write("", to: "tags.automerge")
    let sizes = try run("inspect-crdt", "--sizes", folder.path)
    #expect(sizes.status == 1)
    #expect(sizes.output.contains("error damaged-document: tags.automerge"))
    #expect(sizes.output.contains("repair-crdt"))
  }
}
