package import SafeFiles

#if canImport(Glibc)
  import CLinux
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Another program at work, whose standard output is read here.
package final class ChildProcess {
  /// How a program ended.
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
  }

  /// Where its standard input comes from.
  package enum Input {
    /// An open descriptor.
    case descriptor(Int32)
    /// A pipe, to which `input` leads.
    case pipe
  }

  /// A pipe that is read until every process that writes to it has gone.
  package let output: FileReader
  /// The descriptor to write to for it; nil if something else is its input, or once that is closed.
  package private(set) var input: Int32?

  private let number: pid_t
  private var isTerminated = false
  /// Milliseconds after which somebody is asked whether to go on: a signal may come before the wait.
  private static let patience: Int32 = 500

  private init(number: pid_t, input: Int32?, output: FileReader) {
    self.number = number
    self.input = input
    self.output = output
  }

  deinit { closeInput() }

  /// Has it read the end of its input.
  package func closeInput() {
    if let input { close(input) }
    input = nil
  }

  /// Starts the program of the first word, looked for as a shell does; its standard error is ours.
  ///
  /// Returns nil if there is no such program.
  package static func start(
    _ words: [String], input: Input
  ) throws(MigrationError) -> ChildProcess? {
    let pipe = try makePipe()
    let output = FileReader(owning: pipe.end, path: "output of \(words.first ?? "")")
    defer { close(pipe.start) }
    var (own, theirs): (Int32?, Int32)
    switch input {
    case .descriptor(let descriptor): (own, theirs) = (nil, descriptor)
    case .pipe:
      let pipe = try makePipe()
      (own, theirs) = (pipe.start, pipe.end)
    }
    var number: pid_t = 0
    let code = spawn(words, input: theirs, output: pipe.start, number: &number)
    if own != nil { close(theirs) }
    let process = ChildProcess(number: number, input: own, output: output)
    if code == ENOENT { return nil }
    guard code == 0 else { throw failure(words.first ?? "", code) }
    return process
  }

  /// Hands over everything it says, as it comes; it is asked to end as soon as `isInterrupted` answers
  /// true.
  package func read(
    isInterrupted: () -> Bool, _ body: (ArraySlice<UInt8>) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      waitForOutput(isInterrupted: isInterrupted)
      let count: Int
      do {
        count = try output.readSome(into: &buffer, at: 0..<buffer.count)
      } catch {
        throw MigrationError(error)
      }
      if count == 0 { return }
      try body(buffer[..<count])
    }
  }

  /// Waits until there is output, or its end.
  private func waitForOutput(isInterrupted: () -> Bool) {
    while true {
      if isInterrupted(), !isTerminated {
        isTerminated = true
        kill(number, SIGTERM)
      }
      var events = pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0)
      // SAFETY: the call gets one structure, of this frame.
      let count = unsafe poll(&events, 1, Self.patience)
      // A signal ends the call; who sent it is asked above.
      if count > 0 || count < 0 && errno != EINTR { return }
    }
  }

  /// Reads everything it says; see `read(isInterrupted:_:)`.
  package func readAll(isInterrupted: () -> Bool) throws(MigrationError) -> [UInt8] {
    var bytes: [UInt8] = []
    try read(isInterrupted: isInterrupted) { bytes += $0 }
    return bytes
  }

  /// Has it end, whatever it still had to say, and waits for that.
  package func abandon() {
    kill(number, SIGTERM)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    // What it says matters no more; a pipe that cannot be read is at its end.
    while let count = try? output.readSome(into: &buffer, at: 0..<buffer.count), count > 0 {}
    _ = wait()
  }

  /// Waits for its end, once nothing more is to be read of it; one that goes on all the same is asked to
  /// end.
  package func end(patienceSeconds: Double = 5) -> Ending {
    for signal in [SIGTERM, SIGKILL] {
      var patience = Patience(seconds: patienceSeconds)
      var status: Int32 = 0
      repeat {
        // SAFETY: the call fills the number.
        if unsafe waitpid(number, &status, WNOHANG) != 0 { return Self.ending(status) }
      } while patience.wait()
      kill(number, signal)
    }
    return wait()
  }

  /// Waits for its end.
  package func wait() -> Ending {
    var status: Int32 = 0
    // SAFETY: the call fills the number; it is interrupted by signals, which others look at.
    while unsafe waitpid(number, &status, 0) < 0, errno == EINTR {}
    return Self.ending(status)
  }

  private static func ending(_ status: Int32) -> Ending {
    let signal = status & 0x7f
    return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
  }

  private static func failure(_ subject: String, _ number: Int32) -> MigrationError {
    MigrationError(FileError.system(path: subject, action: .open, number: number))
  }

  private static func spawn(
    _ words: [String], input: Int32, output: Int32, number: inout pid_t
  ) -> Int32 {
    // SAFETY: each structure is made here, handed to the calls that fill it, and destroyed at the end.
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    var defaults = sigset_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    // What we ignore, other programs would ignore, too, and never end when nobody reads them.
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe sigaddset(&defaults, SIGXFSZ)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let arguments = unsafe words.map { unsafe strdup($0) }
    defer { unsafe arguments.forEach { unsafe free($0) } }
    return unsafe posix_spawnp(
      &number, words.first ?? "", &actions, &attributes, arguments + [nil], environment)
  }

  private static var environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    #if canImport(Glibc)
      // SAFETY: nothing in this program changes the environment.
      return unsafe currentEnvironment()
    #else
      // SAFETY: nothing in this program changes the environment.
      return unsafe _NSGetEnviron().pointee
    #endif
  }

  /// Makes a pipe that no other program inherits: what is written to its start is read at its end.
  private static func makePipe() throws(MigrationError) -> (start: Int32, end: Int32) {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call fills the two numbers of the array.
    guard unsafe makePipe(&ends) == 0 else { throw failure("a pipe", errno) }
    return (ends[1], ends[0])
  }

  private static func makePipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 {
    #if canImport(Glibc)
      // SAFETY: the caller gives room for two numbers.
      return unsafe pipe2(ends, O_CLOEXEC)
    #else
      // SAFETY: the caller gives room for two numbers.
      let result = unsafe Darwin.pipe(ends)
      for index in 0...1 where result == 0 { _ = unsafe fcntl(ends[index], F_SETFD, FD_CLOEXEC) }
      return result
    #endif
  }
}
