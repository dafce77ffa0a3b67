import Diagnostics
package import Fleets
import Runs

extension FleetReport: ReadableReport {
  /// So many folders that are not done are shown to people; scripts get all.
  private static let shownCount = 20

  package var tables: [TextTable] {
    var counted = TextTable(heading: ["outcome", "folders"])
    for outcome in FleetResult.Outcome.allCases {
      if let count = counts[outcome] { counted.add([outcome.rawValue, count.grouped]) }
    }
    if unrunCount > 0 { counted.add(["no result", unrunCount.grouped]) }
    var table = TextTable(heading: ["folder", "outcome", "problem", "next"])
    for entry in entries.prefix(Self.shownCount) {
      table.add([
        entry.folder.safeForTerminal, entry.outcome?.rawValue ?? "no result",
        Self.shortened(entry.problem), ShellWord.line(of: entry.command).safeForTerminal,
      ])
    }
    return [counted, table]
  }

  package var conclusion: [String] {
    let done = counts[.done] ?? 0
    var sentences: [String] = []
    if let ranCount {
      let verb = isDryRun ? "Would run" : "Ran"
      sentences.append("\(verb) \(ranCount.counted("folder")) (\(Duration.seconds(seconds).text)).")
    }
    if isHalted { sentences.append("The rule of --halt ended the run.") }
    if entries.count > Self.shownCount {
      let more = entries.count - Self.shownCount
      sentences.append(
        "\(more.counted("more folder is", "more folders are")) not done (--json lists all).")
    }
    sentences.append(
      "\(done.grouped) of \(folderCount.counted("folder")) done; results: \(results)")
    return sentences
  }

  private static func shortened(_ text: String) -> String {
    let safe = text.safeForTerminal
    return safe.count > 80 ? safe.prefix(80) + "..." : safe
  }
}
