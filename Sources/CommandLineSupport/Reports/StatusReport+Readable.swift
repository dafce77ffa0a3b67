import Diagnostics
package import MigrationCore

extension StatusReport: ReadableReport {
  package var conclusion: [String] {
    let obstacles = errors.map { "\($0.count.grouped) \($0.code.rawValue)" }
    return [status.rawValue]
      + (obstacles.isEmpty ? [] : ["in the way: \(obstacles.joined(separator: ", "))"])
      + damagedDocuments.map { "damaged: \($0)" }
      + notLookedAt.map { "not looked at: \($0)" }
      + next.map { "next: \($0)" }
  }
}
