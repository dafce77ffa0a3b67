import Diagnostics
package import MigrationCore
import Runs

extension CompactionReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(heading: ["document", "size", "as one chunk"])
    for document in documents {
      table.add([
        document.path.safeForTerminal, document.formerByteCount.byteCountText,
        document.byteCount.byteCountText,
      ])
    }
    return [table]
  }

  package var conclusion: [String] {
    let all = documentCount.counted("document")
    guard !documents.isEmpty else { return ["Of \(all) none would be a tenth shorter."] }
    return [
      "\(isDryRun ? "Would write" : "Wrote") \(documents.count.grouped) of \(all) as one chunk: "
        + "\(savedByteCount.byteCountText) less, and every change is there."
    ]
  }
}
