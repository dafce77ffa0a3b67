package import Diagnostics
package import Runs

/// What became of a folder that was to be migrated, and what comes next.
package struct MigrationReport: RunReport {
  package static let name = "migrate-folder"

  /// The folder, as it was given.
  package var folder: String
  /// What was found, and what follows from it.
  package var decision: MigrationDecision
  /// Where the folder stands if there is nothing to migrate and what was migrated is not all there.
  package var lost: StatusReport?
  /// The names of what a folder holds that we know nothing of.
  package var foreign: [String] = []
  /// Where files with entities would lie, as the profile says it; empty for the built-in one.
  package var expectedFiles: [String] = []
  /// The path of the backup; nil as long as there is none.
  package var backup: String?
  /// What to run next: of each line its commands, which are run one after the other.
  package var next: [[NextCommand]] = []
  package var findings: [Finding] = []
  package var isDryRun = false
  /// Seconds from start to end.
  package var seconds = 0.0

  init(folder: String, _ decision: MigrationDecision) {
    self.folder = folder
    self.decision = decision
  }

  package var differs: Bool { lost != nil }

  package var items: [ReportObject] { [] }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folder", folder)
    summary.add("folderStatus", (lost?.status ?? decision.status).rawValue)
    summary.add("backup", backup.map { .string($0) } ?? .null)
    summary.add("next", .array(nextLines.map { .string($0) }))
    summary.add(
      "commands", .array(next.map { .array($0.map { ReportValue($0) }) }))
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }

  /// What to run next, a line for a shell each.
  package var nextLines: [String] {
    next.map { $0.map(\.shellText).joined(separator: " && ") }
  }
}
