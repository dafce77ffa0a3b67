package import Diagnostics
package import Runs

/// What is wrong with stores, which backup holds each whole, and what would put them right.
package struct StoreRecoveryReport: RunReport {
  package static let name = "recover-folder"

  /// One store.
  package struct Store: Hashable, Sendable {
    /// How it is.
    package enum Condition: String, CaseIterable, Hashable, Sendable {
      /// It can be read, every row of it.
      case whole
      /// It cannot be opened.
      case damaged
      /// The database is gone.
      case missing
      /// The rows are gone that a backup holds.
      case emptied
    }

    /// The absolute path of its database.
    package var path: String
    /// How it is.
    package var condition: Condition
    /// How many rows it holds; nil if nobody can read them.
    package var rowCount: Int?
    /// The backup that brings it back; nil if nothing has to, or there is none.
    package var backup: String?
    /// How many rows that holds.
    package var backupRowCount: Int?
  }

  /// Findings of one code that no step takes care of.
  package typealias Left = RecoveryReport.Left

  /// The absolute path of what was given.
  package var place: String
  /// Whether a restore was interrupted: then nothing else was looked at.
  package var isInRestore = false
  /// The stores, by their paths.
  package var stores: [Store] = []
  /// What puts them right, in order.
  package var steps: [RecoveryStep] = []
  /// What was not looked at, for people.
  package var notLookedAt: [String] = []
  package var findings: [Finding] = []
  package var isDryRun = false
  /// Seconds from start to end.
  package var seconds = 0.0

  init(place: String) {
    self.place = place
  }

  /// The findings that are errors, counted by code, in the order of the codes' names.
  package var left: [Left] { RecoveryReport.left(of: findings) }

  package var differs: Bool { !steps.isEmpty }

  package var items: [ReportObject] {
    stores.map { store in
      var item = ReportObject()
      item.add("type", "store")
      item.add("path", store.path)
      item.add("condition", store.condition.rawValue)
      item.add("rows", store.rowCount.map { .integer($0) } ?? .null)
      item.add("backup", store.backup.map { .string($0) } ?? .null)
      item.add("backupRows", store.backupRowCount.map { .integer($0) } ?? .null)
      return item
    } + RecoveryReport.items(of: steps)
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folder", place)
    summary.add("inRestore", isInRestore)
    summary.add("stores", stores.count)
    summary.add("steps", steps.count)
    var counts = ReportObject()
    for left in left { counts.add(left.code.rawValue, left.count) }
    summary.add("left", .object(counts))
    summary.add("notLookedAt", .array(notLookedAt.map { .string($0) }))
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
