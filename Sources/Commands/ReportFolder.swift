import ArgumentParser
import CommandLineSupport
import Diagnostics
import FolderPages
import Folders
import MigrationCore
import Runs

struct ReportFolder: Tool {
  static let help = HelpText(
    "report-folder", "Make a page that shows where a folder stands",
    examples: [
      .init("to look at", "report-folder ~/Documents/Minuta -o minuta.html"),
      .init(
        "to send, without names and values",
        "report-folder ~/Documents/Minuta --anonymous -o minuta.html"),
      .init(
        "one of many folders",
        "find /srv -name Minuta | report-folder --folders-from - -o all.html"),
      .init(
        "to ask for help, with the history and damaged documents",
        "report-folder ~/Documents/Minuta --bundle ticket.tar"),
    ],
    note: """
      One HTML file that needs nothing else: no network, no script. It shows the word for where the \
      folder stands and what to run next, counts by kind and month, findings, documents, conflicts \
      with their values, runs, backups and quarantine. Of several folders it is one \
      page, with a table of all of them. Nothing in a folder is written. A page that \
      is there is replaced, another file is not. What --bundle writes has no name and no value in it: \
      a page, the history, manifests and findings as JSON Lines, and damaged documents as repair-crdt \
      --anonymize writes them. Status 1 means that the page tells of an error, or that \
      something could not be looked at.
      """,
    statuses: [
      .done, .differs, .usage, .damagedInput, .missingInput, .systemCallFailed, .cannotCreate,
      .inputOutput, .busy, .permissionDenied, .conflictsWithData,
    ])
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp(
      "The data folder; several are read one after the other.", valueName: "folder"),
    completion: .directory)
  var folders: [String] = []

  @Option(help: .foldersFrom, completion: .file()) var foldersFrom: String?
  @Flag(name: .zeroSeparated, help: .zeroSeparated) var null = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the page goes; without it, to standard output.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String?

  @Flag(help: "Leave out names and values: what is left are counts, sizes, times and kinds.")
  var anonymous = false

  @Option(
    help: ArgumentHelp("Write an archive for somebody who helps, too.", valueName: "file"),
    completion: .file(extensions: ["tar"]))
  var bundle: String?

  @Option(help: .backupDirectory, completion: .directory)
  var backupDir: String?

  @Flag(help: "Replace a file that is no page, and an archive that is there.")
  var force = false

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Flag(help: .includePrivate)
  var includePrivate = false

  @Option(help: .numericDates)
  var numericDates: NumericDates?

  @Option(name: .shortAndLong, help: .jobs)
  var jobs: Int?

  @OptionGroup var reporting: ReportingOptions

  var carriesData: Bool { output == nil && bundle == nil }

  private var named: NamedFolders { .init(folders, from: foldersFrom, isZeroed: null) }

  func validate() throws {
    try named.require(unlessOne: bundle == nil ? nil : "--bundle is of one folder")
    if force && carriesData { throw ValidationError("--force goes with -o or --bundle") }
  }

  func perform(_ console: Console) throws {
    // Where there are several, each has its turn below.
    var overview = OverviewOptions(folder: folders.first ?? "")
    overview.backupDirectory = backupDir
    overview.numericDates = numericDates
    overview.includesPrivate = includePrivate
    overview.system = console.system
    var options = PageOptions(overview, sink: console.dataSink)
    (options.output, options.ticket) = (output, bundle)
    options.replaces = force
    options.isAnonymous = anonymous
    func context() throws -> RunContext { try console.context(profile: profile, jobs: jobs) }
    guard named.areSeveral else {
      return console.show(try PageWorkflow(options, context: context()).perform())
    }
    let page = try FoldersPageWorkflow(options, context: context())
    try console.read(named) { folder in
      console.show(try page.add(folder, context: context()))
    } concluding: {
      let length = try page.publish().byteCountText
      console.show(lines: ["The page\(output.map { " in \($0)" } ?? "") has \(length)."])
    }
  }
}
