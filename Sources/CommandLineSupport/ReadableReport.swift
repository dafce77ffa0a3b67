import MigrationCore
package import Runs

/// A report as people read it: tables, findings, and sentences that say what came of it.
package protocol ReadableReport: RunReport {
  /// Tables shown first; empty ones are left out.
  var tables: [TextTable] { get }
  /// The end of the report, the part a person in a hurry reads.
  var conclusion: [String] { get }
}

extension ReadableReport {
  package var tables: [TextTable] { [] }
}
