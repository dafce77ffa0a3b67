import ArgumentParser
import CommandLineSupport
import Folders
import MigrationCore
import Runs

struct VerifyCounts: Tool {
  static let help = HelpText(
    "verify-counts", "Prove that documents hold what the JSON held",
    examples: [
      .init("against the JSON beside them", "verify-counts ~/Documents/Minuta"),
      .init("against a backup", "verify-counts ~/Documents/Minuta --against minuta.tar"),
      .init(
        "where each of many stands",
        "find /srv -name Minuta | verify-counts --status --folders-from -"),
      .init("against a store of SwiftData", "verify-counts App --against CloudKit.store"),
      .init("two stores, row by row", "verify-counts old.store --against CloudKit.store"),
      .init("where the migration stands", "verify-counts ~/Documents/Minuta --status"),
      .init("what a store of SwiftData holds", "verify-counts default.store --status"),
      .init("what contradicts itself in it, row by row", "verify-counts default.store"),
    ],
    note: """
      Counts come first, then every field of every tag and record, both ways. Status 0 means that \
      everything is proven; nothing to compare with is status 1, unless the JSON was purged and the \
      backup is there that holds it. With --status the answer is one word (empty, unknown, legacy, \
      migrating, migrated, cleaned, mixed) and the next command; status 1 then means that errors stand in the way. Of stores it is the version, and how many rows \
      each entity has, with the newest, which are only in the log beside a store; a store is never \
      opened where it is, but a copy of it in TMPDIR.
      """,
    statuses: [
      .done, .differs, .usage, .damagedInput, .missingInput, .systemCallFailed, .cannotCreate,
      .inputOutput, .busy, .permissionDenied, .conflictsWithData,
    ])
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp(
      "The data folder whose documents are checked; or a store, or a directory of stores, whose rows "
        + "are; several are read one after the other.", valueName: "folder"),
    completion: .directory)
  var folders: [String] = []

  @Option(help: .foldersFrom, completion: .file()) var foldersFrom: String?
  @Flag(name: .zeroSeparated, help: .zeroSeparated) var null = false

  @Option(
    help: ArgumentHelp(
      "Compare with a folder, a backup, a stream or a store; by default the JSON, then the quarantine.",
      valueName: "reference"), completion: .file())
  var against: String?

  @Flag(help: "Say in one word where the folder stands, and what to run next.")
  var status = false

  @Flag(help: "With --status: open no file; JSON beside documents is then migrating.")
  var namesOnly = false

  @Flag(help: "Count what was edited or deleted in a document since as a difference, too.")
  var equal = false

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Flag(help: .includePrivate)
  var includePrivate = false

  @Option(help: .preferences, completion: .file())
  var preferences: String?

  @Option(help: .numericDates)
  var numericDates: NumericDates?

  @Flag(help: .failFast)
  var failFast = false

  @Option(name: .shortAndLong, help: .jobs)
  var jobs: Int?

  @OptionGroup var reporting: ReportingOptions

  private var named: NamedFolders { .init(folders, from: foldersFrom, isZeroed: null) }

  func validate() throws {
    try named.require(unlessOne: against == "-" ? "a stream is compared with one folder" : nil)
    if status && against != nil {
      throw ValidationError("--status compares with the JSON in the folder, never with --against")
    }
    if namesOnly && !status { throw ValidationError("--names-only goes with --status") }
    if status && preferences != nil {
      throw ValidationError("--status counts rows, so --preferences does not go with it")
    }
    if status && failFast {
      throw ValidationError("--status looks at everything, so --fail-fast does not go with it")
    }
  }

  func perform(_ console: Console) throws {
    try console.read(named, failFast: failFast) { try perform(on: $0, console) }
  }

  private func perform(on folder: String, _ console: Console) throws {
    let context = try console.context(profile: profile, failFast: failFast, jobs: jobs)
      .reading(preferences: preferences, besideStoreAt: against ?? folder)
    var options = VerificationOptions(folder: folder)
    options.reference = try against.map { try console.reference(at: $0) } ?? .automatic
    options.numericDates = numericDates
    options.requiresEqual = equal
    options.looksAtNamesOnly = namesOnly
    options.includesPrivate = includePrivate
    if status {
      switch try PlaceStatus.read(options, context: context) {
      case .folder(let report): console.show(report)
      case .stores(let report):
        for failure in report.failures { console.fail(failure) }
        console.show(report)
      }
      return
    }
    switch try PlaceVerification.read(options, context: context) {
    case .documents(let report): console.show(report)
    case .stores(let report): console.show(report)
    }
  }
}
