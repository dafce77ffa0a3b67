import CommandLineSupport
import Diagnostics
import MigrationCore
import Runs

/// What was made where.
struct GenerationReport<Command: Tool>: ReadableReport {
  static var name: String { Command.help.name }

  let path: String
  let fileCount: Int

  var findings: [Finding] = []
  var items: [ReportObject] { [] }

  var summary: ReportObject {
    var summary = ReportObject()
    summary.add("folder", path)
    summary.add("files", fileCount)
    return summary
  }

  var conclusion: [String] { ["Made \(path) with \(fileCount.counted("file"))."] }
}
