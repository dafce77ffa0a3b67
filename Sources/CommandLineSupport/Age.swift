import ArgumentParser
import Diagnostics
import Folders

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

  /// How long ago a moment of a report was at another one, in seconds since 1970: `3 days`,
  /// `2 hours`, `just now`; empty if the text is no moment.
  static func text(of moment: String, at now: Int) -> String {
    guard let moment = RFC3339(moment) else { return "" }
    let age = now - Int(moment.milliseconds / 1000)
    if age < 60 { return age < 0 ? "in the future" : "just now" }
    if age < 3_600 { return (age / 60).counted("minute") }
    if age < 86_400 { return (age / 3_600).counted("hour") }
    return (age / 86_400).counted("day")
  }
}
