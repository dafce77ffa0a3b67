package import Diagnostics

/// The result of a run, in a form that can be printed by people's tools and by scripts.
package protocol RunReport: Sendable {
  /// The name of the report, which is the command that made it.
  static var name: String { get }
  /// Everything worth telling, gravest first within a path, paths in byte order.
  var findings: [Finding] { get set }
  /// Whether something differs although no finding of severity error says so.
  var differs: Bool { get }
  /// One object for every item of the run (a month, a file, a backup), in the order to print.
  var items: [ReportObject] { get }
  /// The summary: the last line of the machine form, without `type` and `dryRun`.
  var summary: ReportObject { get }
  /// Whether the run only planned.
  var isDryRun: Bool { get }
}

extension RunReport {
  /// Returns whether the run ends with status 1: something differs or was left out.
  package var endsWithDifferences: Bool {
    differs || findings.contains { $0.severity == .error }
  }

  package var differs: Bool { false }
  package var isDryRun: Bool { false }
}

extension [Finding] {
  /// How many findings there are of each severity, for a summary.
  package var countsBySeverity: ReportValue {
    var object = ReportObject()
    for severity in Severity.allCases {
      object.add(severity.rawValue, count { $0.severity == severity })
    }
    return .object(object)
  }

  /// The findings, each once, in the order in which they were found first.
  package func withoutRepetitions() -> [Finding] {
    var known: Set<Finding> = []
    return filter { known.insert($0).inserted }
  }

  /// The findings by path in byte order, within a path gravest first, then as they were found; each
  /// is told once, by however many parts of a run it was found.
  package func inReportOrder() -> [Finding] {
    var told: Set<Finding> = []
    return enumerated().filter { told.insert($0.element).inserted }.sorted { left, right in
      if left.element.path != right.element.path {
        return left.element.path.utf8.lexicographicallyPrecedes(right.element.path.utf8)
      }
      if left.element.severity != right.element.severity {
        return left.element.severity > right.element.severity
      }
      return left.offset < right.offset
    }.map(\.element)
  }
}
