package import ArgumentParser
package import MigrationCore

extension LayoutChoice: ExpressibleByArgument {}
extension HistoryChoice: ExpressibleByArgument {}
extension NumericDateChoice: ExpressibleByArgument {}

/// The option of every command that reads legacy files.
package struct NumericDatesOption: ParsableArguments {
  /// What a date that is written as a number counts.
  @Option(
    help: ArgumentHelp(
      "What dates that are numbers count; without it they are errors.", valueName: "unit"))
  package var numericDates: NumericDateChoice?

  /// Creates the option as it is without arguments.
  package init() {}
}

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
