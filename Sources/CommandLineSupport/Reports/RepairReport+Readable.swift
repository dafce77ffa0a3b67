import Diagnostics
package import MigrationCore

extension RepairReport: ReadableReport {
  package var tables: [TextTable] {
    guard !entities.isEmpty else { return [] }
    var table = TextTable(heading: ["", "entities"])
    for certainty in Certainty.allCases where count(of: certainty) > 0 {
      table.add([certainty.rawValue, count(of: certainty).grouped])
    }
    return [table]
  }

  package var conclusion: [String] {
    let salvaged = entities.count - count(of: .lost)
    var sentences = [
      "\(isDryRun ? "Would write" : "Wrote") \(salvaged.counted("entity", "entities")) to "
        + "\(output) (\(byteCount.byteCountText)): \(count(of: .verified).grouped) verified, "
        + "\(count(of: .readable).grouped) readable, \(count(of: .lost).grouped) lost "
        + "(\(Duration.seconds(seconds).text))."
    ]
    if missingChangeCount > 0 || !isWhole {
      sentences.append("Edits may be missing: something in the file could not be verified.")
    }
    sentences.append(
      "It has an identity of its own: never merge it with other copies of the document.")
    return sentences
  }
}

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
