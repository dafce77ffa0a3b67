import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SIGINT and SIGTERM, and whatever else a command asks for: the first asks for a stop between items, a second one stops at once.
package enum Interruption {
  /// The signal that a terminal sends when it goes.
  package static let hangUp = SIGHUP

  private static let received = Atomic<Int32>(0)

  /// Whether somebody asked for a stop.
  package static var isRequested: Bool { received.load(ordering: .relaxed) != 0 }

  /// Starts listening. A signal the caller had ignored (`nohup`, a background job) stays ignored.
  ///
  /// - Parameter others: signals besides, for a command that has to end others.
  package static func listen(to others: [Int32] = []) {
    // The first touch initialises the global, which a signal handler must not do.
    _ = isRequested
    for signal in [SIGINT, SIGTERM] + others {
      var current = sigaction()
      // SAFETY: both calls get pointers to structures of this frame; the handler only stores to a
      // lock-free atomic and calls signal(), which is async-signal-safe.
      guard unsafe sigaction(signal, nil, &current) == 0 else { continue }
      if isIgnored(current) { continue }
      var action = sigaction()
      setHandler(&action)
      // No SA_RESTART: a blocked read or lock returns, and the command notices.
      _ = unsafe sigaction(signal, &action, nil)
    }
  }

  /// Dies by the signal that asked for the stop, so that the caller sees what happened.
  package static func dieBySignal() -> Never {
    let number = received.load(ordering: .relaxed)
    signal(number, SIG_DFL)
    raise(number)
    // Only reached if the signal is blocked; the shell's convention says the same.
    exit(128 + number)
  }

  private static let handler: @convention(c) (Int32) -> Void = { number in
    received.store(number, ordering: .relaxed)
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
    signal(SIGHUP, SIG_DFL)
  }

  private static func setHandler(_ action: inout sigaction) {
    #if canImport(Glibc)
      // SAFETY: the union's handler member is the one read when SA_SIGINFO is not set.
      unsafe action.__sigaction_handler.sa_handler = handler
    #else
      // SAFETY: the union's handler member is the one read when SA_SIGINFO is not set.
      unsafe action.__sigaction_u.__sa_handler = handler
    #endif
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
      // SAFETY: SIG_IGN is a marker value that is compared, never called.
      unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    #else
      // SAFETY: SIG_IGN is a marker value that is compared, never called.
      unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
    #endif
  }
}
