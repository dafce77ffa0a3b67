import Foundation
import Testing

@Suite struct CleanupLegacyTests {
  private let legacy = [
    "tags.json", "records/2024/01/2024-01-15_093000.json",
    "records/2024/02/2024-02-01_070000.json",
  ]

  @Test func `without apply it only shows`() throws {
    let folder = try SmallFolder()
    _ = try folder.backup()
    #expect(try run("import-crdt", folder.path).status == 0)
    let before = try folder.snapshot()
    let run = try run("cleanup-legacy", folder.path)
    #expect(run.status == 0)
    #expect(run.output.contains("Would move 3 files"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `what is proven moves to quarantine, and nothing else`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    #expect(try run("import-crdt", folder.path).status == 0)
    let before = try folder.snapshot()
    let moved = try run(
      "cleanup-legacy", folder.path, "--apply", "--backup", backup, "--json")
    #expect(moved.status == 0)
    let quarantine = try #require(moved.summary?["quarantine"] as? String)
    for file in legacy {
      #expect(!folder.exists(file))
      #expect(try Data(contentsOf: folder.file("\(quarantine)/\(file)")) == before[file]?.bytes)
    }
    for file in ["notes.txt", "records/2024/01/\(SmallFolder.firstID)_0.jpg"] {
      #expect(folder.exists(file))
    }
    #expect(try run("verify-counts", folder.path).status == 0)
  }

  @Test func `a file that is not in the backup stays`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    let late = "records/2024/02/2024-02-03_070000.json"
    try folder.write(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04","startTime":"2024-02-03T07:00:00Z"}"#, to: late
    )
    #expect(try run("import-crdt", folder.path).status == 0)
    let run = try run("cleanup-legacy", folder.path, "--apply", "--backup", backup)
    #expect(run.status != 0)
    #expect(folder.exists(late))
  }

  @Test func `a file that is not in a document stays`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let changed = "records/2024/02/2024-02-01_070000.json"
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":"2024-02-01T07:00:09Z"}"#, to: changed)
    let backup = try folder.backup()
    let run = try run("cleanup-legacy", folder.path, "--apply", "--backup", backup)
    #expect(run.status == 1)
    #expect(folder.exists(changed))
  }

  @Test func `a damaged backup moves nothing`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    #expect(try run("import-crdt", folder.path).status == 0)
    var bytes = try Data(contentsOf: URL(filePath: backup))
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.write(to: URL(filePath: backup))
    let run = try run("cleanup-legacy", folder.path, "--apply", "--backup", backup)
    #expect(run.status == 65 || run.status == 78)
    for file in legacy { #expect(folder.exists(file)) }
  }

  @Test func `a purge unlinks only what is old enough and in the backup`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    #expect(try run("import-crdt", folder.path).status == 0)
    let moved = try run("cleanup-legacy", folder.path, "--apply", "--backup", backup, "--json")
    let quarantine = try #require(moved.summary?["quarantine"] as? String)
    let purge = ["cleanup-legacy", folder.path, "--purge", "--older-than"]
    let young = try run(
      purge[0], purge[1], purge[2], purge[3], "30d", "--apply", "--backup", backup)
    #expect(young.status == 0)
    #expect(folder.exists("\(quarantine)/tags.json"))
    let shown = try run(purge[0], purge[1], purge[2], purge[3], "0d", "--backup", backup)
    #expect(shown.status == 0)
    #expect(folder.exists("\(quarantine)/tags.json"))
    let done = try run(purge[0], purge[1], purge[2], purge[3], "0d", "--apply", "--backup", backup)
    #expect(done.status == 0)
    for file in legacy { #expect(!folder.exists("\(quarantine)/\(file)")) }
  }
}
