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
        "a store of an old version into documents of the newest one",
        "export-json Ritualist.sqlite --profile ritualist"
          + " | migrate-schema plans/ritualist.json - --set zone=Europe/Rome"
          + " | import-crdt - --into habits --profile ritualist"),
      .init("show what would change", "migrate-schema plan.json rows.jsonl -n"),
      .init("how it stands with each step", "migrate-schema plan.json rows.jsonl --status"),
      .init("look for mistakes in a plan", "migrate-schema plan.json --check"),
    ],
    note: """
      The data is a stream as export-json writes it; the changed one goes to standard output, with \
      the steps that were done noted in its first line. If anything cannot be changed as a step \
      says, the stream has no last line, and whoever reads it publishes nothing.
      """,
    statuses: [
      .done, .differs, .usage, .damagedInput, .missingInput, .internalError, .systemCallFailed,
      .inputOutput, .permissionDenied, .conflictsWithData,
    ])
  static let configuration = help.configuration

  @Argument(
    help: ArgumentHelp(
      "Plan files, and last the stream: a file, or - for standard input.",
      valueName: "plan... source"))
  var places: [String] = []

  @Flag(help: "Only look whether the plans are right; there is no source then.")
  var check = false

  @Flag(help: "Print the JSON Schema of plan files.")
  var printSchema = false

  @Flag(help: "Show how it stands with each step; only the first line is read.")
  var status = false

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "The value of a parameter of a plan; may be repeated.", valueName: "name=value"))
  var values: [String] = []

  @Option(name: .customLong("to"), help: ArgumentHelp("The last step to run.", valueName: "id"))
  var target: String?

  @Option(
    help: ArgumentHelp(
      "Take the steps up to this one as done: the data is of its version.", valueName: "id"))
  var baseline: String?

  @Option(
    help: ArgumentHelp(
      "Run this step whatever is noted of it; may be repeated.", valueName: "id"))
  var force: [String] = []

  @Option(
    help: ArgumentHelp(
      "With --force: run this step whatever its condition says; may be repeated.",
      valueName: "id"))
  var ignoreCondition: [String] = []

  @Flag(help: "Run steps that come before ones that were done.")
  var outOfOrder = false

  @Flag(help: "Run steps after which something is gone.")
  var allowDestructive = false

  @Option(
    help: ArgumentHelp(
      "The version of the app whose data it is, for the conditions of steps.",
      valueName: "version"))
  var appVersion: String?

  @Option(
    help: ArgumentHelp("The name of this device, where a plan names the one that runs it."))
  var host: String?

  @Option(help: .profile)
  var profile: String?

  @Flag(name: .dryRun, help: .dryRun)
  var dryRun = false

  @OptionGroup var reporting: ReportingOptions

  var carriesData: Bool { !(check || status || dryRun) }

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
    if let appVersion, AppVersion(appVersion) == nil {
      throw ValidationError("--app-version is no version: write it as in 2.0.1")
    }
    for id in ignoreCondition where !force.contains(id) {
      throw ValidationError("--ignore-condition \(id) goes with --force \(id)")
    }
  }

  func perform(_ console: Console) throws {
    if printSchema { return try console.write(Plan.schema) }
    var context = try console.context(profile: profile)
    let given = profile == nil ? nil : context.kinds.profile
    let plans = try (check ? places : places.dropLast()).map { file in
      try Plan(file: file) { name in
        given?.name == name ? given : Profile.builtIn(named: name)
      }
    }
    try refuseClashes(of: plans)
    if check { return console.show(PlanCheckReport(plans)) }
    if let first = plans.first, profile == nil {
      context.kinds = EntityKinds(first.profile, givenAs: first.profile.name)
    }
    let source = places.last ?? "-"
    var options = SchemaOptions(
      plans: plans, source: source == "-" ? .stream(.standardInput) : .file(path: source))
    if carriesData { options.sink = console.dataSink }
    options.target = try step(target, "--to", of: plans)
    options.baseline = try step(baseline, "--baseline", of: plans)
    options.forced = Set(try force.compactMap { try step($0, "--force", of: plans) })
    options.ignoringConditions = Set(ignoreCondition.map { MigrationID(rawValue: $0) })
    options.allowsOtherOrder = outOfOrder
    options.allowsDestructive = allowDestructive
    options.context = MigrationContext(
      appVersion: appVersion.flatMap { AppVersion($0) }, host: host,
      parameters: try parameters(of: plans))
    for id in ignoreCondition
    where options.steps.first(where: { $0.id.rawValue == id })?.condition == nil {
      throw ValidationError("\(id) has no condition to be ignored")
    }
    let workflow = SchemaWorkflow(options, context: context)
    if status { return console.show(try workflow.status()) }
    console.show(try dryRun ? workflow.plan() : workflow.perform())
  }

  /// Several plans are one list of steps.
  private func refuseClashes(of plans: [Plan]) throws {
    var known: Set<MigrationID> = []
    for (plan, file) in zip(plans, places) {
      if let first = plans.first, plan.profile.name != first.profile.name {
        throw ValidationError(
          "\(file) is for \(plan.profile.name), and \(places[0]) for \(first.profile.name)")
      }
      for step in plan.steps where !known.insert(step.id).inserted {
        throw ValidationError("\(file): another plan has a step \(step.id), too")
      }
    }
  }

  private func step(_ id: String?, _ option: String, of plans: [Plan]) throws -> MigrationID? {
    guard let id else { return nil }
    let found = MigrationID(rawValue: id)
    guard plans.contains(where: { $0.step(found) != nil }) else {
      throw ValidationError("\(option): no step is called \(id)")
    }
    return found
  }

  private func parameters(of plans: [Plan]) throws -> MigrationObject {
    var object = MigrationObject()
    let known = plans.flatMap(\.parameters)
    for text in values {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let parameter = known.first(where: { $0.name == parts[0] }) else {
        throw ValidationError(
          "--set \(text): write NAME=VALUE with a name that a plan has"
            + (known.isEmpty ? "; it has none" : ": " + known.map(\.name).joined(separator: ", ")))
      }
      guard let value = parameter.value(String(parts[1])) else {
        throw ValidationError("--set \(text): that is no value of type \(parameter.kind.rawValue)")
      }
      object[parameter.name] = value
    }
    return object
  }
}
