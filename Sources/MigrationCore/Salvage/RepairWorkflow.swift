package import Runs

/// Builds a new document from what can still be read of a damaged one.
///
/// The damaged file is only read. The new document has another actor and one change; it shares no
/// history with any other copy, so nobody may merge them.
package struct RepairWorkflow {
  private let options: RepairOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: RepairOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what could be salvaged; writes nothing.
  package func plan() throws(MigrationError) -> RepairReport {
    try RepairRun(options, context: context, isDryRun: true).run()
  }

  /// Writes the new document, unless nothing at all could be salvaged: that is an error.
  package func perform() throws(MigrationError) -> RepairReport {
    try RepairRun(options, context: context, isDryRun: false).run()
  }
}
