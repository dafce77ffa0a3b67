import Diagnostics
package import MigrationCore

extension HistoryReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(heading: ["start", "command", "ended", "backup"])
    for run in runs {
      let ended = run.problem.isEmpty ? run.status : "\(run.status): \(run.problem)"
      table.add([run.start, run.command, ended, run.backup].map(\.safeForTerminal))
    }
    return [table]
  }

  package var conclusion: [String] {
    guard let first = runs.first else {
      return [
        "No run has written to \(DisplayText.subject(folder)) yet, as far as its history tells."
      ]
    }
    let ends = countsByStatus.filter { $0.1 > 0 }.map { "\($0.1.grouped) \($0.0)" }
    var sentences = [
      "\(runs.count.counted("run")) since \(first.start): \(ends.joined(separator: ", ")).",
      "In all, \(entitiesImported.counted("entity", "entities")) imported, "
        + "\(total("moved").counted("file")) moved to quarantine, "
        + "\(total("purged").grouped) purged.",
    ]
    if unreadableLines > 0 {
      sentences.append("\(unreadableLines.counted("line")) of the history cannot be read.")
    }
    return sentences
  }
}
