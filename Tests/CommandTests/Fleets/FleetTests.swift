import Foundation
import Testing

@Suite struct FleetTests {
  @Test func `each folder is migrated and has a line of its own`() throws {
    let place = try FleetPlace(count: 5)
    let run = try place.fleet("--jobs", "2")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("5 of 5 folders done"), "\(run.output)")
    #expect(run.errors.isEmpty, "\(run.errors)")
    #expect(try place.areMigrated())
    let lines = try place.lines()
    #expect(Set(lines.compactMap { $0["folder"] as? String }) == Set(place.folders.map(\.path)))
    for line in lines {
      #expect(line["outcome"] as? String == "done")
      #expect(line["status"] as? Int == 0)
      #expect((line["command"] as? [String])?.first == "migrate-folder")
      #expect((line["summary"] as? [String: Any])?["command"] as? String == "migrate-folder")
      #expect((line["host"] as? String)?.isEmpty == false)
    }
  }

  @Test func `run again, nothing is left to do`() throws {
    let place = try FleetPlace(count: 3)
    #expect(try place.fleet().status == 0)
    let before = try Data(contentsOf: URL(filePath: place.results))
    let again = try place.fleet()
    #expect(again.status == 0)
    #expect(again.output.contains("Ran 0 folders"), "\(again.output)")
    #expect(try Data(contentsOf: URL(filePath: place.results)) == before)
  }

  @Test func `a folder that fails stops no other, and is told with what to run`() throws {
    let place = try FleetPlace(count: 4)
    try Data("{".utf8).write(to: place.folders[1].appending(path: "tags.json"))
    let run = try place.fleet("--json")
    #expect(run.status == 1)
    let outcomes = try #require(run.summary?["outcomes"] as? [String: Int])
    #expect(outcomes == ["done": 3, "differs": 1, "busy": 0, "failed": 0, "no-result": 0])
    let entry = try #require(run.jsonLines.first)
    #expect(entry["folder"] as? String == place.folders[1].path)
    #expect((entry["message"] as? String)?.contains("tags.json") == true, "\(entry)")
    #expect(entry["command"] as? [String] == ["migrate-folder", place.folders[1].path])
    // Once it is mended it gets its turn if that is asked for.
    try Data(#"{"tags":[]}"#.utf8).write(to: place.folders[1].appending(path: "tags.json"))
    #expect(try place.fleet().status == 1)
    let mended = try place.fleet("--retry-failed")
    #expect(mended.status == 0, "\(mended.output)")
    #expect(mended.output.contains("Ran 1 folder "), "\(mended.output)")
    #expect(try place.areMigrated())
  }

  @Test func `a folder that is not there fails alone`() throws {
    let place = try FleetPlace(count: 2)
    try FileManager.default.removeItem(at: place.folders[0])
    let run = try place.fleet("--json")
    #expect(run.status == 1)
    #expect((run.summary?["outcomes"] as? [String: Int])?["failed"] == 1, "\(run.output)")
    #expect((run.summary?["outcomes"] as? [String: Int])?["done"] == 1, "\(run.output)")
  }

  @Test func `the summary says how the folders stand, and runs nothing`() throws {
    let place = try FleetPlace(count: 3)
    let before = try place.fleet("--summary", "--json")
    #expect(before.status == 1)
    #expect((before.summary?["outcomes"] as? [String: Int])?["no-result"] == 3)
    #expect(!FileManager.default.fileExists(atPath: place.results))
    let planned = try place.fleet("--dry-run")
    #expect(planned.output.contains("Would run 3 folders"), "\(planned.output)")
    #expect(try !place.areMigrated())
    #expect(try place.fleet("--quiet").output.isEmpty)
    let after = try place.fleet("--summary")
    #expect(after.status == 0)
    #expect(after.output.contains("3 of 3 folders done"), "\(after.output)")
  }

  @Test func `names reach the command as they are`() throws {
    let names = ["a b", "it's {} {.} $HOME `x` \"y\"", "né\nw", "-x;y|z&", "*?[a]", "%20,\\"]
    let place = try FleetPlace(names)
    try Data(place.folders.map { $0.path + "\0" }.joined().utf8)
      .write(to: URL(filePath: place.list))
    let run = try place.fleet("-0")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(
      try place.lineCounts() == Dictionary(uniqueKeysWithValues: place.folders.map { ($0.path, 1) })
    )
    #expect(try place.areMigrated())
  }

  @Test func `options behind two dashes are for the command`() throws {
    let place = try FleetPlace(count: 2)
    let run = try place.fleet("--", "--layout", "per-record", "--cleanup")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for folder in place.folders {
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "tags.json").path))
    }
    // Whoever asks how they stand need not know what was run.
    let summary = try place.fleet("--summary")
    #expect(summary.status == 0, "\(summary.output)\(summary.errors)")
    let checked = try place.fleet(
      "--command", "verify-counts", "--results", place.list + ".checked")
    #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    let other = try place.fleet("--command", "verify-counts")
    #expect(other.status == 78)
    #expect(other.errors.contains("holds results of migrate-folder --layout"), "\(other.errors)")
  }

  @Test func `a busy folder gets more turns, and then a line`() throws {
    let place = try FleetPlace(count: 3)
    let holder = try FolderLockHolder(place.folders[2])
    let run = try place.fleet("--retries", "1", "--json", "--", "--lock-timeout", "0")
    #expect(run.status == 1)
    #expect(
      (run.summary?["outcomes"] as? [String: Int])?["busy"] == 1, "\(run.output)\(run.errors)")
    #expect(try place.lineCounts().values.allSatisfy { $0 == 1 })
    withExtendedLifetime(holder) {}
  }

  @Test func `a folder that was busy is run again by the next run`() throws {
    let place = try FleetPlace(count: 2)
    do {
      let holder = try FolderLockHolder(place.folders[0])
      #expect(try place.fleet("--retries", "0", "--", "--lock-timeout", "0").status == 1)
      withExtendedLifetime(holder) {}
    }
    let run = try place.fleet("--", "--lock-timeout", "0")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("Ran 1 folder "), "\(run.output)")
  }

  @Test func `a rule ends the run, and the next one does the rest`() throws {
    let place = try FleetPlace(count: 12)
    try FileManager.default.removeItem(at: place.folders[0])
    let run = try place.fleet("--jobs", "1", "--halt", "now,fail=1", "--json")
    #expect(run.status == 1)
    #expect(run.summary?["halted"] as? Bool == true)
    let left = try #require((run.summary?["outcomes"] as? [String: Int])?["no-result"])
    #expect(left >= 10, "\(run.output)")
    #expect(try place.fleet("--json").summary?["ran"] as? Int == left)
  }

  @Test func `each job that ended has a line in the log of jobs`() throws {
    let place = try FleetPlace(count: 2)
    let log = place.url.appending(path: "jobs").path
    #expect(try place.fleet("--joblog", log).status == 0)
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    #expect(lines.count >= 2 && lines.last?.contains("migrate-fleet") == true)
  }

  @Test func `without GNU parallel nothing is run`() throws {
    let place = try FleetPlace(count: 1)
    let tools = place.url.appending(path: "tools")
    try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: true)
    let other = tools.appending(path: "parallel")
    // The one of moreutils.
    try Data("#!/bin/sh\necho 'parallel [OPTIONS] command -- arguments'\nexit 1\n".utf8).write(
      to: other)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: other.path)
    let command = BuiltCommands.directory.appending(path: "migrate-fleet").path
    for path in [tools.path + ":/usr/bin:/bin", place.url.path] {
      let run = try CommandTests.run(
        URL(filePath: "/usr/bin/env"), ["PATH=\(path)", command, place.list], input: nil)
      #expect(run.status == 69, "\(run.errors)")
      #expect(run.errors.contains("GNU parallel is not installed"), "\(run.errors)")
      #expect(run.errors.contains("apt-get install parallel"), "\(run.errors)")
    }
  }

  @Test func `a second run at once ends as busy`() throws {
    let place = try FleetPlace(count: 2)
    let holder = try FolderLockHolder(place.folders[0])
    let first = try RunningCommand(
      BuiltCommands.directory.appending(path: "migrate-fleet"), [place.list])
    try first.input.close()
    while first.isRunning && !FileManager.default.fileExists(atPath: place.results) {
      usleep(2_000)
    }
    _ = try first.descendant(named: "migrate-fleet")
    let second = try place.fleet()
    #expect(second.status == 75, "\(second.output)\(second.errors)")
    #expect(second.errors.contains("another run of migrate-fleet"), "\(second.errors)")
    withExtendedLifetime(holder) {}
    _ = try first.wait()
  }
}
