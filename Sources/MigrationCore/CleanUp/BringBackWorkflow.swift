package import Runs

/// Moves what a run moved to quarantine back to where it was.
package struct BringBackWorkflow {
  private let options: BringBackOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: BringBackOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what would move back; writes nothing.
  package func plan() throws(MigrationError) -> CleanUpReport {
    var run = BringBackRun(options, context: context, isDryRun: true)
    return try run.run()
  }

  /// Moves back, under the lock; nothing in the folder is replaced.
  package func perform() throws(MigrationError) -> CleanUpReport {
    var run = BringBackRun(options, context: context, isDryRun: false)
    return try run.run()
  }
}
