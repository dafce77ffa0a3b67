import Diagnostics
package import MigrationCore

extension AnonymizeReport: ReadableReport {
  package var conclusion: [String] {
    [
      "\(isDryRun ? "Would write" : "Wrote") \(output) (\(byteCount.byteCountText)): "
        + "\(changeCount.counted("change")) with other content, "
        + "\(leftOut.count.counted("part")) left out (\(Duration.seconds(seconds).text)).",
      "Names of fields, lengths, counts, booleans and the order of everything are as they were.",
    ]
  }
}
