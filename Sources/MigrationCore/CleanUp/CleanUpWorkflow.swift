package import Runs

/// Moves legacy files to quarantine once documents and a backup are proven to hold them.
package struct CleanUpWorkflow {
  private let options: CleanUpOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: CleanUpOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns which files would move and which would stay; writes nothing.
  package func plan() throws(MigrationError) -> CleanUpReport {
    var run = CleanUpRun(options, context: context, isDryRun: true)
    return try run.run()
  }

  /// Moves what is proven, under the lock; needs a backup that verifies.
  package func perform() throws(MigrationError) -> CleanUpReport {
    var run = CleanUpRun(options, context: context, isDryRun: false)
    return try run.run()
  }
}
