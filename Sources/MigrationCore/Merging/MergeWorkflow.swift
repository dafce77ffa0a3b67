package import Runs

/// Merges the copies that sync services leave of a conflict, where their content proves that they
/// belong together.
package struct MergeWorkflow {
  private let options: MergeOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: MergeOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what would be merged and what would stay; writes nothing and needs no lock.
  package func plan() throws(MigrationError) -> MergeReport {
    var run = MergeRun(options, context: context, isDryRun: true)
    return try run.run()
  }

  /// Merges under the app's lock: a copy moves to quarantine once what it held is proven to be on
  /// disk. A second run changes nothing.
  package func perform() throws(MigrationError) -> MergeReport {
    var run = MergeRun(options, context: context, isDryRun: false)
    return try run.run()
  }
}
