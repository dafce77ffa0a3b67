import Diagnostics
import Folders
package import Runs
import SafeFiles

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
  package func perform() throws(MigrationError) -> VerificationReport {
    let clock = RunClock()
    let folder = try FolderAccess.open(options.folder, context: context)
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(of: folder, noting: &unlisted)
    let rules = EntityRules(numericDates: options.numericDates.map { NumericDates($0) })
    let references: VerificationReferences =
      switch options.reference {
      case .automatic: try .inPlace(folder, inventory, rules: rules)
      case .folder(let path): try .folder(path, rules: rules, context: context)
      case .stream(let source): .stream(source, rules: rules)
      case .backup(let path): try .backup(path, rules: rules, context: context)
      }
    var run = VerificationRun(
      folder, inventory, unlisted: unlisted, against: references, context: context)
    var report = try run.run().report
    if options.requiresEqual {
      for index in report.findings.indices
      where [.editedSince, .deletedSince].contains(report.findings[index].code) {
        report.findings[index].severity = .error
      }
      report.findings = report.findings.inReportOrder()
    }
    report.seconds = clock.seconds
    return report
  }
}
