package import Runs
package import SchemaMigrations

/// What `migrate-schema` is asked to do.
package struct SchemaOptions {
  /// Where a stream comes from.
  package enum Source: Sendable {
    case stream(ByteSource)
    case file(path: String)
  }

  /// The step over places that is undone; nil if steps run.
  package var undone: MigrationID?

  /// The plans, whose steps run in this order.
  package var plans: [Plan]
  /// Where the stream comes from.
  package var source: Source
  /// Where it goes; nil if it is only looked at.
  package var sink: ByteSink?
  /// The last step that runs; nil for the last one there is.
  package var target: MigrationID?
  /// The last step that is taken as done, because the data is of its version already.
  package var baseline: MigrationID?
  /// The steps that run whatever is known of them.
  package var forced: Set<MigrationID> = []
  /// Those of them whose conditions are taken to hold.
  package var ignoringConditions: Set<MigrationID> = []
  /// Whether steps may run before ones that were done.
  package var allowsOtherOrder = false
  /// Whether steps may run after which something is gone.
  package var allowsDestructive = false
  /// What steps may know; parameters included.
  package var context = MigrationContext()

  /// Creates options that run all steps.
  package init(plans: [Plan], source: Source) {
    self.plans = plans
    self.source = source
  }

  /// The steps of all plans, in order.
  package var steps: [EntityStep] { plans.flatMap(\.steps) }
}
