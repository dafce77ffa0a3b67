import Diagnostics
import Runs
import SwiftDataStores

extension StoreSource {
  /// Counts what the stores hold and no line carries, as findings.
  func countRemainder() throws(MigrationError) -> [Finding] {
    var findings: [Finding] = []
    for opened in stores {
      do throws(StoreError) {
        let remainder = try opened.store.remainder(
          besides: opened.entities.filter { $0.head != nil }.map(\.layout))
        findings += remainder.findings(of: opened.store, at: path)
      } catch {
        throw MigrationError(error)
      }
    }
    return findings
  }
}

extension StoreRemainder {
  /// One finding for each thing that is left.
  ///
  /// - Parameter path: the place that was given, for commands.
  fileprivate func findings(of store: Store, at path: String) -> [Finding] {
    parts.map { part in
      let keep = NextCommand(.packBackup, [path])
      return Finding(
        .notCarried, part.content.severity, path: store.files.path,
        message: part.content.message(part.count, store.layout),
        next: "\(keep.shellText), which keeps all of the store\(part.content.advice)", command: keep
      )
    }
  }
}

extension StoreRemainder.Content {
  /// What no row names the app cannot find either, and its framework leaves such files behind.
  fileprivate var severity: Severity { if case .files = self { .warning } else { .error } }

  fileprivate func message(_ count: Int, _ layout: StoreLayout) -> String {
    switch self {
    case .rows(let table, let number?):
      if let entity = layout.entity(numbered: number) {
        return entity.table == table
          ? "\(count.counted("row")) of \(entity.name) in \(table) \(count.are) not carried: "
            + "no profile could describe it"
          : "\(count.counted("row")) of \(table) \(count.are) not carried: they say that they are of "
            + "\(entity.name), which has another table"
      }
      return
        "\(count.counted("row")) of \(table) \(count.are) not carried: the store knows no entity "
        + "with their number \(number), and its app does not see them"
    case .rows(let table, nil):
      return
        "\(count.counted("row")) of \(table) \(count.are) not carried: they have no number of an "
        + "entity, and the app of the store does not see them"
    case .pairs(let table):
      return
        "\(count.counted("pair")) of \(table) \(count.are) not carried: they lead from no row, or "
        + "to none that anybody knows"
    case .ways(let table, let column):
      return
        "\(count.counted("value")) of \(table).\(column) \(count.are) not carried: they are the "
        + "number of no row"
    case .values(let table, let column, let entity):
      return
        "\(count.counted("value")) of \(table).\(column) \(count.are) not carried: they are in rows "
        + "of \(entity), which has no such property"
    case .table(let table):
      return
        "\(count.counted("row")) of the table \(DisplayText.escaping(table.utf8)) \(count.are) not "
        + "carried: it belongs to no entity, and something else than the app's framework made it"
    case .files(let first):
      return "\(count.counted("file")) beside the store \(count.are) not carried, such as "
        + "\(DisplayText.escaping(first.utf8)): no row names \(count == 1 ? "it" : "them")"
    }
  }

  fileprivate var advice: String {
    switch self {
    case .rows, .pairs, .ways, .values:
      "; where something is missing, compare with another device or an older backup"
    case .table: "; read the table with what made it"
    case .files: ""
    }
  }
}

extension Int {
  fileprivate var are: String { self == 1 ? "is" : "are" }
}
