package import Runs

/// Unlinks old files of the quarantine that a verified backup also holds.
package struct PurgeWorkflow {
  private let options: PurgeOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: PurgeOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what would be unlinked; writes nothing.
  package func plan() throws(MigrationError) -> CleanUpReport {
    var run = PurgeRun(options, context: context, isDryRun: true)
    return try run.run()
  }

  /// Unlinks, under the lock; needs a backup that verifies.
  package func perform() throws(MigrationError) -> CleanUpReport {
    var run = PurgeRun(options, context: context, isDryRun: false)
    return try run.run()
  }
}
