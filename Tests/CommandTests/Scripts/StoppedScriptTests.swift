import Foundation
import Testing

#if os(Linux)
  /// A signal to a command that runs others, as a supervisor sends it, not to a process group.
  @Suite struct StoppedScriptTests {
    private static let signals: [(name: String, number: Int32)] = [
      ("SIGTERM", SIGTERM), ("SIGINT", SIGINT), ("SIGHUP", SIGHUP),
    ]

    @Test(arguments: ["migrate-folder", "rollback-folder", "recover-folder"], [0, 1, 2])
    func `it ends the running step, and the command ends by it`(
      script: String, signal: Int
    ) throws {
      let scripts = try InstalledScripts()
      let folder = try SmallFolder()
      let backup = try folder.backup()
      #expect(try run("import-crdt", folder.path, "--layout", "monthly").status == 0)
      // Something is to be done for each of the three.
      if script == "recover-folder" { try folder.remove("records/2024/02.automerge") }
      // Two of them wait for the lock; the third works beside the folder until its end.
      let lock = try FolderLockHolder(folder.url)
      let arguments: [String] =
        switch script {
        case "migrate-folder": [folder.path]
        case "rollback-folder": [folder.path, backup]
        default: [folder.path, "--apply"]
        }
      let command = try RunningCommand(
        scripts.directory.appending(path: script), arguments)
      try command.input.close()
      let titles = ["import\n", "step 1\n", "back up the folder as it is now\n"]
      while command.isRunning, try !titles.contains(where: command.outputSoFar().hasSuffix) {
        usleep(2_000)
      }
      command.send(Self.signals[signal].number)
      let ended = try command.wait()
      #expect(ended.signal == Self.signals[signal].number, "\(ended.output)\(ended.errors)")
      withExtendedLifetime(lock) {}
      #expect(!FileManager.default.fileExists(atPath: folder.path + "-rollback.nosync"))
    }
  }
#endif
