import Foundation
import Testing

/// The app's lock, as commands meet it.
@Suite struct FolderLockCommandTests {
  /// The commands that write, with what each needs to have something to do.
  static let writers = [
    "import-crdt", "import-crdt --update", "cleanup-legacy", "merge-conflicts", "restore-backup",
  ]

  private func arguments(_ writer: String, _ folder: SmallFolder, backup: String) -> [String] {
    switch writer {
    case "cleanup-legacy": [folder.path, "--apply", "--backup", backup]
    case "restore-backup": [backup, "--into", folder.path]
    case "import-crdt --update": [folder.path, "--update"]
    default: [folder.path]
    }
  }

  /// Gives a writer something to do.
  private func prepare(_ writer: String, _ folder: SmallFolder) throws {
    guard writer == "cleanup-legacy" || writer == "merge-conflicts" else { return }
    #expect(try run("import-crdt", folder.path).status == 0)
    guard writer == "merge-conflicts" else { return }
    try FileManager.default.copyItem(
      at: folder.file("records/2024/01.automerge"),
      to: folder.file("records/2024/01 (conflicted copy 2024-05-01).automerge"))
  }

  private func start(
    _ writer: String, _ folder: SmallFolder, backup: String, timeout: Int
  ) throws -> RunningCommand {
    let name = String(writer.prefix { $0 != " " })
    return try RunningCommand(
      BuiltCommands.directory.appending(path: name),
      arguments(writer, folder, backup: backup) + ["--lock-timeout", "\(timeout)"])
  }

  @Test(arguments: writers)
  func `a writer that does not get the lock in time changes nothing and says so`(
    _ writer: String
  ) throws {
    let folder = try SmallFolder()
    try prepare(writer, folder)
    let backup = try folder.backup()
    let lock = try FolderLockHolder(folder.url)
    let before = try folder.snapshot().filter { !$0.key.hasPrefix(".") }
    let run = try start(writer, folder, backup: backup, timeout: 0).wait()
    #expect(run.status == 75, "\(run.errors)")
    #expect(run.errors.contains(FolderLockHolder.name))
    #expect(try folder.snapshot().filter { !$0.key.hasPrefix(".") } == before)
    withExtendedLifetime(lock) {}
  }

  @Test(arguments: writers)
  func `a writer waits for whoever holds the lock`(_ writer: String) throws {
    let folder = try SmallFolder()
    try prepare(writer, folder)
    let backup = try folder.backup()
    var lock: FolderLockHolder? = try FolderLockHolder(folder.url)
    let command = try start(writer, folder, backup: backup, timeout: 60)
    #if os(Linux)
      try command.waitUntilListening(to: SIGTERM)
    #endif
    #expect(command.isRunning)
    withExtendedLifetime(lock) {}
    lock = nil
    let run = try command.wait()
    #expect(run.status == 0, "\(run.errors)")
  }

  #if os(Linux)
    @Test func `a writer that waits says for whom and how long`() throws {
      let folder = try SmallFolder()
      let lock = try FolderLockHolder(folder.url)
      let wait = ["--lock-timeout", "1"]
      let told = try run("import-crdt", [folder.path] + wait)
      let holder = "(process \(ProcessInfo.processInfo.processIdentifier))"
      #expect(told.status == 75)
      let lines = told.errors.split(separator: "\n")
      #expect(lines.count == 3, "\(told.errors)")
      #expect(lines.first?.contains(FolderLockHolder.name + ": locked by ") ?? false)
      #expect(lines.first?.hasSuffix("\(holder); waiting for it, 1 second at most") ?? false)
      #expect(lines.dropFirst().first?.hasSuffix("\(holder) for 1 second") ?? false)
      // Who wants to hear of errors only is told in the error.
      let quiet = try run("import-crdt", [folder.path, "--quiet"] + wait)
      #expect(quiet.errors.split(separator: "\n") == Array(lines.dropFirst()))
      // No prose stands between lines of JSON.
      let json = try run("import-crdt", [folder.path, "--json"] + wait)
      #expect(json.errors == told.errors)
      withExtendedLifetime(lock) {}
    }
  #endif

  @Test func `readers neither wait nor leave a lock behind`() throws {
    let folder = try SmallFolder()
    #expect(try run("export-json", folder.path).status == 0)
    #expect(!folder.exists(FolderLockHolder.name))
    #expect(try run("import-crdt", folder.path).status == 0)
    let lock = try FolderLockHolder(folder.url)
    #expect(try run("verify-counts", folder.path).status == 0)
    #expect(try run("export-json", folder.path).status == 0)
    #expect(try run("pack-backup", folder.path).status == 0)
    withExtendedLifetime(lock) {}
  }

  @Test func `commands that start at once all come to an end`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    let commands = try (0..<4).map { number in
      try start(
        number.isMultiple(of: 2) ? "import-crdt" : "restore-backup", folder, backup: backup,
        timeout: 60)
    }
    for command in commands {
      let run = try command.wait()
      #expect(run.status == 0, "\(run.output) \(run.errors)")
    }
    #expect(try run("import-crdt", folder.path).status == 0)
    #expect(try run("verify-counts", folder.path).status == 0)
  }
}
