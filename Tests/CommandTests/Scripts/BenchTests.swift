import Foundation
import Testing

/// That subjects of `bin/bench` which compute with what was measured print their tables, of sizes that
/// say nothing about speed.
@Suite struct BenchTests {
  @Test(arguments: [
    (["sync", "1200"], ["| sync-folder, nothing changed |", "| bytes on the wire |"]),
    (["fleet", "20"], ["| migrate-fleet --jobs 1 |", "| simulated: folders |"]),
  ])
  func `a subject prints its table`(arguments: [String], rows: [String]) throws {
    let bench = try run(
      BuiltCommands.packageRoot.appending(path: "bin/bench"),
      arguments + ["--commands", BuiltCommands.directory.path], input: nil)
    #expect(bench.status == 0, "\(bench.errors)")
    for row in rows {
      #expect(bench.output.contains(row), "\(row) is missing:\n\(bench.output)")
    }
  }
}
