import Diagnostics
package import MigrationCore
import Runs

extension ResolutionReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(heading: ["gives way", "by", "at", "change"])
    for other in others {
      table.add([
        other.value.cell, other.writer.map { String($0.actor.prefix(8)) } ?? "",
        other.writer?.time ?? "", other.writer.map { String($0.change.prefix(8)) } ?? "",
      ])
    }
    return [table]
  }

  package var conclusion: [String] {
    let place = entity.title.isEmpty ? field : "\(field) of \(entity.title)"
    let duration = Duration.seconds(seconds).text
    if isWritten {
      return [
        "\(isDryRun ? "Would write" : "Wrote") \(kept.cell) to \(place) in \(path) (\(duration))."
      ]
    }
    if findings.contains(where: { $0.severity == .error }) {
      return ["\(place) in \(path) stays as it is (\(duration))."]
    }
    return ["Nothing to do: \(place) in \(path) has one value, \(kept.cell) (\(duration))."]
  }
}
