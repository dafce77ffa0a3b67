package import Diagnostics
import Runs

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A command of the toolkit that this one starts: it lies beside it, or else on the path.
package struct SiblingCommand {
  /// Where what it prints on standard output goes.
  package enum Output {
    /// To our standard output.
    case shown
    /// To our standard error, because standard output is for scripts.
    case talk
    /// To the caller.
    case collected
  }

  /// What became of it.
  package struct Ending {
    /// The status it ended with.
    package var status: ExitStatus
    /// What it printed, if that was collected.
    package var output: [UInt8]
  }

  private let command: NextCommand

  /// Names a command; nothing is started yet.
  package init(_ command: NextCommand) {
    self.command = command
  }

  /// Runs it to its end. A signal that asks us to stop is passed on as SIGTERM; then this waits for the
  /// end all the same, and throws `interrupted`.
  ///
  /// Whoever kills us leaves the command to end by itself: what it does stays whole.
  package func run(_ output: Output = .shown) throws -> Ending {
    var pipe: [Int32] = [-1, -1]
    if output == .collected {
      // SAFETY: the array has room for the two numbers.
      guard unsafe systemPipe(&pipe) == 0 else { throw failure(errno) }
      for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    defer { for end in pipe where end >= 0 { _ = SystemCalls.close(end) } }
    let process: pid_t
    do { process = try start(output, pipe[1]) } catch {
      throw error
    }
    if pipe[1] >= 0 {
      _ = SystemCalls.close(pipe[1])
      pipe[1] = -1
    }
    var collected: [UInt8] = []
    let end = try wait(for: process, reading: pipe[0], into: &collected)
    if Interruption.isRequested { throw MigrationError.interrupted }
    return Ending(status: try status(of: end), output: collected)
  }

  // MARK: Starting

  private func start(_ output: Output, _ pipe: Int32) throws -> pid_t {
    // SAFETY: both are initialised here, used by the spawn below, and destroyed once.
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    // SAFETY: as above.
    unsafe posix_spawn_file_actions_init(&actions)
    defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
    // SAFETY: as above.
    unsafe posix_spawnattr_init(&attributes)
    defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
    switch output {
    case .shown: break
    // SAFETY: as above.
    case .talk: unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1)
    // SAFETY: as above.
    case .collected: unsafe posix_spawn_file_actions_adddup2(&actions, pipe, 1)
    }
    // What we ignore ourselves it would inherit.
    var defaults = sigset_t()
    // SAFETY: the set lives in this frame, as the attributes do.
    unsafe sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGXFSZ] {
      // SAFETY: as above.
      unsafe sigaddset(&defaults, signal)
    }
    // SAFETY: as above.
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    // SAFETY: as above.
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    // SAFETY: the copies end with the array's nil and are freed after the last use of them.
    var words = unsafe command.words.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var process: pid_t = 0
    var code = ENOENT
    for program in Self.paths(of: command.name.rawValue) where code == ENOENT {
      // SAFETY: all that is pointed to lives until the call returns.
      code = unsafe posix_spawnp(&process, program, &actions, &attributes, &words, environ)
    }
    guard code == 0 else { throw failure(code) }
    return process
  }

  /// Where the command is looked for: beside the name we were called by, which may be a link, beside
  /// the program itself, and on the path.
  private static func paths(of name: String) -> [String] {
    let called = CommandLine.arguments.first ?? ""
    let places = [called, SystemCalls.ownProgram].compactMap { path in
      path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) }
    }
    return places.map { $0 + name } + [name]
  }

  // MARK: Waiting

  /// How long a look for the end waits, in milliseconds.
  private static let patience: Int32 = 10

  private func wait(
    for process: pid_t, reading pipe: Int32, into collected: inout [UInt8]
  ) throws -> Int32 {
    var isTold = false
    var end: Int32 = 0
    while true {
      if Interruption.isRequested, !isTold {
        kill(process, SIGTERM)
        isTold = true
      }
      Self.read(pipe, waiting: Self.patience, into: &collected)
      // SAFETY: the status lives in this frame.
      let ended = unsafe waitpid(process, &end, WNOHANG)
      if ended == process { break }
      guard ended == 0 || errno == EINTR else { throw failure(errno) }
    }
    // Whatever it started itself may keep the pipe open; what it said is there.
    while Self.read(pipe, waiting: 0, into: &collected) {}
    return end
  }

  /// Reads what is there once there is something, and waits so long for it; false if nothing came.
  /// Without a pipe this only waits. A signal ends the waiting.
  @discardableResult
  private static func read(
    _ pipe: Int32, waiting milliseconds: Int32, into collected: inout [UInt8]
  ) -> Bool {
    var waiting = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    // SAFETY: the one structure lives in this frame.
    guard unsafe poll(&waiting, 1, milliseconds) > 0 else { return false }
    guard waiting.revents & Int16(POLLIN) != 0 else {
      // The other end is closed; its process ends in a moment.
      _ = poll(nil, 0, milliseconds)
      return false
    }
    var block = [UInt8](repeating: 0, count: 1 << 12)
    // SAFETY: no more is read than the block has room for.
    let count = unsafe block.withUnsafeMutableBytes { buffer in
      unsafe systemRead(pipe, buffer.baseAddress, buffer.count)
    }
    collected += block.prefix(max(0, count))
    return count > 0
  }

  private func status(of end: Int32) throws -> ExitStatus {
    let signal = end & 0x7f
    guard signal == 0 else {
      throw MigrationError.underlying(
        Diagnostic(
          .systemCallFailed, subject: command.name.rawValue,
          problem: "was ended by signal \(signal)",
          remedy: "run the same command again; what was done stays done"))
    }
    return ExitStatus(rawValue: end >> 8 & 0xff) ?? .internalError
  }

  private func failure(_ code: Int32) -> MigrationError {
    .underlying(
      Diagnostic(
        code == ENOENT ? .featureAbsent : .systemCallFailed, subject: command.name.rawValue,
        problem: "could not be run: \(SystemCalls.message(for: code))",
        remedy: "install the commands side by side with bin/install"))
  }
}

// SAFETY: names for the C functions, whose own names the methods above hide; nothing is called here.
private let systemRead = unsafe read
private let systemPipe = unsafe pipe
