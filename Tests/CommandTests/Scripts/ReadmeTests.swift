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

    let readme = BuiltCommands.packageRoot.appending(path: "README.md").resolvingSymlinksInPath()
    var text = try String(contentsOf: readme, encoding: .utf8)
    let example = try #require(
      text.firstMatch(of: /(?s)<!-- example -->\n```console\n(.*?)```\n<!-- end of example -->/))
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      text.replaceSubrange(example.1.startIndex..<example.1.endIndex, with: printed)
      try Data(text.utf8).write(to: readme)
    } else {
      #expect(Self.withoutTimes(String(example.1)) == Self.withoutTimes(printed))
    }
  }

  /// Durations, dates in names, and the size of an archive that holds times differ from run to run.
  private static func withoutTimes(_ text: String) -> String {
    text.replacing(/\d+\.\d\d s/, with: "T s").replacing(/\d{8}T\d{6}Z/, with: "DATE")
      .replacing(/\d+(\.\d)? [kM]B/, with: "SIZE")
  }
}
