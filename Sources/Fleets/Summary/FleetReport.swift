package import Diagnostics
package import Runs

/// How the folders of a fleet stand.
package struct FleetReport: RunReport {
  package static let name = "migrate-fleet"

  /// A folder that needs a person, or another run.
  package struct Entry: Sendable {
    /// The folder, as the list names it.
    package var folder: String
    /// How it stands; nil if it has no result.
    package var outcome: FleetResult.Outcome?
    /// The status that the command ended with.
    package var status: Int?
    /// What is wrong, for people; empty if nothing is told.
    package var problem: String
    /// What to run for it.
    package var command: [String]
  }

  package var findings: [Finding]
  /// How many folders the list names.
  package let folderCount: Int
  /// How many of them stand so.
  package private(set) var counts: [FleetResult.Outcome: Int] = [:]
  /// Those that are not done, in the order of the list.
  package private(set) var entries: [Entry] = []
  /// How many folders got a result in this run, or would be run; nil if nothing is to run.
  package var ranCount: Int?
  package var isDryRun = false
  /// Whether the run was ended by the rule it was given.
  package var isHalted = false
  /// The file of results, in display form.
  package let results: String
  /// How long it took.
  package let seconds: Double

  init(_ list: FolderList, _ results: FleetResults, _ task: FleetTask, seconds: Double) {
    findings = list.findings
    folderCount = list.folders.count
    self.results = results.path
    self.seconds = seconds
    if results.foreignLineCount > 0 {
      findings.append(
        Finding(
          .foreignFile, .warning, path: results.path,
          message: "has \(results.foreignLineCount.counted("line")) that no run wrote whole",
          next: "nothing: folders without a line of their own are run again"))
    }
    for folder in list.folders {
      let standing = results.standings[folder]
      if let standing { counts[standing.outcome, default: 0] += 1 }
      guard standing?.outcome != .done else { continue }
      entries.append(
        Entry(
          folder: folder, outcome: standing?.outcome, status: standing?.status,
          problem: standing?.problem ?? "",
          command: standing?.toldCommand ?? (results.words ?? task.words) + [folder]))
    }
  }

  /// How many folders have no result.
  package var unrunCount: Int { entries.count { $0.outcome == nil } }

  package var differs: Bool { !entries.isEmpty }

  package var items: [ReportObject] {
    entries.map { entry in
      var line = ReportObject()
      line.add("type", "folder")
      line.add("folder", entry.folder)
      line.add("outcome", entry.outcome?.rawValue ?? "no-result")
      if let status = entry.status { line.add("status", status) }
      if !entry.problem.isEmpty { line.add("message", entry.problem) }
      line.add("command", .array(entry.command.map { .string($0) }))
      return line
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("results", results)
    summary.add("folders", folderCount)
    var outcomes = ReportObject()
    for outcome in FleetResult.Outcome.allCases {
      outcomes.add(outcome.rawValue, counts[outcome] ?? 0)
    }
    outcomes.add("no-result", unrunCount)
    summary.add("outcomes", .object(outcomes))
    if let ranCount { summary.add("ran", ranCount) }
    summary.add("halted", isHalted)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}
