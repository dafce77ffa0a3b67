/// Compares every field of every entity with the documents, in both directions.
package struct VerificationWorkflow {
  private let options: VerificationOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: VerificationOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Verifies and returns what was found; reads only, and takes no lock.
  package func perform() throws(MigrationError) -> VerificationReport { fatalError() }
}
