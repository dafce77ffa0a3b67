import Foundation
import Testing

@Suite struct KilledMigrationTests {
  /// A kill can hit anywhere: between two files, inside one, while the lock is held. Wherever it
  /// was, every document is whole and the next run completes the work.
  @Test func `an import killed again and again is completed by the last run`() throws {
    let place = try TemporaryDirectory()
    let folder = place.url.appending(path: "Minuta")
    #expect(try run("generate-folder", folder.path, "--records", "2000").status == 0)
    let importer = BuiltCommands.directory.appending(path: "import-crdt")
    for step in 1...8 {
      let command = try RunningCommand(importer, [folder.path])
      try command.input.close()
      // Each run gets further before it is killed; where exactly is up to the machine.
      let goal = step * 10
      while try command.isRunning && documentCount(in: folder) < goal { usleep(20_000) }
      command.send(SIGKILL)
      _ = try command.wait()
      let whole = try documents(in: folder)
      if !whole.isEmpty {
        let check = try CommandTests.run(
          BuiltCommands.directory.appending(path: "inspect-crdt"), ["--check"] + whole, input: nil)
        #expect(check.status == 0, "\(check.errors)")
      }
    }
    #expect(try run("import-crdt", folder.path).status == 0)
    let verified = try run("verify-counts", folder.path)
    #expect(verified.status == 0, "\(verified.output)")
    let left = try SmallFolder.snapshot(of: folder).keys.filter { $0.contains(".tmp.nosync") }
    #expect(left.isEmpty)
  }

  /// The same kill, now of a command that runs others.
  @Test func `a migration of a generated folder killed in its middle is completed by the next`()
    throws
  {
    let scripts = try InstalledScripts()
    let place = try TemporaryDirectory()
    let folder = place.url.appending(path: "Minuta")
    #expect(try run("generate-folder", folder.path, "--records", "1000").status == 0)
    let command = try RunningCommand(
      scripts.directory.appending(path: "migrate-folder"),
      [folder.path, "--cleanup", "--layout", "monthly"])
    try command.input.close()
    while try command.isRunning && documentCount(in: folder) == 0 { usleep(2_000) }
    command.sendToAll(SIGKILL)
    #expect(try command.wait().status != 0)
    let again = try scripts.run(
      "migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(again.status == 0, "\(again.errors)")
    let files = try SmallFolder.snapshot(of: folder).keys.filter { !$0.hasPrefix(".") }
    #expect(files.allSatisfy { !$0.hasSuffix(".json") })
    #expect(try run("verify-counts", folder.path).status == 0)
  }

  private func documents(in folder: URL) throws -> [String] {
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix(".automerge") }
      .map { folder.appending(path: $0).path }
  }

  private func documentCount(in folder: URL) throws -> Int { try documents(in: folder).count }
}
