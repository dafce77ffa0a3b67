import Diagnostics
package import FolderPages
import MigrationCore

extension PageReport: ReadableReport {
  package var conclusion: [String] {
    let place = output.map { " in \($0)" } ?? ""
    return [
      "The page of \(DisplayText.subject(folder)): \(status?.rawValue ?? "not told"), "
        + "\(documentCount.counted("document")), "
        + "\(conflictCount.counted("conflict")); \(byteCount.byteCountText)\(place)."
    ] + (ticket.map { ["What may be sent to somebody who helps is in \($0)."] } ?? [])
  }
}
