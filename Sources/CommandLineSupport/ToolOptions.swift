package import ArgumentParser
package import Folders
package import MigrationCore
package import Runs

/// How a command talks: the options every command has.
package struct ReportingOptions: ParsableArguments {
  /// When to use colour.
  package enum Color: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    case auto
    /// Always.
    case always
    /// Never.
    case never
  }

  /// Whether the report is written as JSON Lines.
  @Flag(name: .long, help: "Print the report as JSON Lines; the last line is the summary.")
  package var json = false

  /// Whether only errors are shown.
  @Flag(name: .shortAndLong, help: "Show errors only.")
  package var quiet = false

  /// Whether only warnings, errors and the conclusion are shown.
  @Flag(help: "Show warnings, errors and the conclusion only.")
  package var brief = false

  /// Whether progress is shown; nil leaves it to the terminal.
  @Flag(
    inversion: .prefixedNo,
    help: "Show progress on standard error; by default only on a terminal.")
  package var progress: Bool?

  /// When to use colour.
  @Option(help: ArgumentHelp("Use colour in the report.", valueName: "when"))
  package var color: Color = .auto

  /// Creates the options as they are without arguments.
  package init() {}
}

/// What every command is told that takes a folder from one form to another and back.
package struct FolderOptions: ParsableArguments {
  /// The folder.
  @Argument(help: ArgumentHelp("The data folder."))
  package var folder: String

  /// Where its backups are; nil means beside it.
  @Option(
    help: ArgumentHelp(
      "Where backups are; by default FOLDER-backups beside the folder.", valueName: "dir"))
  package var backupDir: String?

  /// Creates the options as they are without arguments.
  package init() {}

  /// Refuses names that are empty.
  package func validate() throws {
    if folder.isEmpty { throw ValidationError("the folder has no name") }
    if backupDir?.isEmpty ?? false { throw ValidationError("--backup-dir has no value") }
  }
}

/// The option of every command that writes.
package struct DryRunOption: ParsableArguments {
  /// Whether the run only shows what it would do.
  @Flag(name: [.customShort("n"), .long], help: "Show what would be done and write nothing.")
  package var dryRun = false

  /// Creates the option as it is without arguments.
  package init() {}
}

/// The option of every command that takes the folder's lock.
package struct LockOption: ParsableArguments {
  /// How long a command waits that has no such option.
  static let standardTimeout = 10

  /// How long to wait for the lock.
  @Option(
    help: ArgumentHelp("Wait this long for the app's lock, then exit 75.", valueName: "seconds"))
  package var lockTimeout = standardTimeout

  /// Creates the option as it is without arguments.
  package init() {}

  /// Refuses a negative time.
  package func validate() throws {
    guard lockTimeout >= 0 else { throw ValidationError("--lock-timeout must not be negative") }
  }
}

/// The options of every command that works through many items.
package struct BatchOptions: ParsableArguments {
  /// How many workers share the items unless told otherwise.
  static var defaultJobs: Int { min(4, SystemCalls.processorCount) }

  /// Whether the first bad item ends the run.
  @Flag(help: "Stop at the first item that fails instead of going on.")
  package var failFast = false

  /// How many workers share the items.
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Work on this many months at a time.", valueName: "n"))
  package var jobs: Int?

  /// Creates the options as they are without arguments.
  package init() {}

  /// Refuses to work without a worker.
  package func validate() throws {
    guard jobs.map({ $0 >= 1 }) ?? true else { throw ValidationError("--jobs must be at least 1") }
  }
}

extension InspectionView: EnumerableFlag {
  package static func help(for view: InspectionView) -> ArgumentHelp? {
    switch view {
    case .tree: "Show the state as a tree for people."
    case .typed: "Print the state as JSON in which every type can be told from every other."
    case .plain: "Print the state as JSON without types."
    case .conflicts: "Print every key and index that has more than one value, as JSON."
    case .heads: "Print the hashes nobody builds on, one a line."
    case .changes: "Print one JSON object a line for each change."
    case .check: "Only verify every hash; status 65 with the offset of the first defect."
    }
  }
}

extension DocumentLayout: ExpressibleByArgument {}
extension LayoutChoice: ExpressibleByArgument {}
extension HistoryChoice: ExpressibleByArgument {}
extension NumericDates: ExpressibleByArgument {}

/// The option of every command that reads legacy files.
package struct NumericDatesOption: ParsableArguments {
  /// What a date that is written as a number counts.
  @Option(
    help: ArgumentHelp(
      "What dates that are numbers count; without it they are errors.", valueName: "unit"))
  package var numericDates: NumericDates?

  /// Creates the option as it is without arguments.
  package init() {}
}

/// What `inspect-crdt` shows that is no document.
package enum OtherView: String, EnumerableFlag, Sendable {
  /// The runs that wrote to a folder.
  case history
  /// What the history of each document of a folder costs.
  case sizes
  /// A profile as a file.
  case printProfile
  /// The JSON Schema of such files.
  case profileSchema

  package static func help(for view: OtherView) -> ArgumentHelp? {
    switch view {
    case .history: "Show which runs wrote to a folder, and how they ended."
    case .sizes: "Show what the history of each document of a folder costs."
    case .printProfile:
      "Check a profile, given by the name of a built-in one or as a file, and print it as a file."
    case .profileSchema: "Print the JSON Schema of profile files."
    }
  }
}
