package import Diagnostics
package import Runs
import SafeFiles
package import SchemaMigrations

extension PlanCheckReport {
  /// The steps as people see them: name, versions, risk, the beginning of the checksum.
  package var rows: [[String]] {
    plans.flatMap(\.steps).map { step in
      [
        step.id.rawValue, step.versions.map { $0.from.grouped } ?? "",
        step.versions.map { $0.to.grouped } ?? "", step.risk.rawValue,
        String(step.checksum.description.prefix(12)),
      ]
    }
      + plans.flatMap(\.places).map { step in
        [
          step.id.rawValue, "", "", step.risk.rawValue,
          String(step.checksum.description.prefix(12)),
        ]
      }
  }
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
    plans.flatMap(\.steps).map { step -> ReportObject in
      var item = ReportObject()
      item.add("type", "migration-step")
      item.add("id", step.id.rawValue)
      item.add("from", step.versions.map { .integer($0.from) } ?? .null)
      item.add("to", step.versions.map { .integer($0.to) } ?? .null)
      item.add("risk", step.risk.rawValue)
      item.add("checksum", step.checksum.description)
      return item
    }
      + plans.flatMap(\.places).map { step -> ReportObject in
        var item = ReportObject()
        item.add("type", "migration-step")
        item.add("id", step.id.rawValue)
        item.add("risk", step.risk.rawValue)
        item.add("checksum", step.checksum.description)
        return item
      }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("plans", plans.count)
    summary.add("steps", plans.reduce(0) { $0 + $1.steps.count + $1.places.count })
    summary.add("findings", findings.countsBySeverity)
    return summary
  }
}
