import ArgumentParser
import CommandLineSupport
import Folders
import MigrationCore
import Runs

struct CleanupLegacy: Tool {
  static let help = HelpText(
    "cleanup-legacy", "Move JSON out of the way once documents and a backup hold it",
    examples: [
      .init("show what would move", "cleanup-legacy ~/Documents/Minuta"),
      .init("move it", "cleanup-legacy ~/Documents/Minuta --apply --backup minuta.tar"),
      .init("old years that could go", "cleanup-legacy ~/Documents/Minuta --months-before 2021-01"),
      .init("what is in quarantine", "cleanup-legacy ~/Documents/Minuta --list"),
      .init("documents in less space", "cleanup-legacy ~/Documents/Minuta --compact --apply"),
    ],
    note: """
      Files move to .automerge-migrate.nosync/quarantine and only if a verified document and the \
      verified backup both hold them. Foreign files never move, and images only with their month: \
      --months-before sets whole months aside, documents and images included, if the backup holds \
      every file of them. Sync services carry that to other devices safely, because whole files \
      go and no document changes. --bring-back undoes a run: its files move back, and nothing in \
      the folder is replaced. --purge later unlinks what a verified backup holds too, from quarantine \
      and from what restores have set aside. --compact writes documents with all their history \
      anew where that saves a tenth.
      """)
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp("The data folder; with --list also several.", valueName: "folder"),
    completion: .directory)
  var folders: [String] = []

  @Option(help: .foldersFrom, completion: .file()) var foldersFrom: String?
  @Flag(name: .zeroSeparated, help: .zeroSeparated) var null = false

  @Option(
    help: ArgumentHelp("The backup that holds every file that goes.", valueName: "file"),
    completion: .backups)
  var backup: String?

  @Flag(help: "Do it; without this the command only shows what it would do.") var apply = false

  @Option(
    help: ArgumentHelp(
      "Set whole months before this one aside, such as 2021-01.", valueName: "month"))
  var monthsBefore: String?

  @Option(
    help: ArgumentHelp(
      "Move back what a run moved to quarantine, such as 20260106T120000Z.", valueName: "run"),
    completion: .quarantineRuns)
  var bringBack: String?

  @Flag(help: "List what is in quarantine, and what brings it back.") var list = false

  @Flag(help: "Write documents that could be a tenth shorter as one chunk, with every change.")
  var compact = false

  @Flag(help: "Unlink files from quarantine and from what restores set aside.") var purge = false

  @Option(
    help: ArgumentHelp(
      "With --purge: only what was moved this long ago, such as 30d, 12h or 0d.",
      valueName: "age"))
  var olderThan: Age?

  @Option(help: .profile, completion: .profiles) var profile: String?
  @Option(help: .numericDates) var numericDates: NumericDates?
  @Flag(name: .dryRun, help: .dryRun) var dryRun = false
  @Option(help: .lockTimeout) var lockTimeout = RunContext.standardLockTimeoutSeconds
  @Flag(help: .failFast) var failFast = false
  @Option(name: .shortAndLong, help: .jobs) var jobs: Int?

  @OptionGroup var reporting: ReportingOptions

  private var named: NamedFolders { .init(folders, from: foldersFrom, isZeroed: null) }

  func validate() throws {
    try named.require(unlessOne: list ? nil : "several folders go with --list")
    let work = try ValidationError.requireAtMostOne(of: [
      ("--list", list), ("--compact", compact), ("--purge", purge),
      ("--bring-back", bringBack != nil), ("--months-before", monthsBefore != nil),
    ])
    if list && apply { throw ValidationError("--list changes nothing, with or without --apply") }
    let needsNoBackup = compact || bringBack != nil
    if apply, backup == nil, !needsNoBackup { throw ValidationError("--apply needs --backup FILE") }
    if needsNoBackup && backup != nil {
      throw ValidationError("\(work ?? "") needs no backup, so --backup does not go with it")
    }
    if purge && olderThan == nil { throw ValidationError("--purge needs --older-than AGE") }
    if let monthsBefore, !CleanUpOptions.isMonth(monthsBefore) {
      throw ValidationError("--months-before takes a month such as 2021-01")
    }
    if purge && failFast {
      throw ValidationError("no file ends a purge, so --fail-fast does not go with --purge")
    }
    if !purge && olderThan != nil { throw ValidationError("--older-than goes with --purge") }
  }

  func perform(_ console: Console) throws {
    try console.read(named, failFast: failFast) { try perform(on: $0, console) }
  }

  private func perform(on folder: String, _ console: Console) throws {
    let context = try console.context(
      profile: profile, lockTimeout: lockTimeout, failFast: failFast, jobs: jobs)
    let applies = apply && !dryRun
    if list {
      console.show(try QuarantineWorkflow(folder: folder, context: context).perform())
    } else if compact {
      try console.show(CompactionWorkflow(folder: folder, context: context), doing: applies)
    } else if purge {
      let options = PurgeOptions(
        folder: folder, backup: backup, minimumAgeSeconds: olderThan?.seconds ?? 0)
      try console.show(PurgeWorkflow(options, context: context), doing: applies)
    } else if let bringBack {
      let options = BringBackOptions(folder: folder, run: bringBack)
      try console.show(BringBackWorkflow(options, context: context), doing: applies)
    } else {
      var options = CleanUpOptions(folder: folder, backup: backup)
      options.numericDates = numericDates
      options.monthsBefore = monthsBefore
      try console.show(CleanUpWorkflow(options, context: context), doing: applies)
    }
  }
}
