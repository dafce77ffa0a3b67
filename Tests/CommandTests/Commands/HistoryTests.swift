import Foundation
import Testing

@Suite struct HistoryTests {
  @Test func `the runs that wrote to a folder are listed with totals`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    #expect(try run("import-crdt", folder.path).status == 0)
    #expect(try run("cleanup-legacy", folder.path, "--apply", "--backup", backup).status == 0)
    let shown = try run("inspect-crdt", "--history", folder.path)
    #expect(shown.status == 0)
    #expect(shown.errors.isEmpty)
    let lines = shown.output.split(separator: "\n")
    #expect(lines[1].contains("import-crdt") && lines[1].contains("done"))
    #expect(lines[2].contains("cleanup-legacy") && lines[2].contains(".tar"))
    #expect(shown.output.contains("2 runs since"))
    #expect(shown.output.contains("3 entities imported, 3 files moved to quarantine, 0 purged."))
  }

  @Test func `as JSON each run is a line and the summary comes last`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path, "--quiet").status == 0)
    let shown = try run("inspect-crdt", "--history", folder.path, "--json")
    let summary = try #require(shown.summary)
    #expect(summary["runs"] as? Int == 1)
    #expect(summary["done"] as? Int == 1)
    #expect(shown.output.split(separator: "\n").count == 2)
    #expect(shown.output.contains(#""arguments":["\#(folder.path)","--quiet"]"#))
  }

  @Test func `a folder nobody wrote to has no history, and gets none by looking`() throws {
    let folder = try SmallFolder()
    let before = try folder.snapshot()
    let shown = try run("inspect-crdt", "--history", folder.path)
    #expect(shown.status == 0)
    #expect(shown.output.hasPrefix("No run has written to"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `a view of a folder goes with no view of a document`() throws {
    #expect(try run("inspect-crdt", "--history", "--heads", "a").status == 64)
    #expect(try run("inspect-crdt", "--history", "/nowhere/at/all").status == 66)
  }
}
