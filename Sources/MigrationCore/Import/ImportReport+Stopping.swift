import Diagnostics
import Runs

extension ImportReport {
  /// Notes that the run ended at its first error and wrote nothing.
  mutating func noteStopped(lookedAt count: Int, of total: Int) {
    for kind in counts.indices { counts[kind].noteStopped() }
    documents.removeAll { $0.outcome != .unchanged && $0.outcome != .waiting }
    var finding = Finding.stopped(leaving: (total - count).counted(of: total, "group"))
    finding.message += ", and nothing was written"
    findings.append(finding)
  }
}

extension ImportReport.Counts {
  fileprivate mutating func noteStopped() {
    waiting += imported
    imported = 0
    known += updated
    updated = 0
  }
}
