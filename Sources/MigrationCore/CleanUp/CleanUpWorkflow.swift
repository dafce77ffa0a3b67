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
  package func plan() throws(MigrationError) -> CleanUpReport { fatalError() }

  /// Moves what is proven, under the lock; needs a backup that verifies.
  package func perform() throws(MigrationError) -> CleanUpReport { fatalError() }
}
