#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Waiting for somebody else, a little longer each time, until time is up.
package struct Patience {
  private let deadline: ContinuousClock.Instant
  private var pauseMicroseconds: UInt32 = 500

  /// Begins to count.
  package init(seconds: Double) {
    deadline = ContinuousClock.now + .seconds(max(0, seconds))
  }

  /// Waits a little; returns false, at once, if time is up.
  package mutating func wait() -> Bool {
    guard ContinuousClock.now < deadline else { return false }
    usleep(pauseMicroseconds)
    pauseMicroseconds = min(pauseMicroseconds * 2, 50_000)
    return true
  }
}
