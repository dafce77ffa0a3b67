#if canImport(Glibc)
  import CLinux
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The few system calls the command layer makes itself: descriptors 0 to 2, the terminal, the environment.
enum SystemCalls {
  /// What became of one write.
  enum WriteResult {
    case wrote(Int)
    case interrupted
    case failed(Int32)
  }

  /// What an `errno` of a write means to a person.
  enum WriteFailure {
    case readerClosed
    case noSpace
    case other
  }

  /// Writes `bytes` from `position` on, as much as one call takes.
  static func write(_ bytes: [UInt8], from position: Int, to descriptor: Int32) -> WriteResult {
    // SAFETY: the pointer is used inside the closure only, and the range checked by the slice lies
    // inside the array.
    let count = unsafe bytes[position...].withUnsafeBytes { buffer in
      unsafe systemWrite(descriptor, buffer.baseAddress, buffer.count)
    }
    if count >= 0 { return .wrote(count) }
    return errno == EINTR ? .interrupted : .failed(errno)
  }

  /// Closes a descriptor; returns the `errno` if the system reports an error.
  static func close(_ descriptor: Int32) -> Int32? {
    systemClose(descriptor) == 0 ? nil : errno
  }

  /// Returns what an `errno` of a write means.
  static func meaning(of code: Int32) -> WriteFailure {
    switch code {
    case EPIPE: .readerClosed
    case ENOSPC, EDQUOT, EFBIG: .noSpace
    default: .other
    }
  }

  /// Returns the system's words for an `errno`, in lower case at the start as all messages are.
  static func message(for code: Int32) -> String {
    // SAFETY: strerror returns a terminated string that stays valid until the next call, and it is
    // copied at once; the command layer runs on one thread.
    let text = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// Whether a descriptor is a terminal.
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Returns the width of a terminal, or nil if the descriptor is none.
  static func terminalWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    // SAFETY: TIOCGWINSZ fills exactly one winsize, which lives in this frame.
    let status = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    return status == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// What the system calls itself, its release and its machine.
  static var systemName: String {
    var names = utsname()
    // SAFETY: uname fills exactly one utsname, which lives in this frame.
    guard unsafe uname(&names) == 0 else { return "an unknown system" }
    return [text(of: names.sysname), text(of: names.release), text(of: names.machine)]
      .joined(separator: " ")
  }

  /// The text of a field of fixed length, which ends at its first zero.
  private static func text<Field>(of field: Field) -> String {
    // SAFETY: the bytes are those of the value, which lives as long as the closure runs.
    unsafe withUnsafeBytes(of: field) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The seconds since 1970 now.
  static var secondsSince1970: Int { time(nil) }

  /// Has freed buffers of two megabytes and more go back to the system at once.
  ///
  /// glibc otherwise raises its own threshold with the first large buffer that is freed, and keeps
  /// what the two workers of a run free: 91 MB instead of 60 at the peak for 100,000 records, at the
  /// same speed. Sixteen megabytes of smaller ones may stay, as many as the documents of two workers take:
  /// giving them back after each, to ask for them again with the next, took an eighth of the time of a
  /// verification.
  static func returnLargeBuffers() {
    #if canImport(Glibc)
      _ = mallopt(M_MMAP_THRESHOLD, 2 << 20)
      _ = mallopt(M_TRIM_THRESHOLD, 16 << 20)
      _ = mallopt(M_TOP_PAD, 256 << 10)
    #endif
  }

  /// The first argument of the command that is not valid UTF-8, nil if all are text.
  static var argumentThatIsNoText: [UInt8]? {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      // SAFETY: the system hands over `argc` terminated strings; nothing in this program changes them.
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
      // SAFETY: as above; the string is copied.
      let bytes = unsafe [UInt8](
        UnsafeBufferPointer(
          start: UnsafeRawPointer(argument).assumingMemoryBound(to: UInt8.self),
          count: strlen(argument)))
      if String(validating: bytes, as: UTF8.self) == nil { return bytes }
    }
    return nil
  }

  /// Has a write above the limit of `ulimit -f`, or to a pipe that nobody reads any more, fail where it
  /// would otherwise kill the command: what it is doing to the folder is done to its end.
  static func reportFailingWrites() {
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Has whatever this process and those it starts make be open to nobody whom these permissions leave
  /// out.
  static func keepPrivate(as mode: UInt16) {
    let old = umask(0)
    umask(old | (mode_t(~mode) & 0o077))
  }

  /// How many processors this process may run on, at least 1: those it is bound to, as by `taskset`, by
  /// the processor set of a container or by a batch system; else all that are online.
  static var processorCount: Int {
    #if os(Linux)
      // A bit for each of 8,192 processors; where the system knows of more, the call fails.
      var allowed = [UInt64](repeating: 0, count: 128)
      // SAFETY: the call writes at most as many bytes as it is told, which are those of the array.
      let isKnown = unsafe sched_getaffinity(0, UInt(8 * allowed.count), &allowed) == 0
      let count = allowed.reduce(0) { $0 + $1.nonzeroBitCount }
      if isKnown && count > 0 { return count }
    #endif
    return max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  }

  /// Has a descriptor lead to where another one does; returns where it led, to be put back, or nil.
  static func redirect(_ descriptor: Int32, to target: Int32) -> Int32? {
    let before = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard before >= 0 else { return nil }
    return dup2(target, descriptor) >= 0 ? before : nil
  }

  /// Puts back where a descriptor led.
  static func restore(_ descriptor: Int32, to before: Int32) {
    _ = dup2(before, descriptor)
    _ = systemClose(before)
  }

  /// The name of this machine; empty if it has none.
  static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    // SAFETY: the call writes at most as many bytes as it is told, and the last stays zero.
    guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The file that holds this program; nil if the system does not say.
  static var programPath: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    #if canImport(Glibc)
      // SAFETY: the call writes at most as many bytes as it is told, and the last stays zero.
      guard unsafe readlink("/proc/self/exe", &bytes, bytes.count - 1) > 0 else { return nil }
    #else
      var size = UInt32(bytes.count - 1)
      // SAFETY: the call writes at most as many bytes as it is told, and the last stays zero.
      guard unsafe _NSGetExecutablePath(&bytes, &size) == 0 else { return nil }
    #endif
    return String(validating: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns an environment variable's value.
  static func environment(_ name: String) -> String? {
    // SAFETY: getenv returns nil or a terminated string; nothing in this program changes the
    // environment.
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// Opens something on each of descriptors 0 to 2 the caller closed, in the direction that fails:
  /// reading from a missing input or writing to a missing output must be an error, not a success.
  static func fillClosedStandardDescriptors() {
    for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is the one just found closed.
      // SAFETY: the path is a constant string, valid for the call.
      _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

// SAFETY: names for the C functions, whose own names the methods above hide; nothing is called here.
private let systemClose = close
private let systemWrite = unsafe write
