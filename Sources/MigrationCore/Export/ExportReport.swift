package import Diagnostics
package import Runs

/// What an export wrote.
package struct ExportReport: RunReport {
  package static let name = "export-json"

  /// Tags that were written.
  package var tags = 0
  /// Time records that were written.
  package var records = 0
  /// Lines of kind `other` that were written.
  package var others = 0
  /// Entities of the backup that the folder does not show any more.
  package var deleted = 0
  /// Files that were created under the destination.
  package var filesCreated = 0
  /// Files of the destination that held the same bytes already.
  package var filesUnchanged = 0
  package var findings: [Finding] = []
  package var isDryRun = false
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of nothing.
  package init() {}

  package var items: [ReportObject] { [] }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("tags", tags)
    summary.add("records", records)
    summary.add("others", others)
    summary.add("deleted", deleted)
    summary.add("filesCreated", filesCreated)
    summary.add("filesUnchanged", filesUnchanged)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
