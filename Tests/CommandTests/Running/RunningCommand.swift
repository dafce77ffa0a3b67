import Foundation

/// A command that runs; its streams go to files, so that nothing it says can block it.
final class RunningCommand {
  private let process = Process()
  private let place: TemporaryDirectory
  private let pipe = Pipe()

  /// A shell lets what it starts in the background ignore these, and a command would inherit that.
  private static let usualSignals: Void = {
    signal(SIGINT, SIG_DFL)
    signal(SIGQUIT, SIG_DFL)
  }()

  init(_ executable: URL, _ arguments: [String], in directory: URL? = nil) throws {
    Self.usualSignals
    place = try TemporaryDirectory()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = directory
    // A fixed surrounding: no colour, no columns, no locale of the machine.
    process.environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "HOME": place.url.path, "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no",
    ]
    process.standardInput = pipe
    process.standardOutput = try file("output")
    process.standardError = try file("errors")
    // The threads tests run on block signals, and a command inherits that.
    var none = sigset_t()
    var before = sigset_t()
    // SAFETY: the sets live in this frame, and the calls keep no pointer to them.
    _ = unsafe sigemptyset(&none)
    // SAFETY: as above.
    _ = unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    // SAFETY: as above.
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  /// Where the command's standard input comes from.
  var input: FileHandle { pipe.fileHandleForWriting }

  var processIdentifier: Int32 { process.processIdentifier }

  var isRunning: Bool { process.isRunning }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Sends a signal to the command and to all that it runs: each command leads a process group.
  func sendToAll(_ signal: Int32) { kill(-process.processIdentifier, signal) }

  /// What the command has said on standard output.
  func outputSoFar() throws -> String { try text("output") }

  /// What the command has said on standard error.
  func errorsSoFar() throws -> String { try text("errors") }

  func wait() throws -> CommandRun {
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return CommandRun(
      status: isSignal ? 128 + process.terminationStatus : process.terminationStatus,
      signal: isSignal ? process.terminationStatus : nil,
      output: try text("output"), errors: try text("errors"))
  }

  #if os(Linux)
    /// Waits until the command has a handler for a signal of its own.
    func waitUntilListening(to signal: Int32) throws {
      try RunningProcess(processIdentifier: processIdentifier).waitUntilListening(to: signal)
    }

    /// The first process of this name below the command; waits for it, nil if there is none any
    /// more.
    func descendant(named name: String) throws -> RunningProcess? {
      while process.isRunning {
        var found = RunningProcess(processIdentifier: processIdentifier).children
        while let next = found.popLast() {
          if next.name == name { return next }
          found += next.children
        }
        usleep(2_000)
      }
      return nil
    }
  #endif

  private func file(_ name: String) throws -> FileHandle {
    let url = place.url.appending(path: name)
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: place.url.appending(path: name)), as: UTF8.self)
  }
}
