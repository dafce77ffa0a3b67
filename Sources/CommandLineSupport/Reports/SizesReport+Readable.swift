import Diagnostics
package import MigrationCore

extension SizesReport: ReadableReport {
  package var tables: [TextTable] {
    guard !documents.isEmpty else { return [] }
    var table = TextTable(
      heading: ["bytes", "values alone", "times", "entities", "changes", "operations", "document"])
    for document in documents { table.add(cells(document.size, document.path)) }
    if documents.count > 1 { table.add(cells(total, "all together")) }
    return [table]
  }

  private func cells(_ size: Size, _ name: String) -> [String] {
    [
      size.byteCount.grouped, size.valueByteCount.grouped, size.ratioText,
      size.entityCount.grouped, size.changeCount.grouped, size.operationCount.grouped,
      name.safeForTerminal,
    ]
  }

  package var conclusion: [String] {
    guard !documents.isEmpty else {
      return ["No document in \(DisplayText.subject(folder)) can be measured."]
    }
    return [
      "\(documents.count.counted("document")), \(total.byteCount.byteCountText); today's "
        + "\(total.valueCount.counted("value")) alone would take "
        + "\(total.valueByteCount.byteCountText), so the history makes it "
        + "\(total.ratioText) times as large (\(Duration.seconds(seconds).text))."
    ]
  }
}

extension SizesReport.Size {
  /// The ratio with one decimal.
  fileprivate var ratioText: String {
    guard let ratio else { return "" }
    let tenths = Int((ratio * 10).rounded())
    return "\((tenths / 10).grouped).\(tenths % 10)"
  }
}
