import Diagnostics
package import MigrationCore

extension ExportReport: ReadableReport {
  package var conclusion: [String] {
    var parts = [tags.counted("tag"), records.counted("record")]
    if others > 0 { parts.append(others.counted("other key")) }
    var sentence =
      "\(isDryRun ? "Would export" : "Exported") \(parts.joined(separator: ", "))"
    if filesCreated + filesUnchanged > 0 {
      sentence += ": \(filesCreated.counted("file")) created, \(filesUnchanged.grouped) unchanged"
    }
    return [sentence + " (\(Duration.seconds(seconds).text))."]
  }
}
