import ArgumentParser
import CommandLineSupport
import Folders
import MigrationCore
import Runs

struct RecoverFolder: Tool {
  static let help = HelpText(
    "recover-folder", "Say what is wrong with a folder or a store, and put it right",
    examples: [
      .init("what is wrong, and what would put it right", "recover-folder ~/Documents/Minuta"),
      .init("do it, after a verified backup", "recover-folder ~/Documents/Minuta --apply"),
      .init("a store of SwiftData, or all of a directory", "recover-folder default.store"),
    ],
    note: """
      An interrupted restore is finished; a document that is damaged or gone comes back from the \
      newest backup that holds it whole, else from the JSON it was imported from, and so does an \
      image that a record names; conflict copies are merged; JSON that is in no document, or was \
      changed since, is imported. Before a damaged document is replaced, what can be read of it goes \
      to FOLDER-salvaged, and every run compares that with the folder. The plan is carried out only \
      with --apply. A store that is damaged, gone or emptied is kept as it is, and comes back from the \
      newest backup that verifies, or from a copy that its app made. It stops at the first step that fails, with the status of that step, and can be \
      killed and run again.
      """)
  static let configuration = help.configuration

  @OptionGroup var place: FolderOptions

  @Flag(help: "Do what the plan says.")
  var apply = false

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Option(help: .numericDates)
  var numericDates: NumericDates?

  @Option(help: .lockTimeout)
  var lockTimeout = RunContext.standardLockTimeoutSeconds

  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws {
    var options = RecoveryOptions(folder: place.folder)
    options.backupDirectory = place.backupDir
    options.numericDates = numericDates
    if let stores = try StoreRecovery(
      options, profile: profile, lockTimeout: lockTimeout, console, by: Program.runStep)
    {
      return try stores.run(isApplying: apply)
    }
    var recovery = try Recovery(
      options, profile: profile, lockTimeout: lockTimeout, console, by: Program.runStep)
    try recovery.run(isApplying: apply)
  }
}
