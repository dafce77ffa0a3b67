package import Runs

/// What a verification says of a place, which is a folder, or one of stores.
package enum PlaceVerification {
  case documents(VerificationReport)
  case stores(StoreStatusReport)

  /// Compares the documents of a folder with their reference. A place in which there is nothing to
  /// compare may be one of stores: of those it looks for what contradicts itself.
  package static func read(
    _ options: VerificationOptions, context: RunContext
  ) throws(MigrationError) -> PlaceVerification {
    let isAlone = !options.reference.isGiven
    let stores = StoreCheckWorkflow(options.folder, context: context)
    if isAlone, try stores.isOfFile(), let report = try stores.perform() {
      return .stores(report)
    }
    let report = try VerificationWorkflow(options, context: context).perform()
    if isAlone, report.isOfNothing, let found = try stores.perform() {
      return .stores(found)
    }
    return .documents(report)
  }
}
