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

  @Test func `old months are set aside whole and come back`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let backup = try folder.backup()
    let before = try folder.snapshot().filter { $0.value.bytes != nil && !$0.key.hasPrefix(".") }
    let shown = try run("cleanup-legacy", folder.path, "--months-before", "2024-02")
    #expect(shown.status == 0)
    #expect(shown.output.contains("Would move 3 files"))
    let moved = try run(
      "cleanup-legacy", folder.path, "--months-before", "2024-02", "--apply", "--backup", backup,
      "--json")
    #expect(moved.status == 0, "\(moved.errors)")
    let months = moved.jsonLines.filter { $0["type"] as? String == "month" }
    #expect(months.map { $0["month"] as? String } == ["2024-01"])
    #expect(months[0]["outcome"] as? String == "moved")
    #expect(months[0]["fileCount"] as? Int == 3)
    #expect(!folder.exists("records/2024/01.automerge"))
    #expect(folder.exists("records/2024/02.automerge"))
    #expect(try run("verify-counts", folder.path).status == 0)
    let restored = try run(
      "restore-backup", backup, "--into", folder.path, "--only", "records/2024/01.automerge",
      "records/2024/01")
    #expect(restored.status == 0, "\(restored.errors)")
    let after = try folder.snapshot().filter { $0.value.bytes != nil && !$0.key.hasPrefix(".") }
    #expect(after.mapValues(\.bytes) == before.mapValues(\.bytes))
  }

  @Test func `the line that undoes setting months aside works as it is`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let backup = try folder.backup()
    let before = try folder.snapshot().filter { $0.value.bytes != nil && !$0.key.hasPrefix(".") }
    let moved = try run(
      "cleanup-legacy", folder.path, "--months-before", "2024-02", "--apply", "--backup", backup)
    let line = try #require(moved.output.split(separator: "\n").last)
    let prefix = "To undo this: cleanup-legacy "
    #expect(line.hasPrefix(prefix))
    let arguments = line.dropFirst(prefix.count)
    let shown = try runInShell("\"$0\" \(arguments) --dry-run", "cleanup-legacy")
    #expect(shown.status == 0 && shown.output.hasPrefix("Would bring back 3 files"))
    #expect(shown.output.hasSuffix("Nothing was changed; --apply does it.\n"))
    #expect(!folder.exists("records/2024/01.automerge"))
    let undone = try runInShell("\"$0\" \(arguments)", "cleanup-legacy")
    #expect(undone.status == 0 && undone.output.hasPrefix("Brought back 3 files"))
    let after = try folder.snapshot().filter { $0.value.bytes != nil && !$0.key.hasPrefix(".") }
    #expect(after.mapValues(\.bytes) == before.mapValues(\.bytes))
    #expect(try runInShell("\"$0\" \(arguments)", "cleanup-legacy").status == 66)
  }

  @Test(arguments: ["2024", "2024-13", "x"])
  func `what is no month is wrong usage`(month: String) throws {
    #expect(try run("cleanup-legacy", "/nowhere", "--months-before", month).status == 64)
  }

  @Test func `nothing to purge and nothing to move are said`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    let purge = try run(
      "cleanup-legacy", folder.path, "--purge", "--older-than", "0d", "--apply", "--backup", backup)
    #expect(purge.status == 0)
    #expect(purge.output == "Nothing to purge: nothing in quarantine or restores is that old.\n")
    let months = try run("cleanup-legacy", folder.path, "--months-before", "2020-01")
    #expect(months.output == "Nothing to move.\n")
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
