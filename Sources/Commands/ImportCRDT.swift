import ArgumentParser
import CommandLineSupport
import Folders
import MigrationCore
import Runs

struct ImportCRDT: Tool {
  static let help = HelpText(
    "import-crdt", "Turn tags and records into Automerge documents",
    examples: [
      .init("in place; running it again changes nothing", "import-crdt ~/Documents/Minuta"),
      .init("from a stream", "export-json OLD | import-crdt - --into NEW"),
      .init("after old apps changed the JSON", "import-crdt --update ~/Documents/Minuta"),
      .init("from a store of SwiftData", "import-crdt CloudKit.store --into App"),
    ],
    note: """
      The documents are a function of the data alone: two devices that import the same files write \
      the same changes. JSON files are read, never changed. What a document shows already is left \
      alone; with --update it gets the values of JSON that changed after its import, unless the \
      document was edited, too.
      """)
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp(
      "A data folder, a store of SwiftData or a directory of stores, or - for a stream on standard "
        + "input.", valueName: "source"), completion: .file())
  var source: String

  @Option(
    help: ArgumentHelp(
      "Put the documents in this folder; by default in the source.", valueName: "folder"),
    completion: .directory)
  var into: String?

  @Option(help: ArgumentHelp("Where documents go.", valueName: "layout"))
  var layout: LayoutChoice = .auto

  @Option(help: ArgumentHelp("What kind of history documents get.", valueName: "kind"))
  var history: HistoryChoice = .convergent

  @Flag(help: "Copy the values of a source that holds documents, without their history.")
  var flatten = false

  @Flag(help: "Bring documents up to date with JSON that changed after its import.")
  var update = false

  @Option(
    help: ArgumentHelp(
      "With --update: take the JSON's value where the document was edited, too.",
      valueName: "legacy"))
  var prefer: Preference?

  @Flag(help: "Import from a store although rows are gone of which the folder holds many.")
  var allowEmpty = false

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Flag(help: .includePrivate)
  var includePrivate = false

  @Option(help: .preferences, completion: .file())
  var preferences: String?

  @Option(help: .numericDates)
  var numericDates: NumericDates?

  @Flag(name: .dryRun, help: .dryRun)
  var dryRun = false

  @Option(help: .lockTimeout)
  var lockTimeout = RunContext.standardLockTimeoutSeconds

  @Flag(help: .failFast)
  var failFast = false

  @Option(name: .shortAndLong, help: .jobs)
  var jobs: Int?

  @OptionGroup var reporting: ReportingOptions

  /// What wins where the JSON and the document were both edited.
  enum Preference: String, OptionChoice {
    case legacy
  }

  func validate() throws {
    if source == "-" && into == nil { throw ValidationError("a stream needs --into FOLDER") }
    if source == "-" && update { throw ValidationError("--update needs a folder, not a stream") }
    if prefer != nil && !update { throw ValidationError("--prefer needs --update") }
  }

  func perform(_ console: Console) throws {
    var options = ImportOptions(
      source: source == "-" ? .stream(.standardInput) : .folder(path: source), target: into)
    options.layout = layout
    options.history = history
    options.numericDates = numericDates
    options.flattens = flatten
    options.updates = update
    options.prefersLegacy = prefer == .legacy
    options.includesPrivate = includePrivate
    options.allowsEmpty = allowEmpty
    let workflow = try ImportWorkflow(
      options,
      context: console.context(
        profile: profile, lockTimeout: lockTimeout, failFast: failFast, jobs: jobs
      ).reading(preferences: preferences, besideStoreAt: source))
    try console.show(workflow, doing: !dryRun)
  }
}
