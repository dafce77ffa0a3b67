import Foundation
import Testing

#if os(Linux)
  @Suite struct InterruptionTests {
    private let header = #"{"stream":"automerge-migrate","version":1,"profile":"minuta"}"# + "\n"

    @Test(arguments: [SIGINT, SIGTERM])
    func `the first signal stops between items, once told, and is what the command dies by`(
      signal: Int32
    ) throws {
      let place = try TemporaryDirectory()
      let command = try start(into: place)
      try command.waitUntilListening(to: signal)
      command.send(signal)
      try command.input.close()
      let run = try command.wait()
      #expect(run.signal == signal)
      #expect(run.errors.components(separatedBy: "interrupted").count == 2)
      #expect(run.output == "")
      #expect(
        try SmallFolder.snapshot(of: place.url).keys.allSatisfy { !$0.hasSuffix(".automerge") })
    }

    @Test func `a second signal stops at once`() throws {
      let place = try TemporaryDirectory()
      let command = try start(into: place)
      try command.waitUntilListening(to: SIGINT)
      command.send(SIGINT)
      // The first one may still be on its way; standard input stays open, so only signals end this.
      while command.isRunning {
        command.send(SIGINT)
        sched_yield()
      }
      #expect(try command.wait().signal == SIGINT)
    }

    @Test func `a signal the caller ignores stays ignored`() throws {
      let folder = try SmallFolder()
      let run = try runInShell(
        #"trap '' INT; "$0" "$@" & kill -INT $!; wait $!"#, "import-crdt", folder.path)
      #expect(run.status == 0)
      #expect(try CommandTests.run("verify-counts", folder.path).status == 0)
    }

    /// Starts an import that waits for the rest of its stream.
    private func start(into place: TemporaryDirectory) throws -> RunningCommand {
      let command = try RunningCommand(
        BuiltCommands.directory.appending(path: "import-crdt"), ["-", "--into", place.url.path])
      try command.input.write(contentsOf: Data(header.utf8))
      return command
    }
  }
#endif
