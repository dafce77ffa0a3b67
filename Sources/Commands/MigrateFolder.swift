import ArgumentParser
import CommandLineSupport
import Folders
import MigrationCore
import Runs

struct MigrateFolder: Tool {
  static let help = HelpText(
    "migrate-folder", "Turn the JSON of a folder into documents: backup, import, check, clean-up",
    examples: [
      .init("the JSON stays", "migrate-folder ~/Documents/Minuta --layout per-record"),
      .init(
        "the JSON goes to quarantine",
        "migrate-folder ~/Documents/Minuta --layout per-record --cleanup"),
      .init("the rows of a store of SwiftData", "migrate-folder CloudKit.store App"),
    ],
    note: """
      A verified backup, the import, a check of every field, and with --cleanup the JSON moves to \
      quarantine. Where there is nothing to migrate it says so, and writes nothing. It can be \
      stopped at any time and run again; what is done stays done. It ends with the status of the \
      first step that fails. Minuta as released reads a document for each record, --layout \
      per-record; other versions read one for each month, --layout monthly. Before a clean-up this \
      has to be known.
      """)
  static let configuration = help.configuration

  @OptionGroup var place: FolderOptions

  @Argument(
    help: ArgumentHelp(
      "The folder that gets the documents, where the first is a store or a directory of stores.",
      valueName: "target"), completion: .directory)
  var target: String?

  @Flag(help: "Move the JSON to quarantine in the end.")
  var cleanup = false

  @Option(
    help: ArgumentHelp(
      "Where documents go; by default as those that are there, else by months.",
      valueName: "layout"))
  var layout: DocumentLayout?

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

  @OptionGroup var reporting: ReportingOptions

  func validate() throws {
    guard target != nil else {
      if preferences != nil {
        throw ValidationError("--preferences goes with a store, and the folder behind it")
      }
      return
    }
    if cleanup {
      throw ValidationError("a store stays where it is, so --cleanup does not go with it")
    }
    if layout != nil || numericDates != nil {
      throw ValidationError("--layout and --numeric-dates are for folders of JSON, not for a store")
    }
  }

  func perform(_ console: Console) throws {
    var options = MigrationOptions(folder: place.folder)
    options.backupDirectory = place.backupDir
    options.cleansUp = cleanup
    options.layout = layout
    options.numericDates = numericDates
    options.includesPrivate = includePrivate
    options.preferences = preferences
    if let target {
      let migration = try StoreMigration(
        options, into: target, profile: profile, lockTimeout: lockTimeout, console,
        by: Program.runStep)
      return try migration.run(isDryRun: dryRun)
    }
    try StoreMigrationWorkflow.requireFolder(options, context: console.context())
    let migration = try Migration(
      options, profile: profile, lockTimeout: lockTimeout, console, by: Program.runStep)
    try migration.run(isDryRun: dryRun)
  }
}
