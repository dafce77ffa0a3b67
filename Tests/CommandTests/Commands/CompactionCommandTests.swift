import Foundation
import Testing

/// `cleanup-legacy --compact` and what `inspect-crdt --sizes` says of it, as a user runs them.
@Suite struct CompactionCommandTests {
  /// A folder of which one document had itself appended.
  private func loose() throws -> (folder: SmallFolder, path: String) {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let path = "records/2024/01.automerge"
    let bytes = try Data(contentsOf: folder.file(path))
    try (bytes + bytes).write(to: folder.file(path))
    return (folder, path)
  }

  @Test func `sizes name what could be shorter, and the command that does it does it`() throws {
    let (folder, path) = try loose()
    let sizes = try run("inspect-crdt", "--sizes", folder.path)
    #expect(sizes.status == 0)
    #expect(sizes.output.contains("info not-compact: \(path): has changes appended"))
    #expect(sizes.output.contains("run cleanup-legacy FOLDER --compact --apply"))
    let lines = try run("inspect-crdt", "--sizes", folder.path, "--json").jsonLines
    let command = lines.first { $0["code"] as? String == "not-compact" }?["command"] as? [String]
    #expect(command == ["cleanup-legacy", "--compact", "--apply", folder.path])
    #expect(lines.filter { $0["compactByteCount"] != nil }.map { $0["path"] as? String } == [path])

    let heads = try run("inspect-crdt", "--heads", folder.file(path).path).output
    let before = try folder.snapshot()
    let plan = try run("cleanup-legacy", folder.path, "--compact")
    #expect(plan.status == 0, "\(plan.errors)")
    #expect(plan.output.contains("Would write 1 of 3 documents as one chunk: "))
    #expect(try folder.snapshot() == before)
    let done = try run("cleanup-legacy", folder.path, "--compact", "--apply", "--json")
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.jsonLines.first?["outcome"] as? String == "compacted")
    #expect(done.jsonLines.first?["path"] as? String == path)
    #expect(done.summary?["documentsCompacted"] as? Int == 1)
    #expect(done.summary?["savedByteCount"] as? Int ?? 0 > 100)
    #expect(try run("inspect-crdt", "--heads", folder.file(path).path).output == heads)
    #expect(try run("verify-counts", folder.path).status == 0)
    let history = try run("inspect-crdt", "--history", folder.path)
    #expect(history.output.contains("cleanup-legacy"))

    let again = try run("cleanup-legacy", folder.path, "--compact", "--apply")
    #expect(again.status == 0)
    #expect(again.output == "Of 3 documents none would be a tenth shorter.\n")
    #expect(!(try run("inspect-crdt", "--sizes", folder.path).output.contains("not-compact")))
  }

  @Test func `works exclude each other, and this one needs no backup`() throws {
    let (folder, _) = try loose()
    for (options, problem) in [
      (["--compact", "--purge", "--older-than", "0d"], "--compact and --purge exclude each other"),
      (["--list", "--compact"], "--list and --compact exclude each other"),
      (["--compact", "--apply", "--backup", "x.tar"], "--compact needs no backup"),
      (["--list", "--apply", "--backup", "x.tar"], "--list changes nothing"),
      (
        ["--purge", "--older-than", "0d", "--months-before", "2024-01"],
        "--purge and --months-before exclude each other"
      ),
    ] {
      let wrong = try run("cleanup-legacy", [folder.path] + options)
      #expect(wrong.status == 64)
      #expect(wrong.errors.contains(problem), "\(options): \(wrong.errors)")
    }
  }

  @Test func `a folder of another app is left alone`() throws {
    let place = try TemporaryDirectory()
    try Data("{}".utf8).write(to: place.url.appending(path: "settings.json"))
    let run = try run("cleanup-legacy", place.url.path, "--compact", "--apply")
    #expect(run.status == 78, "\(run.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.url.path) == ["settings.json"])
  }
}
