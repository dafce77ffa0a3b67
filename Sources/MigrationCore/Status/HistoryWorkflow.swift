import Diagnostics
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
