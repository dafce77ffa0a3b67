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
  /// The version that the data is taken for; nil if nobody says so, or steps have left it behind.
  private(set) var taken: Int?
  /// The version that the data has, and the one that it will have.
  let version: Int?
  private(set) var target: Int?
  /// The steps that were done and stand behind one that runs.
  private(set) var overtaken: [(pending: MigrationID, applied: MigrationID)] = []
  /// The step that all others wait for, and the only device that may run it.
  private(set) var ledElsewhere: (step: MigrationID, device: String)?
  /// The steps that were done before, as they are noted.
  private(set) var record: SchemaRecord
  let known: KnownSteps

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
          id: step.id, state: .pending, reason: "behind the last step that was asked for",
          isBeyond: true)
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
          // A step that is forced once more takes nothing from the data that later ones have made of it.
          if let versions = step.versions { target = max(target ?? versions.to, versions.to) }
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
    let end = options.adoptedCount
    let named: Int? = if case .version(let version) = baseline { version } else { nil }
    if known.isEmpty {
      throw .validationFailed(
        .init(
          steps[max(0, end - 1)].id,
          "there is no document in which it could be noted which steps were done"
            + (known.obstacle.map { ": \($0)" } ?? ""),
          remedy:
            "bring what the app has into documents with import-crdt, then give --baseline once "
            + "more"))
    }
    for step in steps[..<end] where !record.steps.contains(where: { $0.id == step.id.rawValue }) {
      record.steps.append(.init(id: step.id.rawValue, checksum: step.checksum))
      adopted.append(step)
    }
    if let failure = incompleteTotal(options) { throw failure }
    guard let version = steps[..<end].compactMap(\.versions).last?.to ?? named else { return }
    if let noted = known.versionNoted(by: steps), version <= noted {
      // What was done before says so already, and so it does where the same run is called once more.
      if version == noted || known.isFinishing || known.fits(version) || known.taken == version {
        return
      }
      throw lowered(to: version, from: noted, steps, end)
    }
    (target, taken) = (version, version)
    // What a run has left half done may fit nothing before it is finished.
    // What shows that it is as before steps that were done to the rest gets them.
    if known.unfinished.isEmpty, rest.isEmpty {
      try requireFit(of: version, for: steps[max(0, end - 1)].id)
      if let obstacle = known.obstacle {
        throw .validationFailed(
          .init(
            steps[max(0, end - 1)].id, "nobody can tell whether all the data fits: \(obstacle)",
            remedy: "mend that, then give --baseline once more"))
      }
    }
  }

  /// The data is to be taken for a version that steps have left behind.
  private func lowered(
    to version: Int, from noted: Int, _ steps: [EntityStep], _ end: Int
  ) -> MigrationFailure {
    let done = steps.filter { step in
      step.versions.map { $0.to > version } ?? false
        && known.record.steps.contains { $0.id == step.id.rawValue }
    }.map(\.id.rawValue)
    var problem =
      "the data is of version \(noted), and not \(version): \(done.joined(separator: ", ")) "
      + (done.count == 1 ? "was done" : "were done")
    var remedy = "leave --baseline out"
    // A stream goes back by none of its steps: what it was made of is there still.
    if known.fit != .unknown, let last = done.last { remedy += "; to go back, undo \(last) first" }
    if case .versions(let range) = known.fit { problem += ", and it fits \(Self.shown(range))" }
    return .validationFailed(.init(steps[max(0, end - 1)].id, problem, remedy: remedy))
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
        let doubtful = known.doubtfulCount(of: step.id)
        if late == 0 {
          return standing(
            .applied,
            doubtful == 0
              ? ""
              : "of \(doubtful.counted("entity", "entities")) nothing shows whether as before it or "
                + "as after it")
        }
        if let obstacle =
          known.obstacle ?? deprived(step, options)?.reason ?? loss(by: step, options)
        {
          return standing(.waiting, obstacle)
        }
        return standing(
          .pending,
          "\(late.counted("entity has", "entities have")) come from elsewhere as before it, or "
            + "been written so since")
      }
      if known.undone.contains(step.id.rawValue) {
        if let count = known.editedAway[step.id.rawValue] {
          return standing(
            .undone,
            "\(count.counted("entity was", "entities were")) edited elsewhere meanwhile: "
              + "--undo \(step.id) brings that back")
        }
        if let deprived = deprived(step, options) { return standing(.undone, deprived.reason) }
        return standing(
          .undone,
          options.layoutStep == nil
            ? "it runs again with \(commands(options).options(forcing: [step.id]))"
            : "it runs again without --undo")
      }
      if let versions = step.versions, let target, target >= versions.to {
        return standing(.applied, "the data is of version \(target)")
      }
    }
    if !isForced, let done = known.doneOverFiles.last(where: { $0.id == step.id.rawValue }) {
      guard done.checksum == step.checksum else { return .edited(step.id) }
      return standing(
        .waiting,
        "it was done to the JSON files, and no document says whether it was made of these then: "
          + "--baseline \(step.id) takes it as done\(rest(of: step.id)), --force \(step.id) does it to "
          + "all documents")
    }
    if let obstacle = known.obstacle { return standing(.waiting, obstacle) }
    switch try decision(on: step, options, context) {
    case .skip(let reason): return standing(.skipped, reason)
    case .wait(let reason): return standing(.waiting, reason)
    case .migrate: break
    }
    if !isForced, let loss = loss(by: step, options) { return standing(.waiting, loss) }
    guard let versions = step.versions, !isForced, target != versions.from else {
      return standing(
        .pending,
        known.lost.contains(step.id.rawValue) ? "the files are as they were before it" : "")
    }
    guard let target else {
      if known.isEmpty { return standing(.waiting, "there is no document yet") }
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

  /// What taking a step as done does to entities that show that it was not done to them.
  private func rest(of step: MigrationID) -> String {
    known.restCounts[step.rawValue].map { count in
      ", but for \(count.counted("entity that is", "entities that are")) as before it and "
        + (count == 1 ? "gets it" : "get it")
    } ?? ""
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

  /// Whether it was stopped at a step.
  func isUnfinished(_ step: MigrationID) -> Bool { known.unfinished.contains(step.rawValue) }

  /// Whether nothing is to be done.
  func isIdle(_ options: SchemaOptions) -> Bool {
    if isUnfinished { return false }
    if let undone = options.undone {
      return isUndone(undone) && known.editedAway[undone.rawValue] == nil
    }
    return running.isEmpty && adopted.isEmpty
  }

  /// Returns the step that can be taken as done because it was done over the JSON files of which documents were
  /// made, and so were all before it, or these are done; nil if there is none.
  func adoptable(_ options: SchemaOptions) -> MigrationID? {
    let overFiles = Set(known.doneOverFiles.map(\.id))
    let behind = standings.prefix { standing in
      standing.state == .applied
        || standing.state == .waiting && overFiles.contains(standing.id.rawValue)
    }
    for candidate in behind.reversed() where candidate.state == .waiting {
      var taken = self
      let end = options.steps.firstIndex { $0.id == candidate.id } ?? -1
      taken.adopted = options.steps[...end].filter { step in
        !record.steps.contains { $0.id == step.id.rawValue }
      }
      if taken.incompleteTotal(options) == nil { return candidate.id }
    }
    return nil
  }

  /// The steps that are taken as done and those that run, in order.
  func steps(_ options: SchemaOptions, of kinds: EntityKinds) -> [RunningStep] {
    let all = options.steps
    let known = Set(record.steps.map(\.id))
    func reach(_ step: EntityStep) -> RunningStep.Reach {
      known.contains(step.id.rawValue) && !options.forced.contains(step.id) ? .late : .all
    }
    let following = following(options)
    let behind = Set(following.map(\.id))
    let ran = all.filter { step in
      behind.contains(step.id) || running.contains { $0.id == step.id }
    }
    let rest = Set(self.rest.map(\.id))
    let steps =
      adopted.map { ($0, rest.contains($0.id) ? .rest : .none) } + ran.map { ($0, reach($0)) }
    return steps.enumerated().map { number, step in
      RunningStep(
        number: number, place: all.firstIndex { $0.id == step.0.id } ?? 0, reach: step.1,
        isFollowing: step.1 != .none && behind.contains(step.0.id),
        stage: StepStage(step.0, of: kinds, options.context.parameters))
    }
  }

  /// The steps that were done and come behind one that runs on entities that came later: what that makes
  /// of these may be as before them.
  private func following(_ options: SchemaOptions) -> [EntityStep] {
    let known = Set(record.steps.map(\.id))
    let late = running.first { known.contains($0.id.rawValue) && !options.forced.contains($0.id) }
    guard let late else { return [] }
    let applied = Set(standings.filter { $0.state == .applied }.map(\.id))
    let end = options.target.flatMap { target in options.steps.firstIndex { $0.id == target } }
    let behind = options.steps.prefix((end ?? options.steps.count - 1) + 1)
      .drop { $0.id != late.id }.dropFirst()
    return behind.filter { step in
      applied.contains(step.id) && known.contains(step.id.rawValue)
        && !adopted.contains { $0.id == step.id } && !running.contains { $0.id == step.id }
        // What it puts together is of all entities, and what it makes for none is there.
        && (step.makesOthers || step.folds.isEmpty && step.creations.isEmpty)
        // Whether a total holds what that makes shows once it is there.
        && !behind.prefix { $0.id != step.id }.contains(where: step.consumes(anyOf:))
        && options.hasParameters(of: step)
    }
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
