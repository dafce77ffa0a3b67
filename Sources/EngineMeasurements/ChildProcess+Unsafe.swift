#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process of its own that was run to its end.
struct ChildProcess {
  /// Its processor time.
  let milliseconds: Double
  /// Its greatest resident size.
  ///
  /// On Linux a process starts with the peak of the one that started it, so that this is true only
  /// as long as ours is smaller.
  let peakByteCount: Int

  /// Runs a program, found on the path unless its name has a slash, without its standard output.
  ///
  /// - Parameter mayRefuse: whether to end with another status than 0 is an answer, whose words
  ///   nobody has to see.
  init(
    running program: String, _ arguments: [String], mayRefuse: Bool = false
  ) throws(MeasurementError) {
    // SAFETY: the actions are initialised here, used by the spawn below, and destroyed once.
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    if mayRefuse {
      // SAFETY: as above.
      unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }

    // SAFETY: the copies end with the array's nil and are freed after the last use of them.
    var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawnp(&process, program, &actions, nil, &words, environ)
    guard code == 0 else { throw .notRun(program, code) }

    var status: Int32 = 0
    var usage = rusage()
    // SAFETY: both are in this frame and of the types the call fills.
    while unsafe wait4(process, &status, 0, &usage) == -1 {
      guard errno == EINTR else { throw .notRun(program, errno) }
    }
    // The low bits are the signal that ended it.
    guard status == 0 || (mayRefuse && status & 0x7f == 0) else { throw .failed(program, status) }
    milliseconds = Self.milliseconds(usage.ru_utime) + Self.milliseconds(usage.ru_stime)
    #if canImport(Darwin)
      peakByteCount = usage.ru_maxrss
    #else
      peakByteCount = usage.ru_maxrss << 10
    #endif
  }

  private static func milliseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
  }

  /// The path of the program that runs.
  static var ownPath: String {
    #if canImport(Darwin)
      // SAFETY: the name of image 0 is the program's and stays valid; it is copied at once.
      unsafe _dyld_get_image_name(0).map { unsafe String(cString: $0) } ?? ""
    #else
      "/proc/self/exe"
    #endif
  }
}
