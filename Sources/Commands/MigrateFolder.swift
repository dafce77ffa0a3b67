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

  @Flag(help: "Move the JSON to quarantine in the end.")
  var cleanup = false

  @Option(
    help: ArgumentHelp(
      "Where documents go; by default as those that are there, else by months.",
      valueName: "layout"))
  var layout: DocumentLayout?

  @Option(help: .profile)
  var profile: String?

  @Flag(help: .includePrivate)
  var includePrivate = false

  @Option(help: .numericDates)
  var numericDates: NumericDates?

  @Flag(name: .dryRun, help: .dryRun)
  var dryRun = false

  @Option(help: .lockTimeout)
  var lockTimeout = RunContext.standardLockTimeoutSeconds

  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws {
    var options = MigrationOptions(folder: place.folder)
    options.backupDirectory = place.backupDir
    options.cleansUp = cleanup
    options.layout = layout
    options.numericDates = numericDates
    options.includesPrivate = includePrivate
    let migration = try Migration(
      options, profile: profile, lockTimeout: lockTimeout, console, by: Program.runStep)
    try migration.run(isDryRun: dryRun)
  }
}
