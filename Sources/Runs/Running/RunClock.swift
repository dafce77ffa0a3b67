package import SafeFiles

/// How long a run takes, and when it began.
package struct RunClock {

  package init() {
  }
  /// When the run began, for the history.
  package let begin = WallClock.now()
  private let start = ContinuousClock.now

  /// Seconds since the run began.
  package var seconds: Double {
    let elapsed = ContinuousClock.now - start
    let (seconds, attoseconds) = elapsed.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
