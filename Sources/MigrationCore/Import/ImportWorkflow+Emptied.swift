import Backups
import Diagnostics
import FolderState
import Folders
import Runs
import SwiftDataStores

// Stores whose rows are gone.
extension ImportWorkflow {
  /// Throws if stores have no row of the kinds that most of the folder is of, unless that is allowed: a
  /// store that was emptied looks like one that was never used, or that has the rows with which its app
  /// begins, and an import would say that all is done.
  func requireRows(
    of stores: StoreSource, asIn index: FolderIndex, _ places: ImportPlaces,
    _ report: inout ImportReport
  ) throws(MigrationError) {
    var counts: [(kind: EntityKind, held: Int)] = []
    var total = 0
    for kind in context.kinds.all where !withheld.contains(kind) {
      let held = index.known.visibleCount(of: kind)
      guard held > 0, let rowCount = try rowCount(of: kind, in: stores) else { continue }
      total += held
      if rowCount == 0 { counts.append((kind, held)) }
    }
    guard StoreSummary.isMissed(counts.reduce(0) { $0 + $1.held }, of: total),
      let most = counts.max(by: { $0.held < $1.held })
    else { return }
    let name = context.kinds.name(of: most.kind)
    let message =
      "holds no rows of \(name), and \(places.targetPath) holds \(most.held.grouped)"
    guard options.allowsEmpty else {
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: stores.path, problem: message,
          remedy: "look for its rows in a backup, or say --allow-empty if they are to be gone"))
    }
    report.findings.append(
      Finding(
        .storeEmptied, .warning, path: stores.path, message: message,
        next: "the documents keep what they hold"))
  }

  /// How many rows of a kind there are; nil if no store has a place for any.
  private func rowCount(
    of kind: EntityKind, in stores: StoreSource
  ) throws(MigrationError) -> Int64? {
    var total: Int64?
    for opened in stores.stores {
      for entity in opened.entities where entity.kind == kind && !entity.layout.table.isEmpty {
        do throws(StoreError) {
          let counts = try opened.store.rowCounts(ofTable: entity.layout.table)
          let count = counts.first { $0.entity == entity.layout.number }?.count ?? 0
          total = (total ?? 0) + count
        } catch {
          throw MigrationError(error)
        }
      }
    }
    return total
  }
}
