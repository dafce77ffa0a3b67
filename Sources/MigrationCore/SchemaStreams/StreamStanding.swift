import Folders
import Runs
import SchemaMigrations

// What is said of the data of a stream, before anybody has looked at it.
extension PlanStanding {
  /// The version that the data has before steps run.
  var versionBefore: Int? { taken ?? version }

  /// By a step that was done and is forced, the first one that was done and has taken away what it puts together:
  /// what it puts together now is only a part.
  func consumers(_ options: SchemaOptions) -> [MigrationID: MigrationID] {
    func isDone(_ step: EntityStep) -> Bool {
      record.steps.contains { $0.id == step.id.rawValue } || step.leads(to: versionBefore)
    }
    var consumers: [MigrationID: MigrationID] = [:]
    for step in running where options.forced.contains(step.id) && isDone(step) {
      let behind = options.steps.drop { $0.id != step.id }
      consumers[step.id] = behind.first { isDone($0) && $0.consumes(anyOf: step) }?.id
    }
    return consumers
  }
}

extension StepChain.Replacement {
  /// The error that a step that is forced puts together only a part.
  func error(_ consumer: MigrationID, of kinds: EntityKinds) -> MigrationError {
    .step(
      step,
      "the step would put together only a part of what it has put together: "
        + "\(consumer == step ? "it" : consumer.rawValue) has taken away what it reads; "
        + FoldedTotals.replacement(of: property, kinds.title(kind, identity), before, by: after),
      "leave --force \(step) out, or run the steps over what was there before \(consumer)")
  }
}
