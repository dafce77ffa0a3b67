import Foundation
import Testing

/// The examples of the scripting guide, run as they stand there.
@Suite struct ScriptingGuideTests {
  private static let blocks: [String] = {
    let guide = BuiltCommands.packageRoot
      .appending(path: "Sources/Documentation/scripting.md")
    let text = (try? String(contentsOf: guide, encoding: .utf8)) ?? ""
    return text.matches(of: /(?s)```sh\n(.*?)```/).map { String($0.1) }
  }()

  /// Runs the block that holds a text, with `folder` and `other` set.
  private func run(_ text: String, folder: String, other: String = "") throws -> CommandRun {
    let block = try #require(Self.blocks.first { $0.contains(text) })
    let path = BuiltCommands.directory.path
    return try CommandTests.run(
      URL(filePath: "/bin/sh"),
      ["-c", "PATH='\(path)':$PATH; folder=$0 other=$1\n" + block, folder, other], input: nil)
  }

  @Test func `what is wrong comes as path and message`() throws {
    let folder = try SmallFolder()
    try folder.write("{", to: "records/2024/01/torn.json")
    #expect(try CommandTests.run("import-crdt", folder.path).status == 1)
    let run = try run("@tsv", folder: folder.path)
    #expect(run.output.contains("records/2024/01/torn.json\t"))
  }

  @Test func `a run is told from one that died`() throws {
    let folder = try SmallFolder()
    #expect(try run("summary=$(", folder: folder.path).status == 0)
    let damaged = try SmallFolder()
    try FileManager.default.removeItem(at: damaged.url)
    // Also a run that failed ends with a summary, and that says so.
    let failed = try CommandTests.run("import-crdt", damaged.path, "--json")
    #expect(failed.summary?["status"] as? Int == 66)
  }

  @Test func `the status of a folder comes with the next commands`() throws {
    let folder = try SmallFolder()
    let run = try run(".folderStatus", folder: folder.path)
    #expect(run.output == "legacy\nmigrate-folder \(folder.path)\n")
  }

  @Test func `a filtered stream keeps its frame`() throws {
    let folder = try SmallFolder()
    try folder.write(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04","startTime":"2023-02-03T07:00:00Z"}"#,
      to: "records/2023/02/2023-02-03_070000.json")
    let other = try TemporaryDirectory()
    let run = try run("startswith", folder: folder.path, other: other.url.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("warning filtered"))
    let files = try SmallFolder.snapshot(of: other.url).keys.filter { $0.hasSuffix(".automerge") }
    #expect(files.sorted() == ["records/2024/01.automerge", "records/2024/02.automerge"])
  }
}
