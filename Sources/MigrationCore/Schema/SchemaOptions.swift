import Diagnostics
import FolderDocuments
import Folders
package import Runs
package import SchemaMigrations

/// What runs steps of plans over some data.
package protocol StepWorkflow: PlannedWorkflow where Report == SchemaReport {
  /// Returns how it stands with each step; nothing is written.
  func status() throws(MigrationError) -> SchemaReport
}

/// What `migrate-schema` is asked to do.
package struct SchemaOptions {
  /// Where a stream comes from.
  package enum Source: Sendable {
    case stream(ByteSource)
    case file(path: String)
  }

  /// Up to where steps are taken as done.
  package enum Baseline: Hashable, Sendable {
    /// Up to this one, which is, too.
    case step(MigrationID)
    /// Up to the one that leads to this version.
    case version(Int)
  }

  /// The step that is undone; nil if steps run.
  package var undone: MigrationID?

  /// The plans, whose steps run in this order.
  package var plans: [Plan]
  /// Where the stream comes from.
  package var source: Source
  /// Where it goes; nil if it is only looked at.
  package var sink: ByteSink?
  /// The last step that runs; nil for the last one there is.
  package var target: MigrationID?
  /// Up to where steps are taken as done, because the data is of that version already.
  package var baseline: Baseline?
  /// The steps that run whatever is known of them.
  package var forced: Set<MigrationID> = []
  /// Those of them whose conditions are taken to hold.
  package var ignoringConditions: Set<MigrationID> = []
  /// Whether steps may run before ones that were done.
  package var allowsOtherOrder = false
  /// Whether steps may run after which something is gone.
  package var allowsDestructive = false
  /// Whether records may get documents of their values, without their history.
  package var flattens = false
  /// A verified backup of the folder; nil if one is made before anything is changed.
  package var backup: String?
  /// What steps may know; parameters included.
  package var context = MigrationContext()

  /// Creates options that run all steps.
  package init(plans: [Plan], source: Source) {
    self.plans = plans
    self.source = source
  }

  /// The steps of all plans, in order.
  package var steps: [EntityStep] { plans.flatMap(\.steps) }

  /// How many of the steps, from the first one on, are taken as done.
  var adoptedCount: Int {
    switch baseline {
    case nil: 0
    case .step(let id): (steps.firstIndex { $0.id == id } ?? -1) + 1
    case .version(let version):
      steps.prefix { $0.versions.map { $0.to <= version } ?? false }.count
    }
  }

  /// Those of a look at what a run has left.
  var looking: SchemaOptions {
    var options = self
    (options.forced, options.undone, options.baseline) = ([], nil, nil)
    return options
  }

  /// The step that gives records another layout, and that layout; nil if the plans have none.
  var layoutStep: (step: EntityStep, layout: DocumentLayout)? {
    steps.lazy.compactMap { step in step.layout.map { (step, $0) } }.first
  }
}

// What keeps steps from running, of whatever sort they are.
extension SchemaOptions {
  /// Throws if a step is forced that comes behind the last one that is to run.
  func requireReachable(_ ids: [MigrationID]) throws(MigrationError) {
    guard let target, let end = ids.firstIndex(of: target) else { return }
    guard let beyond = ids[(end + 1)...].first(where: forced.contains) else { return }
    throw .step(
      beyond, "the step is forced, and comes behind \(target), up to which steps are to run",
      "name it with --to, or leave --force out")
  }

  /// Throws unless a value is given for each parameter that a step needs.
  func requireParameters(_ names: Set<String>, of step: MigrationID) throws(MigrationError) {
    for name in names.sorted() where context.parameters[name] == nil {
      let meaning = plans.flatMap(\.parameters).first { $0.name == name }?.description
      throw .optionMissing(
        option: "--set \(name)=VALUE",
        reason: "\(step) needs it" + (meaning.map { ": \($0)" } ?? ""))
    }
  }

  /// Whether a value is given for each parameter that a step needs.
  func hasParameters(of step: EntityStep) -> Bool {
    step.parameters.allSatisfy { context.parameters[$0] != nil }
  }

  /// Throws if a step is destructive and the caller has not agreed to that.
  func requireConsent(to step: EntityStep) throws(MigrationError) {
    guard step.risk == .destructive, !allowsDestructive else { return }
    throw .destructiveStep(
      step.id,
      step.lost.isEmpty
        ? "the step overwrites what it does not use" : "\(step.lost.listed) will be gone")
  }
}

extension MigrationError {
  /// A step that cannot run as the data is, or as it was asked for.
  static func step(_ id: MigrationID, _ problem: String, _ remedy: String) -> MigrationError {
    .underlying(
      Diagnostic(.conflictsWithData, subject: id.rawValue, problem: problem, remedy: remedy))
  }

  /// A step that only another device may run.
  static func ledElsewhere(
    _ id: MigrationID, by device: String, _ options: SchemaOptions
  ) -> MigrationError {
    .step(
      id, "only \(device) may run the step, and this is \(options.context.host ?? "another")",
      "run it there, or say with --host what this device is called")
  }

  /// A step that was done as another one.
  static func editedStep(_ id: MigrationID) -> MigrationError {
    .step(
      id, "the step was done as another one of this name",
      "give the new one an id of its own, or take back the edit of the plan")
  }

  /// A step after which something is gone, and nobody has agreed to that.
  static func destructiveStep(_ id: MigrationID, _ problem: String) -> MigrationError {
    .step(
      id, problem, "look at it with --dry-run, keep a copy, and agree with --allow-destructive")
  }
}
