import ArgumentParser
import CommandLineSupport
import Folders
import MigrationCore
import Runs

struct RollbackFolder: Tool {
  static let help = HelpText(
    "rollback-folder", "Turn documents back into the JSON the app read before",
    examples: [
      .init(
        "with the backup that was made before the migration",
        "rollback-folder ~/Documents/Minuta Minuta-20260106T120000Z.tar"),
      .init(
        "what was deleted since comes back, too",
        "rollback-folder ~/Documents/Minuta Minuta-20260106T120000Z.tar --with-deleted"),
    ],
    note: """
      The JSON is made from the documents, so edits since the migration stay; it is proven equal to \
      them before anything moves. Tags and records deleted since BACKUP, the backup made before the \
      migration, stay deleted and are listed; --with-deleted brings them back, with their images. \
      Everything the folder held is set aside in it, losing values of conflicts included; nothing is \
      deleted. It can be stopped at any time and run again. A document that does not load stops it \
      before anything moves: see repair-crdt.
      """)
  static let configuration = help.configuration

  @OptionGroup var place: FolderOptions

  @Argument(
    help: ArgumentHelp("The backup that was made before the migration."), completion: .backups)
  var backup: String

  @Flag(help: "Bring back what was deleted since, with its images.")
  var withDeleted = false

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Option(help: .numericDates)
  var numericDates: NumericDates?

  @Option(help: .lockTimeout)
  var lockTimeout = RunContext.standardLockTimeoutSeconds

  @OptionGroup var reporting: ReportingOptions

  func validate() throws {
    if backup.isEmpty { throw ValidationError("the backup has no name") }
  }

  func perform(_ console: Console) throws {
    var options = RollbackOptions(folder: place.folder, backup: backup)
    options.bringsBackDeleted = withDeleted
    options.backupDirectory = place.backupDir
    options.numericDates = numericDates
    var rollback = try Rollback(
      options, profile: profile, lockTimeout: lockTimeout, console, by: Program.runStep)
    try rollback.run()
  }
}
