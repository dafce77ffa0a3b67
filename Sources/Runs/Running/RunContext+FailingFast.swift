package import Diagnostics

extension RunContext {
  /// Whether an item that ended with these findings ends the run.
  package func endsBatch(after findings: some Sequence<Finding>) -> Bool {
    failsFast && findings.contains { $0.severity == .error }
  }
}

extension Finding {
  /// Tells that a run ended at its first error.
  ///
  /// - Parameter items: what was not looked at, such as `3 of 12 groups were`.
  package static func stopped(leaving items: String = "the rest was") -> Finding {
    Finding(
      .notLookedAt, .warning,
      message: "ended at the first error, as --fail-fast asks; \(items) "
        + "not looked at",
      next: "settle the error, then run again, or run without --fail-fast")
  }
}

extension Int {
  /// What is left of some items, with its verb: `3 of 12 groups were`, `1 of 1 group was`.
  package func counted(of count: Int, _ item: String) -> String {
    "\(grouped) of \(count.counted(item)) \(self == 1 ? "was" : "were")"
  }
}
