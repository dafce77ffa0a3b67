import Diagnostics
package import MigrationCore
import Runs

extension StoreStatusReport: ReadableReport {
  package var tables: [TextTable] {
    guard !stores.isEmpty else { return [] }
    var table = TextTable(
      heading: ["rows", "highest row", "handed out", "version hash", "entity", "store"])
    for store in stores {
      for entity in store.entities {
        table.add([
          entity.rowCount.grouped, entity.highestRow.grouped, entity.highWater.grouped,
          String(entity.versionHash.prefix(12)), entity.name.safeForTerminal,
          store.path.safeForTerminal,
        ])
      }
    }
    return [table]
  }

  package var conclusion: [String] {
    stores.map(\.sentence) + failures.map { "not readable: \($0.diagnostic.subject)" }
      + notLookedAt.map { "not looked at: \($0)" } + (next.map { ["next: \($0.shellText)"] } ?? [])
  }
}

extension StoreStatusReport.Store {
  fileprivate var sentence: String {
    let version =
      versionIdentifiers.isEmpty
      ? "no version that has a name" : "version \(versionIdentifiers.joined(separator: ", "))"
    let log =
      logFrames == 0
      ? "nothing is newer than its database"
      : "\(logFrames.counted("page")) in its log are newer than its database"
    return "\(path): \(version), \(entities.count.counted("entity", "entities")), "
      + "\(rowCount.counted("row")), \(byteCount.byteCountText); \(log)."
  }
}
