import Foundation
import Testing

/// `bin/demo` on the stores of the apps that have such data.
@Suite struct DemoTests {
  @Test(arguments: [("ritualist", "CloudKit.store"), ("laundrytime", "default.store")])
  func `the demo takes a store all the way, and back from its backup`(
    profile: String, store: String
  ) throws {
    let scripts = try InstalledScripts()
    let place = try TemporaryDirectory()
    try FileManager.default.copyItem(
      at: BuiltCommands.packageRoot.appending(path: "bin/demo"),
      to: scripts.directory.appending(path: "demo"))
    let run = try scripts.run("demo", "--profile", profile, "--keep", "kept", in: place.url)
    #expect(run.status == 0, "\(run.errors)")
    let commands = run.output.matches(of: /(?m)^\$ ([a-z-]+)/).map { String($0.1) }
    #expect(
      commands == [
        "generate-store", "verify-counts", "pack-backup", "export-json", "tail", "import-crdt",
        "verify-counts", "rm", "restore-backup", "verify-counts",
      ])
    // Before the store is gone, and after it is back.
    #expect(run.output.matches(of: /Everything is there and equal\./).count == 2, "\(run.output)")
    let count = try #require(run.output.firstMatch(of: /Imported (\d+) of (\d+) entities/))
    #expect(count.1 == count.2 && (Int(count.1) ?? 0) > 250)
    let counts = run.output.matches(of: /: (\d+) of (\d+) entities proven/)
    #expect(counts.map(\.1) == [count.1, count.1] && counts.map(\.2) == [count.1, count.1])
    #expect(
      FileManager.default.fileExists(atPath: place.url.appending(path: "kept/App/\(store)").path))
    #expect(try scripts.run("demo", "--profile", "minuta").status == 64)
    #expect(
      try scripts.run("demo", "--profile", profile, "--keep", "kept", in: place.url).status != 0)
  }
}
