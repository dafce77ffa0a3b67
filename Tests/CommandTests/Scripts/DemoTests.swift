import Foundation
import Testing

/// `bin/demo` on the stores of the apps that have such data.
@Suite struct DemoTests {
  @Test(arguments: [("ritualist", "CloudKit.store"), ("laundrytime", "default.store")])
  func `the demo takes a store all the way, and back from its backup`(
    profile: String, store: String
  ) throws {
    let scripts = try InstalledScripts.withDemo()
    let place = try TemporaryDirectory()
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

  @Test func `the demo migrates a fleet, and the folder that was damaged once it is mended`() throws
  {
    let scripts = try InstalledScripts.withDemo()
    let place = try TemporaryDirectory()
    let run = try scripts.run("demo", "--fleet", "--keep", "kept", in: place.url)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("99 of 100 folders done; results: folders.results.jsonl"))
    #expect(run.output.contains("Ran 1 folder "), "\(run.output)")
    #expect(run.output.contains("100 of 100 folders done; results: checked.jsonl"))
  }

  @Test func `the demo brings two devices together, with what both wrote`() throws {
    let scripts = try InstalledScripts.withDemo(sharing: ["fixtures"])
    let place = try TemporaryDirectory()
    let run = try scripts.run("demo", "--sync", "--keep", "kept", in: place.url)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("Would sync 1 of "), "\(run.output)")
    #expect(run.output.matches(of: /Equal[ ]in Desk:/).count == 2, "\(run.output)")
    #expect(run.output.contains("on the Phone: ") && run.output.contains("on the Desk: "))
  }

  @Test func `the demo runs the plans that are shipped`() throws {
    let scripts = try InstalledScripts.withDemo(sharing: ["plans", "fixtures"])
    let place = try TemporaryDirectory()
    let run = try scripts.run("demo", "--plans", "--keep", "kept", in: place.url)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("Would run 4 steps") && run.output.contains("Ran 4 steps"))
    #expect(run.errors.contains("Ran 9 steps") && run.errors.contains("Ran 3 steps"))
    #expect(run.output.matches(of: /Everything is there and equal\./).count == 3, "\(run.output)")
    #expect(run.output.contains("Undid 1 step: 206 changes of entities"), "\(run.output)")
    // What was undone is where it was.
    let kept = place.url.appending(path: "kept/App/settings/notifications.json")
    #expect(try String(contentsOf: kept, encoding: .utf8) == "true\n")
  }
}
