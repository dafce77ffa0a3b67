import Diagnostics
package import Runs
import SafeFiles
import SwiftDataStores

/// Says what the stores at a place are and hold: their versions, how many rows each entity has, and what
/// of their logs counts.
///
/// It reads private copies; nothing at the place changes.
package struct StoreStatusWorkflow {
  private let path: String
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  ///
  /// - Parameter path: a store, or a directory in and below which stores are looked for.
  package init(_ path: String, context: RunContext) {
    self.path = path
    self.context = context
  }

  /// Reads every store and answers; a store that cannot be read is among the report's failures, unless
  /// it is the only one.
  package func perform() throws(MigrationError) -> StoreStatusReport {
    let clock = RunClock()
    var report = StoreStatusReport()
    do throws(StoreError) {
      let found = try StoreFinder.find(at: path, operations: context.operations)
      report.findings = found.unreadable.map { place in
        Finding(.unreadable, .error, path: place.path, message: place.error.diagnostic.problem)
      }
      try read(found, into: &report)
    } catch {
      throw MigrationError(error)
    }
    if context.isInterrupted() { throw .interrupted }
    if report.stores.isEmpty, report.failures.count == 1, let only = report.failures.first {
      throw only
    }
    report.findings = report.findings.inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  private func read(
    _ found: StoreFinder.Found, into report: inout StoreStatusReport
  ) throws(StoreError) {
    guard !found.stores.isEmpty else { return }
    let opener = try StoreOpener(
      workingDirectory: context.temporaryDirectory, operations: context.operations)
    for files in found.stores.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
      if context.isInterrupted() { return }
      do throws(StoreError) {
        let store = try opener.open(files)
        report.stores.append(try Self.status(of: store, &report.findings))
      } catch {
        // Among others it is somebody else's; asked for by its path it is an error.
        if case .notAStore(let path, _) = error, !found.isFile {
          report.otherDatabases.append(path)
        } else {
          report.failures.append(MigrationError(error))
        }
      }
    }
  }

  /// Returns what a store is and holds, after findings about it.
  static func status(
    of store: Store, _ findings: inout [Finding], tellsStrangeRows: Bool = true
  ) throws(StoreError) -> StoreStatusReport.Store {
    var status = StoreStatusReport.Store(path: store.files.path)
    status.uuid = store.metadata?.uuid ?? ""
    status.versionIdentifiers = store.metadata?.versionIdentifiers ?? []
    status.modelChecksum = store.metadata?.modelChecksum ?? ""
    status.hasModel = store.model != nil
    status.byteCount = Int(store.byteCount)
    status.logByteCount = Int(store.log.byteCount)
    status.logFrames = store.log.frameCount
    status.logTail = store.log.tail.rawValue
    status.mirroringTables = store.mirroringTableCount
    findings += store.findings
    var counts: [String: [Store.RowCount]] = [:]
    for table in Set(store.layout.entities.map(\.table)).sorted() where !table.isEmpty {
      counts[table] = try store.rowCounts(ofTable: table)
    }
    for entity in store.layout.entities {
      let count = counts[entity.table]?.first { $0.entity == entity.number }
      var line = StoreStatusReport.Entity(
        name: entity.name, number: Int(entity.number), table: entity.table)
      line.rowCount = Int(count?.count ?? 0)
      line.highestRow = Int(count?.highestRow ?? 0)
      line.highWater = Int(entity.highWater)
      let hash = store.metadata?.versionHashes.first { $0.entity == entity.name }?.hash ?? []
      line.versionHash = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      status.entities.append(line)
    }
    findings += Self.contradictions(counts, store, tellsStrangeRows: tellsStrangeRows)
    return status
  }

  /// What the numbers of rows contradict.
  private static func contradictions(
    _ counts: [String: [Store.RowCount]], _ store: Store, tellsStrangeRows: Bool
  ) -> [Finding] {
    var findings: [Finding] = []
    for (table, counts) in counts.sorted(by: { $0.key < $1.key }) {
      let entities = store.layout.entities.filter { $0.table == table }
      for count in counts
      where tellsStrangeRows && !entities.contains(where: { $0.number == count.entity }) {
        let number = count.entity.map { "number \($0)" } ?? "no number"
        findings.append(
          Finding(
            .unknownEntity, .warning, path: store.files.path,
            message: "\(count.count.counted("row")) of \(table) are of an entity with \(number), "
              + "which the store does not know: its app does not see them"))
      }
      // Entities of one table get their numbers together.
      let handedOut = entities.map(\.highWater).max() ?? 0
      let highest = counts.map(\.highestRow).max() ?? 0
      guard highest > handedOut else { continue }
  ///
  /// - Parameter tellsStrangeRows: whether rows of entities that the store does not know are told here.
      findings.append(
        Finding(
          .foreignRows, .warning, path: store.files.path,
          message: "\(table) has a row \(highest), and the store says that it handed out no number "
            + "above \(handedOut): something else than its app wrote it",
          next: "compare it with a backup before the app adds rows"))
    }
    return findings
  }
}
