import Diagnostics
import Folders
import Runs
import SchemaMigrations

// Which steps can be undone.
extension PlanStanding {
  /// Whether a step was undone wherever it was done.
  func isUndone(_ step: MigrationID) -> Bool {
    known.undone.contains(step.rawValue)
      && !record.steps.contains { $0.id == step.rawValue }
  }

  /// Returns a step of the plans that can be undone; throws if it cannot.
  ///
  /// - Parameter isRunSince: whether it has run once more since those were done that build on it.
  func undoable(
    _ id: MigrationID, _ options: SchemaOptions, isRunSince: Bool = false
  ) throws(MigrationError) -> EntityStep {
    guard let step = options.steps.first(where: { $0.id == id }) else {
      throw .step(id, "no plan here has it", "name a step of the plan")
    }
    if let obstacle = known.obstacle {
      throw .step(step.id, "it cannot be undone: \(obstacle)", "mend that first")
    }
    let done = Set(record.steps.map(\.id))
    guard
      done.contains(step.id.rawValue) || known.lost.contains(step.id.rawValue)
        || known.editedAway[step.id.rawValue] != nil
    else {
      throw .step(step.id, "the step was not done", "look with --status")
    }
    let later = options.steps.drop { $0.id != step.id }.dropFirst().last {
      $0.versions != nil && done.contains($0.id.rawValue)
    }
    if let later, !isRunSince {
      throw .step(
        step.id, "\(later.id) was done after it, and builds on it", "undo \(later.id) first")
    }
    // One before it that has changed something cannot be undone before it is.
    let isInTheWay =
      step.versions != nil
      && options.steps.prefix { $0.id != step.id }.contains {
        $0.versions != nil && done.contains($0.id.rawValue) && !hasNoEffect($0.id)
      }
    guard hasNoEffect(step.id), !isInTheWay else { return step }
    throw .step(
      step.id,
      "there is nothing to undo: the step was only taken as done, or has found nothing to change",
      "--force \(step.id) does it to all that is there now")
  }

  /// A step that was undone, wherever it was done or where a run of it does not know that, and of which a later
  /// one has taken away what it reads, as on another device.
  struct Deprived {
    let step: MigrationID
    /// The steps to be undone before it can run, in the order in which they were done.
    let later: [MigrationID]
    /// What leads out.
    let remedy: String

    /// What is so, in words.
    var reason: String {
      "\(later[0]), which was done, has taken away what it reads: \(remedy) does both once more"
    }
  }

  /// Returns what tells that a step that was undone finds no more what it reads; nil if it does, or was not
  /// undone.
  func deprived(_ step: EntityStep, _ options: SchemaOptions) -> Deprived? {
    guard isUndone(step.id) || known.partlyUndone.contains(step.id.rawValue) else { return nil }
    let later = options.steps.drop { $0.id != step.id }.dropFirst().filter { later in
      record.steps.contains { $0.id == later.id.rawValue } && !hasNoEffect(later.id)
    }
    guard let first = later.first(where: { $0.takesAway(from: step) }) else { return nil }
    // Of steps between versions the last one goes first.
    let undone = later.drop { $0.id != first.id }.filter {
      $0.id == first.id || $0.versions != nil || $0.takesAway(from: step)
    }
    let ids = undone.map(\.id)
    let remedy = commands(options).commands(undoing: ids, forcing: Set([step.id] + ids))
    return Deprived(step: step.id, later: ids, remedy: remedy.joined(separator: ", then "))
  }

  /// Tells of steps that were undone and find no more what they read.
  func deprivations(_ options: SchemaOptions) -> [Finding] {
    if options.undone != nil { return [] }
    return options.steps.compactMap { step in
      deprived(step, options).map { deprived in
        Finding(
          .editedSince, .warning,
          message: "\(step.id): the step was undone, and \(deprived.later[0]) has taken away what "
            + "it reads: no app shows what was before it, nor what it made of that",
          next: deprived.remedy)
      }
    }
  }

  /// Throws if a step is forced that was undone and finds no more what it reads: it would make less than it did,
  /// or nothing.
  func requireSources(_ options: SchemaOptions) throws(MigrationError) {
    for step in options.steps where options.forced.contains(step.id) {
      guard let deprived = deprived(step, options) else { continue }
      throw .step(
        step.id,
        step.folds.isEmpty
          ? "the step would make nothing of what \(deprived.later[0]) has taken away"
          : "the step would put together only a part: \(deprived.later[0]) has taken away what it "
            + "reads",
        deprived.remedy)
    }
  }

  /// Whether a step that was done has changed nothing: it was only taken as done, or found nothing to change.
  func hasNoEffect(_ step: MigrationID) -> Bool { known.withoutEffect.contains(step.rawValue) }
}
