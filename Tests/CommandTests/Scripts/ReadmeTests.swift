import Foundation
import Testing

@Suite struct ReadmeTests {
  /// `UPDATE_GOLDEN=1 swift test --filter ReadmeTests` puts today's output into the README.
  @Test func `the example in the README is what the commands print`() throws {
    let scripts = try InstalledScripts()
    let place = try TemporaryDirectory()
    try FileManager.default.copyItem(
      at: BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder"),
      to: place.url.appending(path: "Minuta"))
    let migration = try scripts.runAsSeen(
      "migrate-folder", "Minuta", "--cleanup", "--layout", "monthly", in: place.url)
    #expect(migration.status == 0, "\(migration.output)")
    let printed =
      "$ migrate-folder Minuta --cleanup --layout monthly\n"
      + migration.output.replacing(place.url.path, with: "/home/anna/Documents")
    try expect(printed, as: "example")
  }

  @Test func `the example of a plan in the README is what the commands print`() throws {
    let scripts = try InstalledScripts()
    let place = try TemporaryDirectory()
    let root = BuiltCommands.packageRoot
    try FileManager.default.copyItem(
      at: root.appending(path: "fixtures/sample-folder"), to: place.url.appending(path: "Minuta"))
    let plan = "minuta-comments-as-texts.json"
    try FileManager.default.copyItem(
      at: root.appending(path: "plans/\(plan)"), to: place.url.appending(path: plan))
    #expect(try scripts.run("import-crdt", "Minuta", "-q", in: place.url).status == 0)
    var printed = ""
    for options in [
      ["--dry-run", "--brief"], ["--brief"], ["--undo", "comments-as-texts", "--brief"],
    ] {
      let run = try scripts.runAsSeen(
        "migrate-schema", [plan, "Minuta"] + options, in: place.url)
      #expect(run.status == 0, "\(run.output)")
      printed += "$ migrate-schema \(plan) Minuta \(options.joined(separator: " "))\n" + run.output
    }
    try expect(printed, as: "plan example")
  }

  private func expect(_ printed: String, as name: String) throws {
    let readme = BuiltCommands.packageRoot.appending(path: "README.md").resolvingSymlinksInPath()
    var text = try String(contentsOf: readme, encoding: .utf8)
    let pattern = try Regex(
      "(?s)<!-- \(name) -->\\n```console\\n(.*?)```\\n<!-- end of \(name) -->",
      as: (Substring, Substring).self)
    let example = try #require(text.firstMatch(of: pattern))
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      text.replaceSubrange(example.output.1.startIndex..<example.output.1.endIndex, with: printed)
      try Data(text.utf8).write(to: readme)
    } else {
      #expect(Self.withoutTimes(String(example.output.1)) == Self.withoutTimes(printed))
    }
  }

  /// Durations, dates in names, and the size of an archive that holds times differ from run to run.
  private static func withoutTimes(_ text: String) -> String {
    text.replacing(/\d+(\.\d\d)? s\)/, with: "T s)").replacing(/\d{8}T\d{6}Z/, with: "DATE")
      .replacing(/\d+(\.\d)? [kM]B/, with: "SIZE")
  }
}
