import Diagnostics
package import MigrationCore
import Runs

extension StoreRecoveryReport: ReadableReport {
  /// How each store is, and the steps: two lines for each, its reason behind a number and its command
  /// behind `$`.
  package var plan: [String] {
    (isInRestore ? ["\(place): in the middle of a restore"] : stores.map(\.sentence))
      + RecoveryReport.lines(of: steps)
  }

  /// What is left for a person to decide, and the steps that did not help.
  private var decisions: [String] {
    guard !left.isEmpty, steps.isEmpty else { return [] }
    return ["For a person to decide:"]
      + left.flatMap { left in
        ["\(left.count.grouped) \(left.code.rawValue)"] + left.next.map { "  next: \($0)" }
      }.map { "  \($0)" }
  }

  package var conclusion: [String] {
    (endsWithDifferences ? [] : ["Nothing is wrong."]) + plan + decisions
      + notLookedAt.map { "not looked at: \($0)" }
  }
}

extension StoreRecoveryReport.Store {
  fileprivate var sentence: String {
    let rows = rowCount.map { ", \($0.counted("row"))" } ?? ""
    guard condition != .whole else { return "\(path): \(condition.rawValue)\(rows)" }
    guard let backup, let backupRowCount else {
      return "\(path): \(condition.rawValue)\(rows); no backup that was found brings it back"
    }
    return "\(path): \(condition.rawValue)\(rows); \(backup) holds \(backupRowCount.counted("row"))"
  }
}
