import Diagnostics
import FolderDocuments
import Folders
import Runs
import SchemaMigrations

/// How it stands with all steps of plans, for some data.
struct PlanStanding {
  /// Of each step, in order; then those that no plan has.
  private(set) var standings: [StepStanding] = []
  /// The steps that run, in order.
  private(set) var running: [EntityStep] = []
  /// The steps that are taken as done, in order.
  private(set) var adopted: [EntityStep] = []
  /// The version that the data has, and the one that it will have.
  let version: Int?
  private(set) var target: Int?
  /// The steps that were done and stand behind one that runs.
  private(set) var overtaken: [(pending: MigrationID, applied: MigrationID)] = []
  /// The step that all others wait for, and the only device that may run it.
  private var ledElsewhere: (step: MigrationID, device: String)?
  /// The steps that were done before, as they are noted.
  private(set) var record: SchemaRecord
  private let known: KnownSteps

  /// Looks at what the data says.
  init(_ options: SchemaOptions, _ known: KnownSteps) throws(MigrationError) {
    self.known = known
    record = known.record
    version = known.version
    target = version
    do throws(MigrationFailure) {
      try decide(options)
    } catch {
      throw .step(error.details.step, error.details.reason, error.details.remedy)
    }
  }

  private mutating func decide(_ options: SchemaOptions) throws(MigrationFailure) {
    let steps = options.steps
    try adopt(steps, options)
    var context = options.context
    context.history.formUnion(record.steps.map { MigrationID(rawValue: $0.id) })
    var isOpen = true
    var blocker: MigrationID?
    for step in steps {
      var standing = try standing(of: step, options, context)
      if !isOpen, standing.state == .pending || standing.state == .waiting {
        standing = StepStanding(
          id: step.id, state: .pending, reason: "behind the last step that was asked for")
      } else if standing.state == .pending {
        if let blocker {
          standing = StepStanding(id: step.id, state: .waiting, reason: "\(blocker) comes first")
        } else {
          if let later = overtaking(step, steps) {
            standing = StepStanding(
              id: step.id, state: .pending,
              reason: standing.reason.isEmpty
                ? "\(later), which comes behind it, was done: it runs with --out-of-order"
                : standing.reason)
            overtaken.append((step.id, later))
          }
          running.append(step)
          context.history.insert(step.id)
          target = step.versions?.to ?? target
        }
      }
      if standing.state == .waiting, blocker == nil {
        blocker = step.id
        if let device = step.leadDevice, device != context.host {
          ledElsewhere = (step.id, device)
        }
      }
      standings.append(standing)
      if step.id == options.target { isOpen = false }
    }
    for done in record.steps where !steps.contains(where: { $0.id.rawValue == done.id }) {
      standings.append(
        StepStanding(
          id: MigrationID(rawValue: done.id), state: .unknown, reason: "no plan here has it"))
    }
  }

  /// Takes the steps up to one, or up to a version, as done.
  private mutating func adopt(
    _ steps: [EntityStep], _ options: SchemaOptions
  ) throws(MigrationFailure) {
    guard let baseline = options.baseline else { return }
    let end: Int
    var named: Int?
    switch baseline {
    case .step(let id): end = (steps.firstIndex { $0.id == id } ?? -1) + 1
    case .version(let version):
      end = steps.prefix { $0.versions.map { $0.to <= version } ?? false }.count
      named = version
    }
    for step in steps[..<end] where !record.steps.contains(where: { $0.id == step.id.rawValue }) {
      record.steps.append(.init(id: step.id.rawValue, checksum: step.checksum))
      adopted.append(step)
    }
    guard let version = steps[..<end].compactMap(\.versions).last?.to ?? named else { return }
    // Of steps before those that were done nothing new is claimed.
    if known.fit != .unknown, let noted = known.versionNoted(by: steps), version <= noted { return }
    target = version
    try requireFit(of: version, for: steps[max(0, end - 1)].id)
  }

  /// Throws unless what is in the data fits a version.
  private func requireFit(
    of version: Int, for step: MigrationID
  ) throws(MigrationFailure) {
    switch known.fit {
    case .unknown: return
    case .versions(let range) where range.contains(version): return
    case .versions(let range):
      throw .validationFailed(
        .init(
          step, "the data fits \(Self.shown(range)), and not version \(version)",
          remedy: "name a version that it fits with --baseline, and let the other steps run"))
    case .none:
      throw .validationFailed(
        .init(
          step, "\(Self.misfit), also not version \(version)",
          remedy: "bring the entities to one version in the app, or run single steps with --force"))
    }
  }

  private static let misfit = "the data as a whole fits no version of its profile"

  private static func shown(_ versions: ClosedRange<Int>) -> String {
    versions.count == 1
      ? "version \(versions.lowerBound)"
      : "versions \(versions.lowerBound) to \(versions.upperBound)"
  }

  private func standing(
    of step: EntityStep, _ options: SchemaOptions, _ context: MigrationContext
  ) throws(MigrationFailure) -> StepStanding {
    func standing(_ state: StepStanding.State, _ reason: String = "") -> StepStanding {
      StepStanding(id: step.id, state: state, reason: reason)
    }
    let isForced = options.forced.contains(step.id)
    if known.unfinished.contains(step.id.rawValue) {
      return standing(
        .unfinished,
        known.isUndoing
          ? "its undoing was stopped in the middle" : "a run was stopped in the middle of it")
    }
    if !isForced {
      if let done = record.steps.last(where: { $0.id == step.id.rawValue }) {
        guard done.checksum == step.checksum else {
          return .edited(step.id)
        }
        let late = known.lateCount(of: step.id)
        if late == 0 { return standing(.applied) }
        if let obstacle = known.obstacle { return standing(.waiting, obstacle) }
        return standing(
          .pending,
          "\(late.counted("entity has", "entities have")) come from elsewhere as before it, or "
            + "been written so since")
      }
      if known.undone.contains(step.id.rawValue) {
        return standing(
          .undone,
          options.layoutStep == nil
            ? "it runs again with --force \(step.id)" : "it runs again without --undo")
      }
      if let versions = step.versions, let target, target >= versions.to {
        return standing(.applied, "the data is of version \(target)")
      }
    }
    if let obstacle = known.obstacle { return standing(.waiting, obstacle) }
    switch try decision(on: step, options, context) {
    case .skip(let reason): return standing(.skipped, reason)
    case .wait(let reason): return standing(.waiting, reason)
    case .migrate: break
    }
    guard let versions = step.versions, !isForced, target != versions.from else {
      return standing(
        .pending,
        known.lost.contains(step.id.rawValue) ? "the files are as they were before it" : "")
    }
    guard let target else {
      switch known.fit {
      case .versions(let range):
        return standing(.waiting, "the data fits \(Self.shown(range)): name it with --baseline")
      case .none: return standing(.waiting, Self.misfit)
      case .unknown:
        return standing(
          .waiting, "nothing says which version the data has: adopt it with --baseline")
      }
    }
    return standing(
      .waiting, "it is for version \(versions.from), and the data is of version \(target)")
  }

  private func decision(
    on step: EntityStep, _ options: SchemaOptions, _ context: MigrationContext
  ) throws(MigrationFailure) -> SchemaMigrations.MigrationDecision {
    let decision = context.decision(on: step.platforms, leadDevice: step.leadDevice)
    guard decision == .migrate, let condition = step.condition,
      !options.ignoringConditions.contains(step.id)
    else { return decision }
    return try condition.decision(in: context)
  }

  /// A later step that was done, where a step was not.
  private func overtaking(_ step: EntityStep, _ steps: [EntityStep]) -> MigrationID? {
    let done = Set(record.steps.map(\.id))
    if done.contains(step.id.rawValue) { return nil }
    return steps.drop { $0.id != step.id }.dropFirst().first { done.contains($0.id.rawValue) }?.id
  }

  /// How it stands with the steps once those that run have run.
  var standingsAfter: [StepStanding] { standings(after: running.map(\.id)) }

  /// How it stands with the steps once some have run.
  func standings(after done: some Sequence<MigrationID>) -> [StepStanding] {
    let done = Set(done)
    return standings.map { standing in
      done.contains(standing.id)
        ? StepStanding(id: standing.id, state: .applied, reason: "now") : standing
    }
  }

  /// Whether a run was stopped while it changed the data.
  var isUnfinished: Bool { !known.unfinished.isEmpty }

  /// Whether nothing is to be done.
  func isIdle(_ options: SchemaOptions) -> Bool {
    if isUnfinished { return false }
    if let undone = options.undone { return isUndone(undone) }
    return running.isEmpty && adopted.isEmpty
  }

  /// The steps that are taken as done and those that run, in order.
  func steps(_ options: SchemaOptions, of kinds: EntityKinds) -> [RunningStep] {
    let all = options.steps
    let known = Set(record.steps.map(\.id))
    func reach(_ step: EntityStep) -> RunningStep.Reach {
      known.contains(step.id.rawValue) && !options.forced.contains(step.id) ? .late : .all
    }
    let steps = adopted.map { ($0, RunningStep.Reach.none) } + running.map { ($0, reach($0)) }
    return steps.enumerated().map { number, step in
      RunningStep(
        number: number, place: all.firstIndex { $0.id == step.0.id } ?? 0, reach: step.1,
        stage: StepStage(step.0, of: kinds, options.context.parameters))
    }
  }

  /// Throws if a step was done as another one of its name.
  private func requireUnedited() throws(MigrationError) {
    guard let edited = standings.first(where: { $0.state == .edited }) else { return }
    throw .editedStep(edited.id)
  }

  /// Throws if the steps are not what the data or the caller allows to run.
  func requireRunnable(_ options: SchemaOptions, isDryRun: Bool) throws(MigrationError) {
    try requireUnedited()
    try options.requireReachable(options.steps.map(\.id))
    if options.undone != nil { return }
    try requireNoneUndone(before: options)
    for step in running { try options.requireParameters(step.parameters, of: step.id) }
    if !isDryRun { try requireConsent(options) }
  }

  /// Throws if a step is forced before whose version another one was undone, which has to come first.
  private func requireNoneUndone(before options: SchemaOptions) throws(MigrationError) {
    let undone = Set(standings.filter { $0.state == .undone }.map(\.id))
    let versioned = options.steps.filter { $0.versions != nil }
    for (place, step) in versioned.enumerated() where options.forced.contains(step.id) {
      guard let first = versioned[..<place].first(where: { undone.contains($0.id) }) else {
        continue
      }
      throw .step(
        step.id, "the step is forced, and \(first.id), which comes before it, was undone",
        "run that once more, too: --force \(first.id)")
    }
  }

  /// Throws if all that is left waits for a step that only another device may run on a folder.
  func requireLeadDevice(_ options: SchemaOptions) throws(MigrationError) {
    guard options.undone == nil, running.isEmpty, let (step, device) = ledElsewhere else { return }
    throw .ledElsewhere(step, by: device, options)
  }

  /// The options by which the caller would agree to what the steps that run would do.
  func missingConsents(_ options: SchemaOptions) -> [String] {
    var consents: [String] = []
    if !overtaken.isEmpty, !options.allowsOtherOrder { consents.append("--out-of-order") }
    if running.contains(where: { $0.risk == .destructive }), !options.allowsDestructive,
      options.layoutStep == nil
    {
      consents.append("--allow-destructive")
    }
    if options.layoutStep?.layout == .perRecord, !running.isEmpty, !options.flattens {
      consents.append("--flatten")
    }
    return consents
  }

  /// Throws unless the caller has agreed to what the steps that run would do.
  private func requireConsent(_ options: SchemaOptions) throws(MigrationError) {
    if let (pending, applied) = overtaken.first, !options.allowsOtherOrder {
      throw .step(
        pending,
        "the step is still to be done, and \(applied), which comes behind it, was done",
        "put it behind the others in the plan, or allow it with --out-of-order")
    }
    for step in running where step.risk == .destructive && !options.allowsDestructive {
      let what =
        step.lost.isEmpty
        ? "the step overwrites what it does not use" : "\(step.lost.listed) will be gone"
      throw .destructiveStep(step.id, what)
    }
  }

  /// Whether a step was undone wherever it was done.
  func isUndone(_ step: MigrationID) -> Bool {
    known.undone.contains(step.rawValue)
      && !record.steps.contains { $0.id == step.rawValue }
  }

  /// Returns a step of the plans that can be undone; throws if it cannot.
  func undoable(
    _ id: MigrationID, _ options: SchemaOptions
  ) throws(MigrationError) -> EntityStep {
    guard let step = options.steps.first(where: { $0.id == id }) else {
      throw .step(id, "no plan here has it", "name a step of the plan")
    }
    if let obstacle = known.obstacle {
      throw .step(step.id, "it cannot be undone: \(obstacle)", "mend that first")
    }
    let done = Set(record.steps.map(\.id))
    guard done.contains(step.id.rawValue) || known.lost.contains(step.id.rawValue) else {
      throw .step(step.id, "the step was not done", "look with --status")
    }
    let later = options.steps.drop { $0.id != step.id }.dropFirst().last {
      $0.versions != nil && done.contains($0.id.rawValue)
    }
    guard let later else { return step }
    throw .step(
      step.id, "\(later.id) was done after it, and builds on it", "undo \(later.id) first")
  }

  /// What the stream says of itself after the steps.
  var recordAfter: SchemaRecord {
    var record = record
    record.version = target
    for step in running {
      record.steps.removeAll { $0.id == step.id.rawValue }
      record.steps.append(.init(id: step.id.rawValue, checksum: step.checksum))
    }
    return record
  }
}

extension EntityStep {
  /// The properties that are lost by it, as `kind/property`.
  var lost: [String] {
    lostProperties.map { "\($0.kind)/\(DisplayText.escaping(Array($0.property.utf8)))" }
  }
}
