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
        usleep(2_000)
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

    /// Every command that works through many things, slowed down at each file it opens.
    @Test(arguments: [
      ["verify-counts", "FOLDER"], ["export-json", "FOLDER"],
      ["export-json", "FOLDER", "--to", "NEW"],
      ["pack-backup", "FOLDER"], ["restore-backup", "BACKUP", "--into", "NEW"],
      ["import-crdt", "FOLDER"], ["cleanup-legacy", "FOLDER", "--apply", "--backup", "BACKUP"],
    ])
    func `every command stops on its way, says how far it was, and dies by the signal`(
      call: [String]
    ) throws {
      let place = try TemporaryDirectory()
      let folder = place.url.appending(path: "Minuta")
      #expect(try run("generate-folder", folder.path, "--records", "400").status == 0)
      if call[0] != "import-crdt" { #expect(try run("import-crdt", folder.path).status == 0) }
      let packed = try run("pack-backup", folder.path, "--print-path", "--quiet")
      let backup = packed.output.trimmingCharacters(in: .newlines)
      let before = try userFiles(of: folder)
      let arguments = call.dropFirst().map { argument in
        switch argument {
        case "FOLDER": folder.path
        case "BACKUP": backup
        case "NEW": place.url.appending(path: "new").path
        default: argument
        }
      }
      let command = BuiltCommands.directory.appending(path: call[0])
      // Opening and writing take their time, so that the signal comes in the middle.
      let slow = "openat,openat2,open,pwrite64"
      let traced = try RunningCommand(
        URL(filePath: "/usr/bin/strace"),
        ["-f", "-qqq", "-o", "/dev/null", "-e", "signal=none", "-e", "trace=\(slow)", "-e"]
          + ["inject=\(slow):delay_enter=3000", command.path] + arguments)
      try traced.input.close()
      let process = try #require(try traced.descendant(named: call[0]))
      try process.waitUntilListening(to: SIGTERM)
      process.send(SIGTERM)
      let run = try traced.wait()
      #expect(run.signal == SIGTERM, "\(run.output) \(run.errors)")
      #expect(run.errors.contains("\(call[0]): interrupted"), "\(run.errors)")
      #expect(run.errors.components(separatedBy: "interrupted").count == 2, "\(run.errors)")
      #expect(run.errors.contains("every file is as it was or complete"))
      #expect(!run.output.contains(#"{"end":true"#))
      if ["import-crdt", "export-json", "pack-backup"].contains(call[0]) {
        #expect(!run.errors.contains(" done"), "nothing is, before all is: \(run.errors)")
      }
      // Clean-up moves files on its way, and keeps each of them.
      let after = try userFiles(of: folder)
      #expect(after.count == before.count)
      #expect(call[0] == "cleanup-legacy" || after == before)
      #expect(
        try FileManager.default.subpathsOfDirectory(atPath: place.url.path)
          .filter { $0.hasSuffix(".tmp.nosync") } == [])
    }

    /// Whoever waits for the lock of another program can be stopped, too.
    @Test(arguments: ["import-crdt", "cleanup-legacy", "restore-backup"])
    func `a command that waits for the lock stops waiting`(name: String) throws {
      let folder = try SmallFolder()
      let backup = try folder.backup()
      try folder.write("", to: ".minuta.writelock.nosync")
      let lock = try FileHandle(forUpdating: folder.file(".minuta.writelock.nosync"))
      #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
      let arguments =
        switch name {
        case "import-crdt": [folder.path]
        case "cleanup-legacy": [folder.path, "--apply", "--backup", backup]
        default: [backup, "--into", folder.path]
        }
      let command = try RunningCommand(
        BuiltCommands.directory.appending(path: name), arguments + ["--lock-timeout", "100"])
      try command.input.close()
      try command.waitUntilListening(to: SIGINT)
      command.send(SIGINT)
      let run = try command.wait()
      #expect(run.signal == SIGINT)
      #expect(run.errors.components(separatedBy: "interrupted").count == 2, "\(run.errors)")
      try lock.close()
    }

    /// As a terminal does it: the signal goes to the whole group.
    @Test func `an interrupted migration is completed by the next`() throws {
      let scripts = try InstalledScripts()
      let folder = try SmallFolder()
      try folder.write("", to: ".minuta.writelock.nosync")
      let lock = try FileHandle(forUpdating: folder.file(".minuta.writelock.nosync"))
      #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
      let script = try RunningCommand(
        scripts.directory.appending(path: "migrate-folder"), [folder.path])
      try script.input.close()
      while script.isRunning, try !script.outputSoFar().hasSuffix("import\n") { usleep(2_000) }
      // By then it waits for the lock.
      usleep(300_000)
      // A command that tests start is the leader of its group.
      kill(-script.processIdentifier, SIGINT)
      let stopped = try script.wait()
      #expect(stopped.signal == SIGINT, "\(stopped.output) \(stopped.errors)")
      #expect(stopped.errors.contains("import-crdt: interrupted"), "\(stopped.errors)")
      #expect(try folder.snapshot().keys.allSatisfy { !$0.hasSuffix(".automerge") })
      try lock.close()
      #expect(try scripts.run("migrate-folder", folder.path).status == 0)
    }

    /// The bytes of every file but our own state and the lock; what is in quarantine counts.
    private func userFiles(of folder: URL) throws -> [Data] {
      try SmallFolder.snapshot(of: folder)
        .filter { path, entry in
          !path.hasPrefix(".") || (path.contains("/quarantine/") && !path.hasSuffix(".jsonl"))
        }
        .values.compactMap(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
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
