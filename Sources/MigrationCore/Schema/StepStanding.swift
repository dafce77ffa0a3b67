import Diagnostics
import Folders
package import SchemaMigrations

/// How it stands with a step.
package struct StepStanding: Hashable, Sendable {
  /// The words for it.
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// It was done, or the data is of a later version.
    case applied
    /// It runs, or would.
    case pending
    /// It cannot run here or now.
    case waiting
    /// It is for other systems or data; nothing has to be done.
    case skipped
    /// A run was stopped in the middle of it; the next one finishes it.
    case unfinished
    /// It was undone.
    case undone
    /// It was done as another step of this name.
    case edited
    /// It was done, and no plan has it.
    case unknown
  }

  /// The step.
  package let id: MigrationID
  /// How it stands.
  package let state: State
  /// Why, in words; empty where the state says it.
  package let reason: String

  init(id: MigrationID, state: State, reason: String) {
    (self.id, self.state, self.reason) = (id, state, reason)
  }
}

/// How it stands with all steps of plans, for the data of a stream.
struct PlanStanding {
  /// Of each step, in order; then those that no plan has.
  private(set) var standings: [StepStanding] = []
  /// The steps that run, in order.
  private(set) var running: [EntityStep] = []
  /// The version that the data has, and the one that it will have.
  let version: Int?
  private(set) var target: Int?
  /// The steps that were done and stand behind one that runs.
  private(set) var overtaken: [(pending: MigrationID, applied: MigrationID)] = []
  /// The steps that were done before, as they are noted.
  private(set) var record: SchemaRecord

  /// Looks at what the first line of a stream says.
  init(
    _ options: SchemaOptions, _ header: StreamHeader
  ) throws(MigrationFailure) {
    record = header.schema ?? SchemaRecord()
    version = header.version
    target = version
    let steps = options.steps
    try baseline(options, steps)
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
          running.append(step)
          context.history.insert(step.id)
          target = step.versions?.to ?? target
        }
      }
      if standing.state == .waiting, blocker == nil { blocker = step.id }
      standings.append(standing)
      if step.id == options.target { isOpen = false }
    }
    noteOvertaken(steps)
    for done in record.steps where !steps.contains(where: { $0.id.rawValue == done.id }) {
      standings.append(
        StepStanding(
          id: MigrationID(rawValue: done.id), state: .unknown, reason: "no plan here has it"))
    }
  }

  /// Takes the steps up to one as done.
  private mutating func baseline(
    _ options: SchemaOptions, _ steps: [EntityStep]
  ) throws(MigrationFailure) {
    guard let baseline = options.baseline,
      let last = steps.firstIndex(where: { $0.id == baseline })
    else { return }
    for step in steps[...last] where !record.steps.contains(where: { $0.id == step.id.rawValue }) {
      record.steps.append(.init(id: step.id.rawValue, checksum: step.checksum))
    }
    target = steps[...last].compactMap(\.versions).last?.to ?? target
  }

  private func standing(
    of step: EntityStep, _ options: SchemaOptions, _ context: MigrationContext
  ) throws(MigrationFailure) -> StepStanding {
    func standing(_ state: StepStanding.State, _ reason: String = "") -> StepStanding {
      StepStanding(id: step.id, state: state, reason: reason)
    }
    let isForced = options.forced.contains(step.id)
    if !isForced {
      if let done = record.steps.last(where: { $0.id == step.id.rawValue }) {
        return done.checksum == step.checksum
          ? standing(.applied)
          : standing(.edited, "it was done as another step: give the new one another id")
      }
      if let versions = step.versions, let target, target >= versions.to {
        return standing(.applied, "the data is of version \(target)")
      }
    }
    switch try decision(on: step, options, context) {
    case .skip(let reason): return standing(.skipped, reason)
    case .wait(let reason): return standing(.waiting, reason)
    case .migrate: break
    }
    guard let versions = step.versions, !isForced, target != versions.from else {
      return standing(.pending)
    }
    guard let target else {
      return standing(
        .waiting,
        "nothing says which version the data has: adopt it with --baseline")
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

  private mutating func noteOvertaken(_ steps: [EntityStep]) {
    let done = Set(record.steps.map(\.id))
    for (index, step) in steps.enumerated() {
      guard running.contains(where: { $0.id == step.id }), !done.contains(step.id.rawValue),
        let later = steps[(index + 1)...].first(where: { done.contains($0.id.rawValue) })
      else { continue }
      overtaken.append((step.id, later.id))
    }
  }

  /// How it stands with the steps once those that run have run.
  var standingsAfter: [StepStanding] {
    standings.map { standing in
      guard running.contains(where: { $0.id == standing.id }) else { return standing }
      return StepStanding(id: standing.id, state: .applied, reason: "now")
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
