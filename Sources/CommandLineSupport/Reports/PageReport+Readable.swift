import Diagnostics
package import FolderPages
import MigrationCore

extension PageReport: ReadableReport {
  package var conclusion: [String] {
    let page = byteCount.map {
      "; the page\(output.map { " in \($0)" } ?? "") has \($0.byteCountText)"
    }
    return [
      "\(DisplayText.subject(folder)): \(status?.rawValue ?? "not told"), "
        + "\(documentCount.counted("document")), "
        + "\(conflictCount.counted("conflict"))\(page ?? "")."
    ] + (ticket.map { ["What may be sent to somebody who helps is in \($0)."] } ?? [])
  }
}
