import ArgumentParser
import Backups
import CommandLineSupport
import Folders
import MigrationCore
import Runs

struct PackBackup: Tool {
  static let help = HelpText(
    "pack-backup", "Write a verified backup of a folder or a store",
    examples: [
      .init("into ~/Documents/Minuta-backups", "pack-backup ~/Documents/Minuta"),
      .init("the backups there are", "pack-backup ~/Documents/Minuta --list"),
      .init("a store, once a day", "pack-backup default.store --keep 3 --if-older-than 24h"),
      .init("what a rule drops", "pack-backup ~/Documents/Minuta --list --keep-daily 14"),
    ],
    note: """
      A backup is a tar archive with a manifest. It is read back and every hash compared before it \
      gets its name. Of a store it holds a copy with the log folded in, proven to be of one \
      moment, and the files as they were; a store is never opened where it is, but a copy of it in \
      TMPDIR. A store whose rows are gone that its newest backup holds is status 78.
      """)
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp(
      "The data folder, a store of SwiftData, or a directory of stores; with --list also several.",
      valueName: "folder"), completion: .directory)
  var folders: [String] = []

  @Option(help: .foldersFrom, completion: .file()) var foldersFrom: String?
  @Flag(name: .zeroSeparated, help: .zeroSeparated) var null = false
  @Option(help: .backupDirectory, completion: .directory) var backupDir: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write this file instead of a name made from the time.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Compress with zstd.") var zstd = false
  @Option(help: .keep) var keep: Int?
  @Option(help: .keepWithin) var keepWithin: Age?
  @Option(help: .keepDaily) var keepDaily: Int?
  @Option(help: .keepMonthly) var keepMonthly: Int?
  @Option(help: .keepSize) var keepSize: ByteSize?
  @Flag(help: "Write nothing if a verified backup holds the folder as it is now.") var reuse = false

  @Option(
    help: ArgumentHelp(
      "Write nothing if the newest backup verifies and is younger: 90m, 24h, 7d.",
      valueName: "age"))
  var ifOlderThan: Age?

  @Flag(help: "Back a store up although its rows are gone.") var allowEmpty = false

  @Flag(help: "Pack the files of a store as they are, and do not open it: it may be damaged.")
  var asItIs = false

  @Flag(help: "A copy of a store for others, with -o: without rows of private kinds.")
  var forSupport = false

  @Flag(help: "Print just its path on standard output; with --list, of each that is not damaged.")
  var printPath = false

  @Flag(help: "Show the backups of the folder and what keeps each, instead of writing one.")
  var list = false

  @Flag(help: "With --list: read every backup and compare its hashes.") var verify = false

  @Flag(
    help: "Only apply the --keep options to what there is; shows what would go without --apply.")
  var prune = false

  @Flag(help: "With --prune: do it.") var apply = false
  @Option(help: .profile, completion: .profiles) var profile: String?
  @Flag(name: .dryRun, help: .dryRun) var dryRun = false
  @Option(help: .lockTimeout) var lockTimeout = RunContext.standardLockTimeoutSeconds

  @OptionGroup var reporting: ReportingOptions

  var carriesData: Bool { printPath }

  private var retention: RetentionPolicy {
    .init(count: keep, within: keepWithin, daily: keepDaily, monthly: keepMonthly, size: keepSize)
  }

  private var named: NamedFolders { .init(folders, from: foldersFrom, isZeroed: null) }

  func validate() throws {
    try retention.requireKeeping()
    try named.require(unlessOne: list ? nil : "several folders go with --list")
    if prune && retention.isEmpty { throw ValidationError("--prune needs a --keep option") }
    if prune && list { throw ValidationError("--list and --prune exclude each other") }
    if verify && !list { throw ValidationError("--verify goes with --list") }
    let isPlain = retention.isEmpty && !reuse && ifOlderThan == nil && !list
    if forSupport && (output == nil || !isPlain) {
      throw ValidationError("--for-support goes with -o FILE: it is no backup to keep")
    }
    if asItIs && (allowEmpty || forSupport || !isPlain) {
      throw ValidationError("--as-it-is goes with -o, --backup-dir and --print-path alone")
    }
    if printPath && prune { throw ValidationError("--print-path and --prune exclude each other") }
    if apply && !prune { throw ValidationError("--apply goes with --prune") }
  }

  func perform(_ console: Console) throws {
    try console.read(named) { try perform(on: $0, console) }
  }

  private func perform(on folder: String, _ console: Console) throws {
    var options = PackOptions(folder: folder)
    (options.backupDirectory, options.output, options.compresses) = (backupDir, output, zstd)
    (options.retention, options.allowsEmpty) = (retention, allowEmpty)
    (options.reusesVerified, options.isForSupport, options.isUnopened) = (reuse, forSupport, asItIs)
    options.leastAgeSeconds = ifOlderThan.map { Int64($0.seconds) }
    let context = try console.context(profile: profile, lockTimeout: lockTimeout)
    let report = try report(of: options.workflow(context: context))
    console.show(report)
    for failure in report.failures { console.note(ExitStatus(failure)) }
    for path in printPath ? report.paths : [] { try console.write(path + [UInt8(ascii: "\n")]) }
  }

  private func report(of workflow: any BackupWorkflow) throws -> BackupReport {
    if list { return try workflow.list(isVerifying: verify) }
    if prune { return try workflow.prune(isApplying: apply && !dryRun) }
    return try dryRun ? workflow.plan() : workflow.perform()
  }
}
