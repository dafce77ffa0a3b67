package import Runs

/// Writes everything a folder or a document holds as an interchange stream or as legacy files.
package struct ExportWorkflow {
  private let options: ExportOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: ExportOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what `perform()` would write, without writing it.
  package func plan() throws(MigrationError) -> ExportReport {
    var run = ExportRun(options, context: context, isDryRun: true)
    return try run.run()
  }

  /// Exports and returns what was written; never replaces a file with other bytes.
  package func perform() throws(MigrationError) -> ExportReport {
    var run = ExportRun(options, context: context, isDryRun: false)
    return try run.run()
  }
}
