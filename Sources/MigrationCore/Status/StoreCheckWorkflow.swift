import Diagnostics
import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// Reads every row of stores and tells what contradicts itself: what leads nowhere, what has no
/// identity or that of another row, what the app does not expect, rows that are gone.
///
/// It reads private copies; nothing at the place changes.
package struct StoreCheckWorkflow {
  private let path: String
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  ///
  /// - Parameter path: a store, or a directory in and below which stores are looked for.
  package init(_ path: String, context: RunContext) {
    self.path = path
    self.context = context
  }

  /// Whether a file is at the place, and no directory.
  package func isOfFile() throws(MigrationError) -> Bool {
    try StoreSource.openUnlessFile(path, context: context) == nil
  }

  /// Reads the stores at the place; nil if there are none.
  package func perform() throws(MigrationError) -> StoreStatusReport? {
    let clock = RunClock()
    let found =
      try isOfFile()
      ? StoreSource.open(file: path, context: context) : StoreSource.open(path, context: context)
    guard let source = found else { return nil }
    var report = try check(source)
    report.seconds = clock.seconds
    return report
  }

  /// Reads stores that are open already.
  func check(_ source: StoreSource) throws(MigrationError) -> StoreStatusReport {
    var report = StoreStatusReport()
    do throws(StoreError) {
      for opened in source.stores {
        report.stores.append(
          try StoreStatusWorkflow.status(
            of: opened.store, &report.findings, tellsStrangeRows: false))
      }
    } catch {
      throw MigrationError(error)
    }
    report.findings += source.findings.filter { !report.findings.contains($0) }
    report.findings += try source.countRemainder()
    try readRows(of: source, into: &report)
    noteEmptied(source, isFile: try isOfFile(), &report)
    report.findings = report.findings.inReportOrder()
    return report
  }

  private func readRows(
    of source: StoreSource, into report: inout StoreStatusReport
  ) throws(MigrationError) {
    let lines = source.lines()
    var places: [EntityKind: [Identity: String]] = [:]
    let kept = source.preferences?.entries.map(\.kind) ?? []
    var references = StoreReferences(
      source.kinds, to: Set(source.stores.flatMap { $0.entities.map(\.kind) } + kept))
    var count = 0
    do throws(FolderError) {
      var reader = try lines.reader(rules: EntityRules(now: WallClock.now().seconds * 1000))
      while try reader.next() {
        count += 1
        report.findings += reader.batch.findings
        for entity in reader.batch.entities {
          let place = reader.place.description
          references.note(entity, of: reader.batch, at: place)
          guard
            let first = places[entity.kind, default: [:]].updateValue(
              place, forKey: entity.identity)
          else { continue }
          report.findings.append(
            Finding(
              .duplicateID, .error, path: source.path,
              message: "\(place): \(reader.batch.title(of: entity)) is \(first), too",
              next: "decide in the app which is right; an import keeps what differs of both"))
        }
        guard count.isMultiple(of: 256) else { continue }
        if context.isInterrupted() { break }
        context.reportProgress?(RunProgress(.verifying, completed: count, total: 0))
      }
    } catch {
      throw MigrationError(error)
    }
    if context.isInterrupted() { throw .interrupted }
    report.rowsRead = count
    report.findings += lines.findings
    report.findings += references.findings(at: source.path) { places[$0]?[$1] != nil }
  }

  /// What is private may never have been there.
  private func noteEmptied(
    _ source: StoreSource, isFile: Bool, _ report: inout StoreStatusReport
  ) {
    for (store, opened) in zip(report.stores, source.stores)
    where !opened.entities.allSatisfy(\.profile.isPrivate) {
      let place = isFile ? path : "\(path)/\(store.path)"
      let backups = StoreStatusWorkflow.backups(of: place, context)
      report.findings += StoreStatusWorkflow.emptied(store, at: place, among: backups)
    }
  }
}
