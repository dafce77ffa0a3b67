package import ArgumentParser
package import Folders
import MigrationCore
package import Runs

extension DocumentLayout: ExpressibleByArgument {}
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
