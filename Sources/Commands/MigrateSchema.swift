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
      "Plan files, and last the stream, a file or - for standard input, or the folder; with --status "
        + "several folders.",
      valueName: "plan... source"), completion: .file())
  var places: [String] = []

  @Flag(help: "Only look whether the plans are right; there is no source then.")
  var check = false

  @Flag(help: "Print the JSON Schema of plan files.")
  var printSchema = false

  @Flag(help: "Show how it stands with each step; only the first line is read.")
  var status = false

  @Option(help: .foldersFrom, completion: .file()) var foldersFrom: String?
  @Flag(name: .zeroSeparated, help: .zeroSeparated) var null = false

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
    if !status, foldersFrom != nil || null {
      throw ValidationError("--folders-from and --null go with --status")
    }
    let modes = [check, printSchema, status, dryRun].count { $0 }
    if modes > 1 {
      throw ValidationError("--check, --print-schema, --status and --dry-run do not go together")
    }
    if printSchema {
      if !places.isEmpty { throw ValidationError("--print-schema takes no plan") }
    } else if check {
      if places.isEmpty { throw ValidationError("--check needs a plan") }
    } else if places.count < (foldersFrom == nil ? 2 : 1) {
      throw ValidationError("a plan and a source are needed; - is standard input")
    }
    if status { try named.sources.require() }
  }

  private var named: PlanPlaces { .init(places, status, from: foldersFrom, isZeroed: null) }

  func perform(_ console: Console) throws {
    if printSchema { return try console.write(Plan.schema) }
    let named = named
    var context = try console.context(profile: profile)
    let selection = try PlanSelection(
      files: check ? places : named.plans, profile: profile == nil ? nil : context.kinds.profile)
    if check { return console.show(PlanCheckReport(selection.plans)) }
    if profile == nil {
      if let kinds = selection.kinds { context.kinds = kinds }
      // The folder may be of any app, and what no profile names has no lock of its own.
      if selection.isOfPlaces { context.appLock = nil }
    }
    let sink = carriesData ? console.dataSink : nil
    guard status else {
      let workflow = try steps.workflow(
        of: selection, for: places.last ?? "-", to: sink, context: context)
      return try console.show(workflow, doing: !dryRun)
    }
    try console.read(named.sources) { source in
      var report = try steps.workflow(of: selection, for: source, to: nil, context: context)
        .status()
      if !report.steps(.edited).isEmpty {
        console.note(.conflictsWithData)
      } else if report.hasStepsToRun {
        report.next = named.running(context.arguments, on: source, with: report.consents)
      } else if let step = report.adoptable {
        report.next = named.running(
          context.arguments, on: source, with: ["--baseline", step.rawValue] + report.consents)
      }
      console.show(report)
    }
  }
}
