import ArgumentParser
import CommandLineSupport
import Diagnostics
import Folders
import MigrationCore
import Runs
import SchemaMigrations

struct MigrateSchema: Tool {
  static let help = HelpText(
    "migrate-schema", "Change what an app's data looks like, by the steps of a plan",
    examples: [
      .init(
        "the rows of a store as a newer version of its app has them",
        "export-json App.store | migrate-schema plan.json - > new.jsonl"),
      .init("show what would change", "migrate-schema plan.json rows.jsonl -n"),
      .init("how it stands with each step", "migrate-schema plan.json rows.jsonl --status"),
      .init("bring back what a step has used", "migrate-schema settings.json App --undo unify"),
      .init("look for mistakes in a plan", "migrate-schema plan.json --check"),
    ],
    note: """
      A plan over entities takes a stream as export-json writes it; the changed one goes to standard \
      output, with the steps that were done noted in its first line. If anything cannot be changed as \
      a step says, the stream has no last line, and whoever reads it publishes nothing. A plan over \
      places takes a folder. What a step has used stays below its state, for --undo.
      """,
    statuses: [
      .done, .differs, .usage, .damagedInput, .missingInput, .internalError, .systemCallFailed,
      .cannotCreate, .inputOutput, .busy, .permissionDenied, .conflictsWithData,
    ])
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp(
      "Plan files, and last the stream, a file or - for standard input, or the folder.",
      valueName: "plan... source"), completion: .file())
  var places: [String] = []

  @Flag(help: "Only look whether the plans are right; there is no source then.")
  var check = false

  @Flag(help: "Print the JSON Schema of plan files.")
  var printSchema = false

  @Flag(help: "Show how it stands with each step; only the first line is read.")
  var status = false

  @OptionGroup var steps: StepOptions

  @Option(help: .profile, completion: .profiles)
  var profile: String?

  @Flag(name: .dryRun, help: .dryRun)
  var dryRun = false

  @OptionGroup var reporting: ReportingOptions

  var carriesData: Bool { !(check || status || dryRun) && isStream }

  /// Whether the source is a stream, which goes on to standard output, and no folder.
  private var isStream: Bool {
    guard let source = places.last, source != "-" else { return true }
    // Of what cannot be looked at whoever opens it says why.
    return (try? FolderAccess.isFile(source, context: RunContext(command: Self.help.name))) ?? true
  }

  func validate() throws {
    let modes = [check, printSchema, status, dryRun].count { $0 }
    if modes > 1 {
      throw ValidationError("--check, --print-schema, --status and --dry-run do not go together")
    }
    if printSchema {
      if !places.isEmpty { throw ValidationError("--print-schema takes no plan") }
    } else if check {
      if places.isEmpty { throw ValidationError("--check needs a plan") }
    } else if places.count < 2 {
      throw ValidationError("a plan and a source are needed; - is standard input")
    }
  }

  func perform(_ console: Console) throws {
    if printSchema { return try console.write(Plan.schema) }
    var context = try console.context(profile: profile)
    let selection = try PlanSelection(
      files: Array(check ? places[...] : places.dropLast()),
      profile: profile == nil ? nil : context.kinds.profile)
    if check { return console.show(PlanCheckReport(selection.plans)) }
    if profile == nil, let kinds = selection.kinds { context.kinds = kinds }
    let source = places.last ?? "-"
    let isStream = try source == "-" || FolderAccess.isFile(source, context: context)
    try selection.require(isStream: isStream)
    var options = SchemaOptions(
      plans: selection.plans, source: source == "-" ? .stream(.standardInput) : .file(path: source))
    try steps.fill(&options, of: selection, isStream: isStream)
    if !isStream {
      options.context.freeByteCount = FolderAccess.freeSpace(at: source, context: context)
    }
    let workflow: any StepWorkflow
    if selection.isOfPlaces {
      // The folder may be of any app, and what no profile names has no lock of its own.
      if profile == nil { context.appLock = nil }
      workflow = PlaceWorkflow(options, in: source, context: context)
    } else if isStream {
      if carriesData { options.sink = console.dataSink }
      workflow = SchemaWorkflow(options, context: context)
    } else {
      let folder = try ListedFolder(source, context: context)
      if selection.layout != nil {
        workflow = LayoutWorkflow(options, in: folder, context: context)
      } else if folder.isOfFiles {
        workflow = FileStepWorkflow(options, in: folder, context: context)
      } else {
        workflow = DocumentStepWorkflow(options, in: folder, context: context)
      }
    }
    if status {
      var report = try workflow.status()
      if !report.steps(.edited).isEmpty {
        console.note(.conflictsWithData)
      } else if report.hasStepsToRun {
        let shown = ["--status", "--brief", "--json"]
        report.next = NextCommand(
          .migrateSchema, context.arguments.filter { !shown.contains($0) })
      }
      return console.show(report)
    }
    try console.show(workflow, doing: !dryRun)
  }
}
