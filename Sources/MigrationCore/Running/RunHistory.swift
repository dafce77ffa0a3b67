import Diagnostics
import Folders
import SafeFiles

/// The append-only log of runs that changed a folder, for people to read.
///
/// No program trusts it: what was done shows in the folder itself. Failing to append is a finding
/// and never changes the outcome.
enum RunHistory {
  /// The file is renamed when it is larger; nothing is ever taken out of it.
  private static let schema = "automerge-migrate/history"

  /// Appends one line about a run. Called under the lock.
  static func append<Report: RunReport>(
    _ report: Report, to folder: Directory, begun: FileTime, context: RunContext
  ) -> Finding? {
    var line = ReportObject()
    line.add("schema", schema)
    line.add("version", 1)
    line.add("time", RFC3339(milliseconds: begun.seconds * 1000).description)
    line.add("command", context.command)
    line.add("arguments", .array(context.arguments.map { .string($0) }))
    line.add("tool", context.version)
    line.add("status", report.endsWithDifferences ? "differs" : "done")
    line.add("summary", .object(report.summary))
    do throws(FileError) {
      let state = try folder.createDirectory(FolderNames.state)
      try state.appendLine(line.jsonBytes, to: FolderNames.history)
      return nil
    } catch {
      return Finding(
        .historyNotWritten, .warning, path: "\(FolderNames.state)/\(FolderNames.history)",
        message: error.diagnostic.problem)
    }
  }
}
