import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells the other side now and then that this one is at work, while it has nothing else to say: who
/// reads a large folder, or waits for a lock, has not gone.
///
/// Between two frames workers may call it at the same time.
final class Pulse: Sendable {
  private let output: Int32
  private let interval: Duration
  private let latest: Mutex<ContinuousClock.Instant>

  /// - Parameters:
  ///   - output: where frames go.
  ///   - silenceSeconds: how long nothing may move.
  init(on output: Int32, silenceSeconds: Int) {
    self.output = output
    interval = min(.seconds(5), .milliseconds(250 * max(1, silenceSeconds)))
    latest = Mutex(.now)
  }

  /// Sends a word if it is time for one and the other side takes it without being waited for. If it does
  /// not, whoever sends the next frame finds out why.
  func beat(at now: ContinuousClock.Instant = .now) {
    latest.withLock { latest in
      guard now - latest >= interval else { return }
      latest = now
      var events = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
      // SAFETY: the call gets one structure, of this frame.
      guard unsafe poll(&events, 1, 0) == 1, events.revents == Int16(POLLOUT) else { return }
      // SAFETY: the array outlives the call, which reads no more than it holds.
      _ = unsafe Self.word.withUnsafeBytes { unsafe write(output, $0.baseAddress, $0.count) }
    }
  }

  /// A frame without a payload.
  private static let word: [UInt8] = [Frame.Kind.working.rawValue, 0, 0, 0, 0]
}
