import ArgumentParser

/// A length of time as it is written on a command line: `30d`, `12h`, `90m`, `45s`.
package struct Age: ExpressibleByArgument, Hashable, Sendable {
  /// The length in seconds.
  package let seconds: Int

  /// Creates an age from its text; nil if it is none.
  package init?(argument: String) {
    let units: [Character: Int] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]
    guard let unit = argument.last.flatMap({ units[$0] }),
      let count = Int(argument.dropLast()), count >= 0
    else { return nil }
    let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    self.seconds = seconds
  }
}
