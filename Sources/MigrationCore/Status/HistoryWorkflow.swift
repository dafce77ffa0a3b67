import Backups
package import Diagnostics
import FolderState
import Folders
package import Runs
import SafeFiles

/// Reads the history of the runs that wrote to a folder.
package struct HistoryWorkflow {
  private let folder: String
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(folder: String, context: RunContext) {
    self.folder = folder
    self.context = context
  }

  /// Returns every run the history still knows, the older log first; lines that make no sense are
  /// counted and skipped.
  package func perform() throws(MigrationError) -> HistoryReport {
    let clock = RunClock()
    var report = HistoryReport(folder: folder)
    let directory = try FolderAccess.open(
      folder, context: context, unfinishedRestore: .expected)
    report.findings += try Self.unfinishedRestore(of: directory)
    try MigrationError.wrapping { () throws(FileError) in
      guard
        let state = try directory.openDirectoryIfPresent(RelativePath(FolderNames.state))
      else { return }
      for name in [FolderNames.olderHistory, FolderNames.history] {
        for line in try contents(of: name, in: state, noting: &report).split(
          separator: UInt8(ascii: "\n"))
        {
          guard line.count <= RunHistory.longestLine, let line = RunHistoryLine(line) else {
            report.unreadableLines += 1
            continue
          }
          report.runs.append(HistoryReport.Run(line, status: line.text("status") ?? "interrupted"))
        }
      }
      let current = try contents(of: FolderNames.currentRun, in: state, noting: &report)
      if let line = RunHistoryLine(current), !report.runs.contains(where: { $0.isOf(line) }) {
        let isRunning = try Self.isAtWork(in: state)
        report.runs.append(
          HistoryReport.Run(line, status: isRunning ? "running" : "interrupted"))
      }
    }
    report.seconds = clock.seconds
    return report
  }

  /// Tells of a restore that died in the middle, with what finishes it.
  private static func unfinishedRestore(
    of folder: Directory
  ) throws(MigrationError) -> [Finding] {
    do throws(BackupError) {
      try RestorePlace.requireFinished(in: folder)
      return []
    } catch {
      // One that is at work is no finding.
      if case .restoreAtWork = error { return [] }
      guard case .unfinishedRestore = error else { throw MigrationError(error) }
      let diagnostic = error.diagnostic
      return [
        Finding(
          .unfinishedRestore, .error, path: diagnostic.subject, message: diagnostic.problem,
          next: diagnostic.command.map { "\($0.shellText) finishes it; --abort instead undoes it" }
            ?? diagnostic.remedy, command: diagnostic.command)
      ]
    }
  }

  /// The bytes of a log; none if it is not there, or if somebody made it larger than ours become.
  private func contents(
    of name: FileName, in state: Directory, noting report: inout HistoryReport
  ) throws(FileError) -> [UInt8] {
    do throws(FileError) {
      return try state.contents(of: name, limit: 4 * Int(RunHistory.longestLog))
    } catch {
      switch error {
      case .missing: return []
      case .tooLarge:
        report.findings.append(
          Finding(
            .unreadable, .error, path: "\(FolderNames.state)/\(name)",
            message: "is larger than any log of ours: \(error.diagnostic.problem)",
            next: "move it away; the runs it tells of are not shown"))
        return []
      default: throw error
      }
    }
  }

  /// Whether the run that says it is at work still lives; one that does has its mark locked.
  private static func isAtWork(in state: Directory) throws(FileError) -> Bool {
    do throws(FileError) {
      return try state.openForReading(FolderNames.currentRun).isLocked()
    } catch {
      if case .missing = error { return false }
      throw error
    }
  }
}

extension HistoryReport.Run {
  fileprivate init(_ line: RunHistoryLine, status: String) {
    var backup = ""
    if case .object(let object)? = line.members["backup"], case .string(let name)? = object["name"]
    {
      backup = name
    }
    self.init(
      start: line.text("start") ?? "", end: line.text("end") ?? "",
      command: line.text("command") ?? "", status: status, problem: line.text("problem") ?? "",
      backup: backup, line: line.members)
  }

  fileprivate func isOf(_ other: RunHistoryLine) -> Bool {
    line["run"] == .string(other.run)
  }
}

/// The history of the runs that wrote to a folder.
package struct HistoryReport: RunReport {
  package static let name = "inspect-crdt"

  /// One run.
  package struct Run: Hashable, Sendable {
    /// When it began, as UTC text.
    package var start: String
    /// When it ended, as UTC text; empty if nobody could write that down.
    package var end: String
    /// The command that ran.
    package var command: String
    /// How it ended: `done`, `differs`, `failed`, `interrupted`; `running` if it has not.
    package var status: String
    /// What it failed at; empty if it did not.
    package var problem: String
    /// The name of the backup it relied on; empty if it needed none.
    package var backup: String
    /// Everything its line says.
    package var line: ReportObject
  }

  /// The folder.
  package var folder: String
  /// The runs, in the order they ended.
  package var runs: [Run] = []
  /// Lines that make no sense: torn by a crash, or not ours.
  package var unreadableLines = 0
  package var findings: [Finding] = []
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report without runs.
  package init(folder: String) { self.folder = folder }

  package var items: [ReportObject] {
    runs.map { run in
      var item = ReportObject()
      item.add("type", "run")
      for member in run.line.members
      where !["type", "schema", "version", "status"].contains(member.name) {
        item.add(member.name, member.value)
      }
      item.add("status", run.status)
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folder", folder)
    summary.add("runs", runs.count)
    for (status, count) in countsByStatus { summary.add(status, count) }
    var commands = ReportObject()
    for (command, count) in countsByCommand { commands.add(command, count) }
    summary.add("commands", .object(commands))
    summary.add("entitiesImported", entitiesImported)
    summary.add("filesMoved", total("moved"))
    summary.add("filesPurged", total("purged"))
    summary.add("unreadableLines", unreadableLines)
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }

  /// How a run ends, or has not.
  static let ways = ["done", "differs", "failed", "interrupted", "running"]

  /// How many runs ended in each way; every way is listed.
  package var countsByStatus: [(String, Int)] {
    Self.ways.map { status in
      (status, runs.count { $0.status == status })
    }
  }

  /// How many runs there were of each command, by name.
  package var countsByCommand: [(String, Int)] {
    Dictionary(grouping: runs, by: \.command).map { ($0.key, $0.value.count) }
      .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
  }

  /// How many entities all imports of the history put into documents, of whatever kinds. Imports that
  /// knew no profiles say it of tags and records alone.
  package var entitiesImported: Int {
    total { summary in
      let kinds = summary["kinds"].flatMap(Self.object)?.members.map(\.value)
      let counts = (kinds ?? [summary["tags"], summary["records"]].compactMap(\.self))
      return .integer(
        counts.reduce(0) { sum, kind in
          guard case .integer(let count)? = Self.object(kind)?["imported"], count > 0 else {
            return sum
          }
          return sum.addingReportingOverflow(count).overflow ? sum : sum + count
        })
    }
  }

  /// Adds up a count of the summaries of all runs that did what they count: a plan, or a run that was
  /// refused or stopped, only names what it would have done.
  package func total(_ name: String) -> Int { total(of: { $0[name] }) }

  private func total(of count: (ReportObject) -> ReportValue?) -> Int {
    runs.reduce(0) { sum, run in
      guard RunRecord.Outcome(rawValue: run.status)?.isComplete ?? false,
        let summary = run.line["summary"].flatMap(Self.object),
        summary["dryRun"] != .boolean(true), run.line["dryRun"] != .boolean(true),
        case .integer(let number)? = count(summary), number > 0
      else { return sum }
      // Anybody can write to the file: a sum that would not fit stops growing.
      return sum.addingReportingOverflow(number).overflow ? sum : sum + number
    }
  }

  private static func object(_ value: ReportValue) -> ReportObject? {
    if case .object(let object) = value { object } else { nil }
  }
}
