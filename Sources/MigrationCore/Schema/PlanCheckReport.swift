package import Diagnostics
package import Runs
import SafeFiles
package import SchemaMigrations

extension EntityStep {
  /// What people see of the checksum.
  package var shortChecksum: String { String(checksum.description.prefix(12)) }
}

/// What plans say, which were read without a mistake.
package struct PlanCheckReport: RunReport {
  package static let name = "migrate-schema"

  /// The plans.
  package let plans: [Plan]
  package var findings: [Finding] = []

  /// Creates the report.
  package init(_ plans: [Plan]) { self.plans = plans }

  package var items: [ReportObject] {
    plans.flatMap(\.steps).map { step in
      var item = ReportObject()
      item.add("type", "migration-step")
      item.add("id", step.id.rawValue)
      item.add("from", step.versions.map { .integer($0.from) } ?? .null)
      item.add("to", step.versions.map { .integer($0.to) } ?? .null)
      item.add("risk", step.risk.rawValue)
      item.add("checksum", step.checksum.description)
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("plans", plans.count)
    summary.add("steps", plans.reduce(0) { $0 + $1.steps.count })
    summary.add("findings", findings.countsBySeverity)
    return summary
  }
}
