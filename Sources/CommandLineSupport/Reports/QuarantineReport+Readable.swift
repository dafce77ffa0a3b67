import Diagnostics
import Folders
package import MigrationCore
import Runs

extension QuarantineReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(heading: ["run", "moved", "age", "files", "size", "what brings it back"])
    for entry in entries {
      let moved = entry.movedAt ?? ""
      table.add([
        entry.run.safeForTerminal, Self.words(for: entry.kind),
        UTCText.age(of: moved, at: SystemCalls.secondsSince1970), entry.fileCount.grouped,
        entry.byteCount.byteCountText,
        (entry.command?.shellText ?? Self.wayBack(of: entry.kind)).safeForTerminal,
      ])
    }
    return [table]
  }

  package var conclusion: [String] {
    guard !entries.isEmpty else { return ["Nothing is in quarantine."] }
    let files = entries.reduce(0) { $0 + $1.fileCount }
    return [
      "\(files.counted("file")) of \(entries.count.counted("run")) in quarantine "
        + "(\(byteCount.byteCountText))."
    ]
  }

  /// What to do where no command is told: a folder's name may be none that a command takes.
  private static func wayBack(of kind: String?) -> String {
    kind == "layout" ? "migrate-schema PLAN FOLDER --undo ID" : ""
  }

  private static func words(for kind: String?) -> String {
    switch kind {
    case "legacy": "JSON"
    case "months": "old months"
    case "copies": "conflict copies"
    case "layout": "another layout"
    case "displaced": "files that were replaced"
    default: "not said"
    }
  }
}
