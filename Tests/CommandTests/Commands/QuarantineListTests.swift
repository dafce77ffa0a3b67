import Foundation
import Testing

/// `cleanup-legacy --list`: what lies in quarantine, and what brings it back.
@Suite struct QuarantineListTests {
  @Test func `nothing is in the quarantine of a folder that was never cleaned`() throws {
    let folder = try SmallFolder()
    let run = try run("cleanup-legacy", folder.path, "--list")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == "Nothing is in quarantine.\n")
    #expect(!folder.exists(".automerge-migrate.nosync"))
  }

  @Test func `each run is listed with what brings it back, and that does`() throws {
    let folder = try SmallFolder()
    let before = try folder.snapshot()
    _ = try folder.clean()
    let listed = try run("cleanup-legacy", folder.path, "--list", "--json")
    #expect(listed.status == 0, "\(listed.errors)")
    #expect(listed.summary?["runs"] as? Int == 1)
    let entry = try #require(listed.jsonLines.first)
    #expect(entry["type"] as? String == "quarantine")
    #expect(entry["kind"] as? String == "legacy")
    #expect(entry["fileCount"] as? Int == 3)
    let sizes = before.filter { $0.key.hasSuffix(".json") }.compactMap { $0.value.bytes?.count }
    #expect(entry["byteCount"] as? Int == sizes.reduce(0, +))
    let shown = try run("cleanup-legacy", folder.path, "--list")
    #expect(shown.output.contains("3 files of 1 run in quarantine"), "\(shown.output)")
    #expect(shown.output.contains("JSON") && shown.output.contains("just now"), "\(shown.output)")

    let words = try #require(entry["command"] as? [String])
    let back = try CommandTests.run(
      BuiltCommands.directory.appending(path: words[0]), Array(words.dropFirst()), input: nil)
    #expect(back.status == 0, "\(back.errors)")
    for (path, file) in before where path.hasSuffix(".json") {
      #expect(try folder.snapshot()[path]?.bytes == file.bytes, "\(path)")
    }
    #expect(
      try run("cleanup-legacy", folder.path, "--list").output == "Nothing is in quarantine.\n")
  }

  @Test func `a run that cannot be looked at is an error, and no run of nothing`() throws {
    let folder = try SmallFolder()
    let (_, quarantine) = try folder.clean()
    let run = folder.file(quarantine)
    try FileManager.default.removeItem(at: run)
    try FileManager.default.createSymbolicLink(
      at: run, withDestinationURL: URL(filePath: "/nowhere"))
    let listed = try CommandTests.run("cleanup-legacy", folder.path, "--list", "--json")
    #expect(listed.status == 1, "\(listed.output)")
    #expect(listed.output.contains(#""code":"unreadable""#), "\(listed.output)")
  }

  @Test(arguments: [
    ["--apply", "--backup", "x"], ["--purge", "--older-than", "0d"], ["--bring-back", "x"],
    ["--months-before", "2024-01"],
  ])
  func `listing goes with nothing that changes anything`(options: [String]) throws {
    let run = try CommandTests.run(
      BuiltCommands.directory.appending(path: "cleanup-legacy"), ["x", "--list"] + options,
      input: nil)
    #expect(run.status == 64)
    #expect(run.errors.contains("--list"), "\(run.errors)")
  }
}
