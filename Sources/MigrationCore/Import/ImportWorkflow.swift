package import Runs

/// Turns the entities of a folder or a stream into documents, convergently.
///
/// The documents are a function of the entities alone: two devices that import one folder write
/// the same changes. Everything is built and proven before anything of the folder is replaced.
package struct ImportWorkflow {
  private let options: ImportOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: ImportOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what `perform()` would do, without taking the lock and without writing anything.
  package func plan() throws(MigrationError) -> ImportReport {
    var run = ImportRun(options, context: context, isDryRun: true)
    return try run.run()
  }

  /// Imports under the app's lock and returns what was done; a second run changes nothing.
  package func perform() throws(MigrationError) -> ImportReport {
    var run = ImportRun(options, context: context, isDryRun: false)
    return try run.run()
  }
}
