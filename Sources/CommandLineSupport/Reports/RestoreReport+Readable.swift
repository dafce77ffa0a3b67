import Diagnostics
package import MigrationCore

extension RestoreReport: ReadableReport {
  package var tables: [TextTable] {
    if outcome == .listed {
      var table = TextTable(heading: ["bytes", "path"])
      for entry in entries { table.add([entry.byteCount.grouped, entry.path]) }
      return [table]
    }
    var table = TextTable(heading: ["bytes", "", "path", "the old one"])
    for entry in entries {
      guard let outcome = entry.outcome else { continue }
      table.add([entry.byteCount.grouped, outcome.rawValue, entry.path, entry.setAside])
    }
    return [table]
  }

  package var conclusion: [String] {
    let moved = entries.filter { $0.outcome != .unchanged }
    let unchanged = entries.count - moved.count
    let size = moved.reduce(0) { $0 + $1.byteCount }
    let content = "\(moved.count.counted("entry", "entries")), \(size.byteCountText)"
    let time = Duration.seconds(seconds).text
    var sentences: [String] = []
    if finishedEarlierRestore {
      sentences.append(
        "\(isDryRun ? "Would finish" : "Finished") an earlier, interrupted restore.")
    }
    if abortedEarlierRestore {
      sentences.append(
        isDryRun
          ? "Would put back what an earlier, interrupted restore had moved."
          : "Put back what an earlier, interrupted restore had moved.")
    }
    switch outcome {
    case .listed: sentences.append(content + ".")
    case .checked:
      sentences.append("Every entry has the hash it should have: \(content) (\(time)).")
    case .planned: sentences.append("Would restore \(content).")
    case .restored:
      let proof = isVerified == true ? ", every hash verified" : ""
      sentences.append("Restored \(content)\(proof) (\(time)).")
    case .finished:
      if !finishedEarlierRestore, !abortedEarlierRestore {
        sentences.append("No restore was interrupted.")
      }
    case .aborted:
      if !abortedEarlierRestore { sentences.append("No restore was interrupted.") }
    }
    if unchanged > 0 {
      sentences.append("Left \(unchanged.counted("entry", "entries")) alone: nothing differs.")
    }
    if !setAside.isEmpty {
      let isWhole = entries.allSatisfy { $0.outcome == nil }
      sentences.append(
        "Set aside \(isWhole ? "what the folder held" : "what was in the way") in \(setAside).")
    }
    return sentences
  }
}
