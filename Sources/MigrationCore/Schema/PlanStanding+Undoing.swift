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

  /// Whether a step that was done has changed nothing: it was only taken as done, or found nothing to change.
  func hasNoEffect(_ step: MigrationID) -> Bool { known.withoutEffect.contains(step.rawValue) }
}
