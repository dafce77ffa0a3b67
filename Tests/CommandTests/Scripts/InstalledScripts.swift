import Foundation

/// The commands side by side, nearly as `bin/install` leaves them, and that script.
struct InstalledScripts {
  private let place: TemporaryDirectory

  /// Where they are.
  let directory: URL

  /// - Parameter name: the directory that they are in, below one of their own; nil if that is the one.
  init(below name: String? = nil) throws {
    place = try TemporaryDirectory()
    directory = name.map { [place] in place.url.appending(path: $0) } ?? place.url
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let scripts = BuiltCommands.packageRoot.appending(path: "bin")
    for name in ["install", "package", "slurm-node", "toolchain.sh", "tree.sh"] {
      try FileManager.default.copyItem(
        at: scripts.appending(path: name), to: directory.appending(path: name))
    }
    for name in BuiltCommands.names + [BuiltCommands.program, "generate-manual"] {
      try FileManager.default.createSymbolicLink(
        at: directory.appending(path: name),
        withDestinationURL: BuiltCommands.directory.appending(path: name))
    }
  }

  /// The commands in `bin` of what looks like a clone.
  static func inClone() throws -> InstalledScripts {
    let scripts = try InstalledScripts(below: "bin")
    try scripts.share(["README.md", "Sources", "fixtures", "plans"])
    return scripts
  }

  /// The commands and `demo` beside them, and what it takes from the clone.
  static func withDemo(sharing names: [String] = []) throws -> InstalledScripts {
    let scripts = try InstalledScripts(below: "bin")
    try FileManager.default.copyItem(
      at: BuiltCommands.packageRoot.appending(path: "bin/demo"),
      to: scripts.directory.appending(path: "demo"))
    try scripts.share(names)
    return scripts
  }

  /// Links what is in the clone to beside the directory of the commands.
  private func share(_ names: [String]) throws {
    for name in names {
      try FileManager.default.createSymbolicLink(
        at: directory.deletingLastPathComponent().appending(path: name),
        withDestinationURL: BuiltCommands.packageRoot.appending(path: name))
    }
  }

  func run(_ script: String, _ arguments: String..., in directory: URL? = nil) throws -> CommandRun
  {
    try run(script, arguments, in: directory)
  }

  func run(_ script: String, _ arguments: [String], in directory: URL? = nil) throws -> CommandRun {
    try CommandTests.run(
      self.directory.appending(path: script), arguments, input: nil, in: directory)
  }

  /// Runs a line that a script printed, as somebody pastes it into a shell.
  func runLine(_ line: String) throws -> CommandRun {
    let path = directory.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
    return try CommandTests.run(
      URL(filePath: "/usr/bin/env"), ["PATH=\(path)", "/bin/sh", "-c", line], input: nil)
  }

  /// Runs a script with both streams in one, as somebody at a terminal sees them.
  func runAsSeen(
    _ script: String, _ arguments: String..., in directory: URL
  ) throws -> CommandRun {
    try runAsSeen(script, arguments, in: directory)
  }

  func runAsSeen(
    _ script: String, _ arguments: [String], in directory: URL
  ) throws -> CommandRun {
    let path = self.directory.appending(path: script).path
    return try CommandTests.run(
      URL(filePath: "/bin/sh"), ["-c", #""$0" "$@" 2>&1"#, path] + arguments, input: nil,
      in: directory)
  }

  /// Replaces a command by a script that calls it and then does something else.
  func replace(_ command: String, with script: String) throws {
    let path = directory.appending(path: command)
    try FileManager.default.removeItem(at: path)
    let real = BuiltCommands.directory.appending(path: command).path
    try Data("#!/bin/sh\nreal='\(real)'\n\(script)\n".utf8).write(to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.path)
  }
}
