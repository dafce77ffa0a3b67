package import ArgumentParser
package import Folders
package import MigrationCore
package import Runs

/// How a command talks: the options every command has.
package struct ReportingOptions: ParsableArguments {
  /// When to use colour.
  package enum Color: String, OptionChoice, Sendable {
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

  /// Whether decisions are told.
  @Flag(name: .shortAndLong, help: "Say on standard error what is decided, and why.")
  package var verbose = false

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
  @Argument(help: ArgumentHelp("The data folder."), completion: .directory)
  package var folder: String

  /// Where its backups are; nil means beside it.
  @Option(help: .backupDirectory, completion: .directory)
  package var backupDir: String?

  /// Creates the options as they are without arguments.
  package init() {}

  /// Refuses names that are empty.
  package func validate() throws {
    if folder.isEmpty { throw ValidationError("the folder has no name") }
    if backupDir?.isEmpty ?? false { throw ValidationError("--backup-dir has no value") }
  }
}

/// One of a few words that an option takes.
package protocol OptionChoice: ExpressibleByArgument, CaseIterable, RawRepresentable
where RawValue == String {}

/// The parser's own answers come to the same through a key path and a dictionary, whose types it would
/// look up at each start.
extension OptionChoice {
  /// The words.
  package static var allValueStrings: [String] { allCases.map { $0.rawValue } }

  /// What each means: the words say it.
  package static var allValueDescriptions: [String: String] { [:] }
}

extension DocumentLayout: OptionChoice {}
extension LayoutChoice: OptionChoice {}
extension HistoryChoice: OptionChoice {}
extension NumericDates: OptionChoice {}

extension ValidationError {
  /// Throws if more than one of some options was given, which exclude each other; returns that one.
  package static func requireAtMostOne(of options: [(name: String, isGiven: Bool)]) throws
    -> String?
  {
    let given = options.filter(\.isGiven).map(\.name)
    guard given.count > 1 else { return given.first }
    throw ValidationError("\(given[0]) and \(given[1]) exclude each other")
  }
}

extension Age: ExpressibleByArgument {
  /// Creates an age from its text; nil if it is none.
  package init?(argument: String) { self.init(argument) }
}

/// The options that several commands have, one by one and not as groups: the parser looks up five
/// conformances for each type of group at every start, and each time goes through all in the program.
extension ArgumentHelp {
  /// The option of every command that reads the rows of stores.
  package static var preferences: ArgumentHelp {
    ArgumentHelp(
      "With a store: the preferences of its app, a property list that holds more of its data.",
      valueName: "file")
  }

  /// The option of every command that makes backups.
  package static var backupDirectory: ArgumentHelp {
    ArgumentHelp(
      "Where backups are; by default FOLDER-backups beside the folder or store.", valueName: "dir")
  }

  /// The flag of every command that writes.
  package static var dryRun: ArgumentHelp { "Show what would be done and write nothing." }

  /// The option of every command that takes the folder's lock.
  package static var lockTimeout: ArgumentHelp {
    ArgumentHelp("Wait this long for the app's lock, then exit 75.", valueName: "seconds")
  }

  /// The flag of every command that works through many items.
  package static var failFast: ArgumentHelp {
    "Stop at the first item that fails instead of going on."
  }

  /// The option of every command that shares such items among workers.
  package static var jobs: ArgumentHelp {
    ArgumentHelp("Work on this many months at a time.", valueName: "n")
  }

  /// The option of what compares a document with another.
  package static var comparedDocument: ArgumentHelp {
    ArgumentHelp("Compare with this document, or - on standard input.", valueName: "other")
  }

  /// The option of every command that knows folders of other apps.
  package static var profile: ArgumentHelp {
    ArgumentHelp(
      "What the app's data is: a profile file, or the name of a built-in one; by default minuta.",
      valueName: "profile")
  }

  /// The flag of every command that leaves private kinds out.
  package static var includePrivate: ArgumentHelp {
    "Take the entities of kinds that the profile calls private, too."
  }

  /// The option of every command that reads legacy files.
  package static var numericDates: ArgumentHelp {
    ArgumentHelp(
      "What dates that are numbers count; without it they are errors.", valueName: "unit")
  }
}

extension NameSpecification {
  /// The names of the flag of every command that writes.
  package static var dryRun: NameSpecification { [.customShort("n"), .long] }
}

extension InspectionView: EnumerableFlag, CustomStringConvertible {
  /// The name that the parser makes the flag from. Without this it would be found by reflection.
  package var description: String { rawValue }

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

/// What `inspect-crdt` shows that is no document.
package enum OtherView: String, EnumerableFlag, CustomStringConvertible, Sendable {
  /// The runs that wrote to a folder.
  case history
  /// What the history of each document of a folder costs.
  case sizes
  /// A profile as a file.
  case printProfile
  /// The JSON Schema of such files.
  case profileSchema
  /// A draft of a profile for a folder, or for stores.
  case profileFrom

  /// The name that the parser makes the flag from.
  package var description: String { rawValue }

  package static func help(for view: OtherView) -> ArgumentHelp? {
    switch view {
    case .history:
      "Show which runs wrote to a folder, and how they ended; of a store its backups, too."
    case .sizes: "Show what the history of each document of a folder costs."
    case .printProfile:
      "Check a profile, given by the name of a built-in one or as a file, and print it as a file."
    case .profileSchema: "Print the JSON Schema of profile files."
    case .profileFrom:
      """
      Print the draft of a profile for a folder of JSON, with what each guess was made from, or for \
      stores of SwiftData, as they say it.
      """
    }
  }

  /// Whether it is one of folders, of which there may be several.
  package var isOfFolders: Bool { self == .history || self == .sizes }

  /// Returns whether so many arguments go with the view.
  package func takes(_ count: Int) -> Bool {
    switch self {
    case .history, .sizes: true
    case .printProfile, .profileFrom: count == 1
    case .profileSchema: count == 0
    }
  }

  /// What is said to whoever gives it others.
  package var usage: String {
    switch self {
    case .history: "--history takes folders, or a store and its folder and no view of a document"
    case .sizes: "--sizes takes folders and no view of a document"
    case .printProfile: "--print-profile takes one name or file and no view of a document"
    case .profileSchema: "--profile-schema takes nothing"
    case .profileFrom: "--profile-from takes one folder or store and no view of a document"
    }
  }
}

/// Which of two values in conflict `merge-conflicts` keeps.
package enum KeptValue: String, EnumerableFlag, CustomStringConvertible, Sendable {
  /// The one that readers see.
  case keepThis
  /// The one that they do not see.
  case keepOther

  /// The name that the parser makes the flag from.
  package var description: String { rawValue }

  package static func help(for value: KeptValue) -> ArgumentHelp? {
    switch value {
    case .keepThis: "With --resolve: keep the value that is shown."
    case .keepOther: "With --resolve: keep the one that is not shown, if there is one such."
    }
  }
}

extension InspectionOptions.Source {
  /// The document that an argument names: a file, or with `-` standard input.
  package static func named(_ argument: String) -> Self {
    argument == "-" ? .stream(.standardInput) : .file(path: argument)
  }
}
