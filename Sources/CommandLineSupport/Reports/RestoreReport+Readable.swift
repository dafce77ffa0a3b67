package import MigrationCore

extension RestoreReport: ReadableReport {
  package var tables: [TextTable] {
    guard outcome == .listed else { return [] }
    var table = TextTable(heading: ["bytes", "path"])
    for entry in entries { table.add([entry.byteCount.grouped, entry.path]) }
    return [table]
  }

  package var conclusion: [String] {
    let size = entries.reduce(0) { $0 + $1.byteCount }
    let content = "\(entries.count.counted("entry", "entries")), \(size.byteCountText)"
    let time = Duration.seconds(seconds).text
    var sentences: [String] = []
    if finishedEarlierRestore { sentences.append("Finished an earlier, interrupted restore.") }
    switch outcome {
    case .listed: sentences.append(content + ".")
    case .checked:
      sentences.append("Every entry has the hash it should have: \(content) (\(time)).")
    case .planned: sentences.append("Would restore \(content).")
    case .restored: sentences.append("Restored \(content), every hash verified (\(time)).")
    }
    if !setAside.isEmpty {
      sentences.append(
        "\(isDryRun ? "Would set" : "Set") aside what the folder held in \(setAside).")
    }
    return sentences
  }
}
