import ArgumentParser
import CommandLineSupport
import MigrationCore
import Runs

struct RestoreBackup: Tool {
  static let help = HelpText(
    "restore-backup", "List, check or restore a backup",
    examples: [
      .init("check every hash", "restore-backup minuta.tar --check"),
      .init("bring the content back", "restore-backup minuta.tar --into ~/Documents/Minuta"),
      .init("bring a store back", "restore-backup CloudKit.tar --into Library/CloudKit.store"),
      .init(
        "bring the tags back", "restore-backup minuta.tar --into Minuta --only tags.automerge"),
    ],
    note: """
      What the folder holds is set aside first, never deleted, and the report says where. With \
      --only that is what lies in the places of the files that are restored; all others are left \
      alone, and so are files that have the same bytes. With a store its log and its index are set \
      aside, too; one that an app has open is status 75. An interrupted restore is finished by \
      running the command again, or with --finish; --abort undoes it.
      """)
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp("The backup; none with --finish and --abort.", valueName: "backup"),
    completion: .backups)
  var backup: String?

  @Option(
    help: ArgumentHelp(
      "The folder that gets the content; of a store its path, or its directory.",
      valueName: "folder"), completion: .directory)
  var into: String?

  @Flag(help: "With --into and a backup of a store: unpack it, and move nothing before --finish.")
  var atNextStart = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "With --into: restore only these, named as --list does; a directory with all in it.",
      valueName: "path"))
  var only: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      With --into: only if the folder still holds what this backup holds, else exit 75; without \
      --only what lies in quarantine is set aside with it.
      """, valueName: "backup"), completion: .backups)
  var replacing: String?

  @Flag(help: "Show what the backup holds.")
  var list = false

  @Flag(help: "Read the backup and compare every hash.")
  var check = false

  @Option(
    help: ArgumentHelp(
      "Only finish an interrupted restore of this folder or store, or one that waits.",
      valueName: "folder"), completion: .directory)
  var finish: String?

  @Option(
    help: ArgumentHelp(
      "Only put back what an interrupted restore of this folder moved, or give up one that waits.",
      valueName: "folder"),
    completion: .directory)
  var abort: String?

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Flag(name: .dryRun, help: .dryRun)
  var dryRun = false

  @Option(help: .lockTimeout)
  var lockTimeout = RunContext.standardLockTimeoutSeconds

  @OptionGroup var reporting: ReportingOptions

  func validate() throws {
    guard [list, check, into != nil, finish != nil, abort != nil].count(where: { $0 }) == 1 else {
      throw ValidationError(
        "give one of --into FOLDER, --list, --check, --finish FOLDER and --abort FOLDER")
    }
    if (backup == nil) != (finish != nil || abort != nil) {
      throw ValidationError(
        backup == nil
          ? "give the backup"
          : abort != nil
            ? "--abort needs no backup: what moved is in the folder"
            : "--finish needs no backup: it brings what it began with")
    }
    if !only.isEmpty && into == nil { throw ValidationError("--only goes with --into FOLDER") }
    if atNextStart && (into == nil || !only.isEmpty || replacing != nil) {
      throw ValidationError(
        "--at-next-start goes with --into FOLDER, and neither with --only nor with --replacing")
    }
    if replacing != nil && into == nil {
      throw ValidationError("--replacing goes with --into FOLDER")
    }
  }

  func perform(_ console: Console) throws {
    var options = RestoreOptions(backup: backup ?? "", folder: into ?? finish ?? abort ?? "")
    options.only = only
    options.replaced = replacing
    options.waits = atNextStart
    let workflow = try RestoreWorkflow(
      options, context: console.context(profile: profile, lockTimeout: lockTimeout))
    if list {
      console.show(try workflow.list())
    } else if check {
      console.show(try workflow.check())
    } else if finish != nil {
      console.show(try dryRun ? workflow.planFinishing() : workflow.finish())
    } else if abort != nil {
      console.show(try dryRun ? workflow.planAborting() : workflow.undo())
    } else {
      try console.show(workflow, doing: !dryRun)
    }
  }
}
