import Foundation
import Testing

#if os(Linux)
  /// A signal to a script alone, as a supervisor sends it, not to its process group.
  @Suite struct StoppedScriptTests {
    private static let signals: [(name: String, number: Int32)] = [
      ("SIGTERM", SIGTERM), ("SIGINT", SIGINT), ("SIGHUP", SIGHUP),
    ]

    @Test(arguments: ["migrate-folder", "rollback-folder", "recover-folder"], [0, 1, 2])
    func `it reaches the running command, and the script ends by it`(
      script: String, signal: Int
    ) throws {
      let scripts = try InstalledScripts()
      let folder = try SmallFolder()
      let backup = try folder.backup()
      #expect(try run("import-crdt", folder.path, "--layout", "monthly").status == 0)
      // Something is to be done for each of the three.
      if script == "recover-folder" { try folder.remove("records/2024/02.automerge") }
      // A script starts others, and a command that runs others itself waits for the lock.
      let isScript = InstalledScripts.names.contains(script)
      var lock = isScript ? nil : try FolderLockHolder(folder.url)
      if isScript { try scripts.replace("pack-backup", with: "exec sleep 100") }
      let arguments: [String] =
        switch script {
        case "migrate-folder": [folder.path]
        case "rollback-folder": [folder.path, backup]
        default: [folder.path, "--apply"]
        }
      let command = try RunningCommand(
        scripts.directory.appending(path: script), arguments)
      try command.input.close()
      let sleeper = isScript ? try command.descendant(named: "sleep") : nil
      while lock != nil, command.isRunning,
        try !["import\n", "step 1\n"].contains(where: command.outputSoFar().hasSuffix)
      { usleep(2_000) }
      command.send(Self.signals[signal].number)
      let ended = try command.wait()
      #expect(ended.signal == Self.signals[signal].number, "\(ended.output)\(ended.errors)")
      lock = nil
      #expect(sleeper?.name != "sleep")
      #expect(!FileManager.default.fileExists(atPath: folder.path + "-rollback.nosync"))
    }
  }
#endif
