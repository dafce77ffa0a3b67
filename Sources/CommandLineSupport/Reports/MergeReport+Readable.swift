import Diagnostics
package import MigrationCore
import Runs

extension MergeReport: ReadableReport {
  package var tables: [TextTable] {
    var copies = TextTable(heading: ["copy", "of", "outcome"])
    var differences = TextTable(heading: ["id", "field", "kept", "other", "from"])
    for base in bases {
      for copy in base.copies {
        copies.add([
          copy.path.safeForTerminal, base.path.safeForTerminal, copy.outcome.rawValue,
        ])
      }
      for difference in base.differences {
        differences.add([
          difference.entity.title.safeForTerminal, difference.field.safeForTerminal,
          difference.kept.cell,
          difference.other.cell, difference.source.safeForTerminal,
        ])
      }
    }
    return [copies, differences]
  }

  package var conclusion: [String] {
    let count = bases.reduce(0) { $0 + $1.copies.count }
    let written = bases.count(where: \.isWritten)
    guard count + written > 0 else { return ["No conflict copies (\(duration))."] }
    let gone = self.count(.merged) + self.count(.redundant) + self.count(.adopted)
    var sentences = [
      "\(isDryRun ? "Would merge" : "Merged") \(gone.grouped) of "
        + "\(count.counted("copy", "copies")), \(written.counted("file")) written (\(duration))."
    ]
    let left = count - gone
    if left > 0 { sentences.append(left.counted("stays", "stay") + ".") }
    if !quarantine.isEmpty { sentences.append("The copies are in \(quarantine).") }
    return sentences
  }

  private var duration: String { Duration.seconds(seconds).text }
}

extension ReportValue {
  /// The value for a cell of a table; the machine form has it whole.
  var cell: String {
    let text =
      switch self {
      case .null: "-"
      case .boolean(let value): value ? "true" : "false"
      case .integer(let value): String(value)
      case .seconds(let value): String(value)
      case .string(let value): value.safeForTerminal
      case .array, .object: "..."
      }
    return text.count > 40 ? text.prefix(39) + "…" : text
  }
}
