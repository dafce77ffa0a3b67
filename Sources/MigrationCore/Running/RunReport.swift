package import Diagnostics

/// The result of a run, in a form that can be printed by people's tools and by scripts.
package protocol RunReport: Sendable {
  /// The name of the report, which is the command that made it.
  static var name: String { get }
  /// Everything worth telling, gravest first within a path, paths in byte order.
  var findings: [Finding] { get }
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
