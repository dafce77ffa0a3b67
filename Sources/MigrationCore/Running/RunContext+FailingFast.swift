import Diagnostics

extension RunContext {
  /// Whether an item that ended with these findings ends the run.
  func endsBatch(after findings: some Sequence<Finding>) -> Bool {
    failsFast && findings.contains { $0.severity == .error }
  }
}

extension Finding {
  /// Tells that a run ended at its first error.
  ///
  /// - Parameter rest: what was not looked at, such as `3 of 12 groups were`.
  static func stopped(leaving rest: String = "the rest was") -> Finding {
    Finding(
      .notLookedAt, .warning,
      message: "ended at the first error, as --fail-fast asks; \(rest) "
        + "not looked at",
      next: "settle the error, then run again, or run without --fail-fast")
  }
}
