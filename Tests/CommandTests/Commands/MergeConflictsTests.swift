import Foundation
import Testing

@Suite struct MergeConflictsTests {
  private static let copy = "records/2024/01 (Anna's conflicted copy 2026-01-06).automerge"

  /// A migrated folder with a copy of one document and one of the tags as JSON.
  private func folder() throws -> SmallFolder {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    try FileManager.default.copyItem(
      at: folder.file("records/2024/01.automerge"), to: folder.file(Self.copy))
    try folder.write(
      ##"{"tags":[{"id":"\##(SmallFolder.tagID)","name":"Tea","color":"#34C759","createdAt":"2024-01-02T08:00:00Z","isArchived":false}]}"##,
      to: "tags 2.json")
    return folder
  }

  @Test func `copies are merged, the report says how, and nothing is left for a second run`() throws
  {
    let folder = try folder()
    let plan = try run("merge-conflicts", folder.path, "--dry-run", "--json")
    #expect(plan.status == 0)
    #expect(folder.exists(Self.copy))
    #expect(plan.summary?["dryRun"] as? Bool == true)
    let run = try run("merge-conflicts", folder.path, "--json")
    #expect(run.status == 0, "\(run.errors)")
    let bases = run.jsonLines.filter { $0["type"] as? String == "base" }
    #expect(bases.map { $0["path"] as? String } == ["records/2024/01.automerge", "tags.json"])
    let differences = bases[1]["differences"] as? [[String: Any]]
    #expect(differences?.first?["other"] as? String == "Tea")
    #expect(run.summary?["redundant"] as? Int == 1)
    #expect(run.summary?["merged"] as? Int == 1)
    let quarantine = try #require(run.summary?["quarantine"] as? String)
    #expect(folder.exists("\(quarantine)/\(Self.copy)"))
    #expect(!folder.exists(Self.copy))
    let before = try folder.snapshot()
    let second = try CommandTests.run("merge-conflicts", folder.path)
    #expect(second.status == 0)
    #expect(second.output.hasPrefix("No conflict copies"))
    #expect(try folder.snapshot() == before)
    #expect(
      try CommandTests.run("inspect-crdt", "--history", folder.path).output
        .contains("merge-conflicts"))
  }

  @Test func `a damaged copy is status 1 and stays`() throws {
    let folder = try folder()
    try folder.write("no document", to: Self.copy)
    let run = try run("merge-conflicts", folder.path)
    #expect(run.status == 1)
    #expect(run.output.contains("damaged"))
    #expect(folder.exists(Self.copy))
  }

  #if os(Linux)
    @Test func `a watch that finds the folder locked says so and tries again`() throws {
      let folder = try SmallFolder()
      #expect(try run("import-crdt", folder.path).status == 0)
      try FileManager.default.copyItem(
        at: folder.file("records/2024/01.automerge"),
        to: folder.file("records/2024/01 2.automerge"))
      let lock = try FileHandle(
        forUpdating: folder.file(".minuta.writelock.nosync"))
      #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
      let command = try RunningCommand(
        BuiltCommands.directory.appending(path: "merge-conflicts"),
        [folder.path, "--watch", "--brief", "--lock-timeout", "0"])
      try wait { try !command.errorsSoFar().isEmpty }
      #expect(folder.exists("records/2024/01 2.automerge"))
      try lock.close()
      try wait { !folder.exists("records/2024/01 2.automerge") }
      command.send(SIGTERM)
      let run = try command.wait()
      #expect(!folder.exists("records/2024/01 2.automerge"))
      #expect(run.signal == SIGTERM)
      #expect(run.errors.contains(".minuta.writelock.nosync"))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal ends a watch that has nothing to do without a word`(signal: Int32) throws {
      let folder = try SmallFolder()
      #expect(try run("import-crdt", folder.path).status == 0)
      let command = try watching(folder, until: signal)
      // Its one run writes nothing, so that nothing wakes it after it has told.
      try wait { try command.outputSoFar().contains(#"{"type":"summary""#) }
      command.send(signal)
      let run = try command.wait()
      #expect(run.signal == signal)
      #expect(run.jsonLines.filter { $0["type"] as? String == "summary" }.count == 1)
      #expect(run.errors.isEmpty, "a signal is how a watch ends: \(run.errors)")
    }

    @Test func `a watch merges what arrives`() throws {
      let folder = try SmallFolder()
      #expect(try run("import-crdt", folder.path).status == 0)
      let command = try watching(folder, until: SIGTERM)
      try FileManager.default.copyItem(
        at: folder.file("records/2024/01.automerge"),
        to: folder.file("records/2024/01 2.automerge"))
      // A run before the one that takes it in may have met half a file, or one that was still changing
      // when it was to leave.
      try wait { !folder.exists("records/2024/01 2.automerge") }
      try wait {
        try command.outputSoFar().contains(
          /01 2\.automerge"[^}\n]*"outcome":"(?:redundant|merged)"[\s\S]*\{"type":"summary"/)
      }
      #expect(!folder.exists("records/2024/01 2.automerge"))
      // What it wrote wakes it once more: the signal may stop that run, which is then said.
      command.send(SIGTERM)
      let run = try command.wait()
      #expect(run.signal == SIGTERM)
      #expect(run.errors.isEmpty || run.errors.contains("interrupted"), "\(run.errors)")
    }

    /// Starts a watch; returns once it listens to a signal.
    private func watching(_ folder: SmallFolder, until signal: Int32) throws -> RunningCommand {
      let command = try RunningCommand(
        BuiltCommands.directory.appending(path: "merge-conflicts"),
        [folder.path, "--watch", "--json"])
      try command.waitUntilListening(to: signal)
      return command
    }

    /// Waits until something is so, for far longer than a busy machine needs.
    private func wait(until isSo: () throws -> Bool) throws {
      let deadline = ContinuousClock.now + .seconds(300)
      while try !isSo() {
        try #require(ContinuousClock.now < deadline)
        usleep(10_000)
      }
    }
  #endif
}
