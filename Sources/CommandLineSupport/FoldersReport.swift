import Diagnostics
import Fleets
import Runs

/// How a command ended for each of several folders.
struct FoldersReport {
  static let name = "folders"

  /// The folders, each once, in the order they are read.
  let folders: [String]
  var findings: [Finding]
  /// With how many each status was.
  private var counts: [ExitStatus: Int] = [:]

  init(_ list: FolderList) {
    (folders, findings) = (list.folders, list.findings)
  }

  /// Takes how the command ended for the next folder.
  mutating func note(_ status: ExitStatus) { counts[status, default: 0] += 1 }

  private var readCount: Int { counts.values.reduce(0, +) }
}

extension FoldersReport: ReadableReport {
  var items: [ReportObject] { [] }

  var summary: ReportObject {
    var statuses = ReportObject()
    for (status, count) in counts.sorted(by: { $0.key < $1.key }) {
      statuses.add(String(status.rawValue), count)
    }
    var summary = ReportObject()
    summary.add("folders", folders.count)
    summary.add("statuses", .object(statuses))
    summary.add("notRead", folders.count - readCount)
    summary.add("findings", findings.countsBySeverity)
    return summary
  }

  var conclusion: [String] {
    let endings = counts.sorted { $0.key < $1.key }.map { status, count in
      "\(count.grouped) with status \(status.rawValue) (\(status.meaning))"
    }
    var sentence = "\(folders.count.counted("folder")): \(endings.joined(separator: ", "))"
    if readCount < folders.count { sentence += "; \((folders.count - readCount).grouped) not read" }
    return [sentence]
  }
}
