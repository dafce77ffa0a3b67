import Diagnostics
import Folders
import Foundation
import Runs
import SampleStores
import SwiftDataStores
import TestStores
import Testing

@testable import MigrationCore

/// For every damage of every app: what SQLite finds in a store is in the lines of its export, or is
/// counted as left, or the store is refused.
@Suite struct StoreRemainderPropertyTests {
  /// What is in the tables of a store, counted by SQL alone.
  private struct Held {
    var rows = 0
    /// Values in columns that are not a row's own numbers.
    var values = 0

    /// Opens a store, which changes it.
    init(of path: String) throws {
      let database = try TestDatabase(at: path)
      let tables = try database.texts(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'Z%' AND name NOT IN "
          + "('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE')")
      for table in tables {
        let columns = try database.texts("SELECT name FROM pragma_table_info('\(table)')")
        guard columns.contains("Z_PK") else { continue }
        rows += try Self.number("SELECT COUNT(*) FROM \(table)", database)
        // `Z_...` are numbers of the framework's, `Z1...` lead back to rows.
        for column in columns where column.dropFirst().first?.isLetter == true {
          values += try Self.number("SELECT COUNT(\(column)) FROM \(table)", database)
        }
      }
    }

    private static func number(_ sql: String, _ database: TestDatabase) throws -> Int {
      try database.texts(sql).first.flatMap(Int.init) ?? 0
    }
  }

  /// What the lines of a stream hold.
  private struct Carried {
    var rows = 0
    var values = 0
    /// Rows whose identity is none: an import refuses them, and says so.
    var namelessCount = 0

    init(in lines: [String], of source: StoreSource) throws {
      for line in lines.dropFirst().dropLast() {
        let object = try #require(
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let fields = try #require(object["fields"] as? [String: Any])
        let name = try #require(object["kind"] as? String)
        let kind = try #require(source.kinds.profile.kind(named: name))
        rows += 1
        let links = Set(["shelves", "books", "tags"])
        for (name, value) in fields
        where !(value is NSNull) && !links.contains(name) && name.first?.isNumber == false {
          // The parts of a composite have a cell each.
          let parts = name == "home" ? value as? [String: Any] : nil
          values += parts?.values.count { !($0 is NSNull) } ?? 1
        }
        guard kind.identity.property != nil else { continue }
        if object["id"] as? String == "" { namelessCount += 1 } else { values += 1 }
      }
    }
  }

  @Test(arguments: SampleApp.all.map(\.name), StoreDamage.allCases)
  func `what is in a store is carried, told, or refused`(app: String, damage: StoreDamage) throws {
    let sample = try #require(SampleApp.named(app))
    let plan = try StorePlace.plan(sample, rows: 60, seed: 7, [damage])
    if plan.problem != nil { return }
    let place = try StorePlace(plan)
    let opened: StoreSource?
    do throws(MigrationError) {
      opened = try StoreSource.open(place.stores.path, context: TestFolder.context())
    } catch {
      #expect(error.diagnostic.kind == .damagedInput)
      return
    }
    guard let source = opened else {
      // Without its first table it is somebody else's database, and no store is there.
      #expect(damage == .noStore)
      return
    }
    let (lines, report) = try place.exporting { $0.includesPrivate = true }
    let parts = try source.stores.flatMap {
      try $0.store.remainder(besides: $0.entities.map(\.layout)).parts
    }
    let told = report.findings.filter { $0.code == .notCarried }
    #expect(told.count == parts.count)
    // What the two sides count is the same.
    let carried = try Carried(in: lines, of: source)
    var (rows, values) = (0, 0)
    for opened in source.stores {
      let held = try Held(of: place.stores.path + "/" + opened.path)
      (rows, values) = (rows + held.rows, values + held.values)
    }
    func left(_ isCounted: (StoreRemainder.Content) -> Bool) -> Int {
      parts.filter { isCounted($0.content) }.reduce(0) { $0 + $1.count }
    }
    let leftRows = left { if case .rows = $0 { true } else { false } }
    let leftValues = left { if case .values = $0 { true } else { false } }
    #expect(rows == carried.rows + leftRows)
    // Nobody says how many values a row has that is left as a whole.
    if leftRows == 0 {
      let untold = values - carried.values - leftValues
      #expect((0...carried.namelessCount).contains(untold))
    }
    #expect(leftRows == (damage == .unknownEntity ? 1 : 0))
    // Where the rows are others, or gone, nobody names their files any more.
    let hasFiles = left { if case .files = $0 { true } else { false } } > 0
    let isOfOtherRows = app == "library" && [.emptied, .foreignLog].contains(damage)
    #expect(hasFiles == (damage == .orphanExternal || isOfOtherRows))
    if parts.isEmpty, carried.namelessCount == 0 { return }
    // Who reads the store for something else says the same.
    let imported = try place.importing { $0.includesPrivate = true }
    #expect(imported.counts.reduce(0) { $0 + $1.rejected } >= carried.namelessCount)
    let verified = try place.verifying { $0.includesPrivate = true }
    #expect(imported.findings.filter { $0.code == .notCarried } == told)
    #expect(verified.findings.filter { $0.code == .notCarried } == told)
  }
}
