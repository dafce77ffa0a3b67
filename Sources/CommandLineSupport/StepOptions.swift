package import ArgumentParser
import Folders
package import MigrationCore
package import Runs
import SchemaMigrations

/// Which steps of plans run, and what they are told.
package struct StepOptions: ParsableArguments {
  /// The values of parameters, as `NAME=VALUE`.
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "The value of a parameter of a plan; may be repeated.", valueName: "name=value"))
  package var values: [String] = []

  /// The last step that runs.
  @Option(name: .customLong("to"), help: ArgumentHelp("The last step to run.", valueName: "id"))
  package var target: String?

  /// The last step that is taken as done.
  @Option(
    help: ArgumentHelp(
      "Take the steps up to this one, or to this version, as done: the data is of it.",
      valueName: "id"))
  package var baseline: String?

  /// The step that is undone.
  @Option(
    help: ArgumentHelp(
      "Undo this step in a folder: what it changed, and nobody has edited since, comes back.",
      valueName: "id"))
  package var undo: String?

  /// The steps that run whatever is noted of them.
  @Option(
    help: ArgumentHelp(
      "Run this step whatever is noted of it; may be repeated.", valueName: "id"))
  package var force: [String] = []

  /// Those whose conditions are taken to hold.
  @Option(
    help: ArgumentHelp(
      "With --force: run this step whatever its condition says; may be repeated.",
      valueName: "id"))
  package var ignoreCondition: [String] = []

  /// Whether steps run before ones that were done.
  @Flag(help: "Run steps that come before ones that were done.")
  package var outOfOrder = false

  /// Whether steps run after which something is gone.
  @Flag(help: "Run steps after which something is gone.")
  package var allowDestructive = false

  /// Whether records get documents of their values.
  @Flag(help: "Let records that share a document get documents of their values, without history.")
  package var flatten = false

  /// A backup of the folder.
  @Option(
    help: ArgumentHelp(
      "A verified backup of the folder, before anything changes; else one is made.",
      valueName: "file"), completion: .backups)
  package var backup: String?

  /// The version of the app.
  @Option(
    help: ArgumentHelp(
      "The version of the app whose data it is, for the conditions of steps.",
      valueName: "version"))
  package var appVersion: String?

  /// The name of the device.
  @Option(
    help: ArgumentHelp("The name of this device, where a plan names the one that runs it."))
  package var host: String?

  /// Creates the options as they are without arguments.
  package init() {}

  /// Refuses what is no version, and a condition to be ignored of a step that is not forced.
  package func validate() throws {
    if let appVersion, AppVersion(appVersion) == nil {
      throw ValidationError("--app-version is no version: write it as in 2.0.1")
    }
    for id in ignoreCondition where !force.contains(id) {
      throw ValidationError("--ignore-condition \(id) goes with --force \(id)")
    }
  }

  /// Fills in what is asked for, for the steps of plans.
  ///
  /// - Parameter isStream: whether they run over a stream, and not in a folder.
  private func fill(
    _ options: inout SchemaOptions, of plans: PlanSelection, isStream: Bool
  ) throws {
    if plans.isOfPlaces, baseline != nil {
      throw ValidationError("--baseline is for plans over entities")
    }
    if isStream, backup != nil {
      throw ValidationError("--backup is for plans over what is in a folder")
    }
    if flatten, plans.layout == nil {
      throw ValidationError("--flatten is for a plan of a layout")
    }
    if plans.layout != nil, baseline != nil || outOfOrder || !force.isEmpty {
      throw ValidationError(
        "--baseline, --out-of-order and --force are for plans over entities: documents show their layout"
      )
    }
    if isStream, undo != nil {
      throw ValidationError(
        "--undo is for a folder: a stream is never changed in its place")
    }
    options.target = try target.map { try plans.step($0, of: "--to") }
    options.baseline = try baseline.map { try plans.baseline($0) }
    options.backup = backup
    options.forced = Set(try force.map { try plans.step($0, of: "--force") })
    for id in ignoreCondition {
      let step = try plans.step(id, of: "--ignore-condition")
      if !plans.hasCondition(step) { throw ValidationError("\(id) has no condition to be ignored") }
      options.ignoringConditions.insert(step)
    }
    options.undone = try undo.map { try plans.step($0, of: "--undo") }
    options.allowsOtherOrder = outOfOrder
    options.allowsDestructive = allowDestructive
    options.flattens = flatten
    options.context = MigrationContext(
      appVersion: appVersion.flatMap { AppVersion($0) },
      toolVersion: AppVersion(ToolVersion.current), host: host ?? SystemCalls.hostName,
      parameters: try plans.parameters(values))
  }

  /// Returns what does the steps of plans over a stream or in a folder, and knows how it stands with them.
  ///
  /// - Parameters:
  ///   - source: a file, `-` for standard input, or a folder.
  ///   - sink: where a changed stream goes; nil if nowhere.
  package func workflow(
    of plans: PlanSelection, for source: String, to sink: ByteSink?, context: RunContext
  ) throws -> any StepWorkflow {
    let isStream = try source == "-" || FolderAccess.isFile(source, context: context)
    try plans.require(isStream: isStream)
    var options = SchemaOptions(
      plans: plans.plans, source: source == "-" ? .stream(.standardInput) : .file(path: source))
    try fill(&options, of: plans, isStream: isStream)
    if !isStream {
      options.context.freeByteCount = FolderAccess.freeSpace(at: source, context: context)
    }
    if plans.isOfPlaces { return PlaceWorkflow(options, in: source, context: context) }
    if isStream {
      if let sink { options.sink = sink }
      return SchemaWorkflow(options, context: context)
    }
    let folder = try ListedFolder(source, context: context)
    if plans.layout != nil { return LayoutWorkflow(options, in: folder, context: context) }
    return try FileStepWorkflow.concerns(folder, context: context)
      ? FileStepWorkflow(options, in: folder, context: context)
      : DocumentStepWorkflow(options, in: folder, context: context)
  }
}
