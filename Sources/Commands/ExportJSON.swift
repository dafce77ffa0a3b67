import ArgumentParser
import CommandLineSupport
import Folders
import MigrationCore

struct ExportJSON: Tool {
  static let help = HelpText(
    "export-json", "Write everything a folder holds as JSON",
    examples: [
      .init("one line for each tag and record", "export-json ~/Documents/Minuta > minuta.jsonl"),
      .init("the files the app read before", "export-json ~/Documents/Minuta --to ~/Minuta-json"),
      .init("the rows of a store of SwiftData", "export-json CloudKit.store > rows.jsonl"),
      .init("as its app writes them", "export-json CloudKit.store --format app > ritualist.json"),
    ],
    statuses: [
      .done, .differs, .usage, .damagedInput, .missingInput, .systemCallFailed, .cannotCreate,
      .inputOutput, .busy, .permissionDenied, .conflictsWithData,
    ])
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp(
      "The data folder, one document, a store of SwiftData, or a directory of stores; with --to also "
        + "several.", valueName: "folder"), completion: .file())
  var sources: [String] = []

  @Option(help: .foldersFrom, completion: .file()) var foldersFrom: String?
  @Flag(name: .zeroSeparated, help: .zeroSeparated) var null = false

  @Option(
    help: ArgumentHelp(
      "Write legacy files below this directory instead of a stream; those of several folders below "
        + "their names.", valueName: "dir"),
    completion: .directory)
  var to: String?

  @Option(
    help: ArgumentHelp(
      "Name what this backup holds and the folder does not show any more.", valueName: "file"),
    completion: .backups)
  var backup: String?

  @Flag(help: "With --backup: write that, too, as the backup has it.")
  var withDeleted = false

  @Option(
    help: ArgumentHelp(
      "What to write: stream, or app, the JSON that the app of a store writes and reads itself.",
      valueName: "format"))
  var format = ExportOptions.Form.stream

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

  @Flag(help: .failFast)
  var failFast = false

  @Option(name: .shortAndLong, help: .jobs)
  var jobs: Int?

  @OptionGroup var reporting: ReportingOptions

  var carriesData: Bool { to == nil }

  private var named: NamedFolders { .init(sources, from: foldersFrom, isZeroed: null) }

  func validate() throws {
    try named.require(
      unlessOne: to == nil ? "a stream is of one folder; several go with --to" : nil)
    if preferences != nil && format == .app {
      throw ValidationError(
        "--format app writes what its app does, and that is without preferences")
    }
    if withDeleted && backup == nil { throw ValidationError("--with-deleted goes with --backup") }
  }

  func perform(_ console: Console) throws {
    var places = named.areSeveral ? to.map { ExportPlaces(below: $0) } : nil
    try console.read(named, failFast: failFast) { source in
      try perform(on: source, to: places?.place(of: source) ?? to, console)
    }
  }

  private func perform(on source: String, to place: String?, _ console: Console) throws {
    let context = try console.context(profile: profile, failFast: failFast, jobs: jobs)
      .reading(preferences: preferences, besideStoreAt: source)
    var options = ExportOptions(
      source: source,
      destination: place.map { .folder(path: $0) } ?? .stream(console.dataSink))
    options.form = format
    options.numericDates = numericDates
    options.backup = backup
    options.exportsDeleted = withDeleted
    options.includesPrivate = includePrivate
    let workflow = ExportWorkflow(options, context: context)
    try console.show(workflow, doing: !dryRun)
  }
}

extension ExportOptions.Form: OptionChoice {}
