package import Diagnostics
import Folders
package import Runs

/// What became of a folder that was to hold JSON again.
package struct RollbackReport: RunReport {
  package static let name = "rollback-folder"

  /// How a run ended before its end.
  package enum Stop: Hashable, Sendable {
    /// Nothing in the folder has changed.
    case before
    /// While the JSON was put in place; the next run knows what became of that.
    case whileReplacing
  }

  /// The absolute path of the folder.
  package var folder: String
  /// The backup of what the folder held before; nil if there was no document.
  package var backup: String?
  /// Lines about months that were purged and are in no JSON.
  package var purged: [String] = []
  /// How the run was stopped; nil if it came to its end.
  package var stop: Stop?
  package var findings: [Finding] = []
  /// Seconds from start to end.
  package var seconds = 0.0

  /// The app's preference that has to be cleared before the app reads JSON again; nil if nobody knows of
  /// one.
  package let preference: String?
  /// What tells a command the profile.
  private let told: [String]

  init(folder: String, _ kinds: EntityKinds) {
    self.folder = folder
    preference = kinds.migrationPreference
    told = kinds.options
  }

  /// What brings back what the folder held before.
  package var undoing: NextCommand? {
    backup.map { NextCommand(.restoreBackup, [$0, "--into", folder] + told) }
  }

  package var items: [ReportObject] { [] }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folder", folder)
    summary.add("backup", backup.map { .string($0) } ?? .null)
    summary.add("undo", undoing.map { ReportValue($0) } ?? .null)
    summary.add("purged", .array(purged.map { .string($0) }))
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
