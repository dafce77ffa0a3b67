import SafeFiles

/// Reads the rows of an entity, one at a time, by their numbers.
///
/// Rows of sub-entities are theirs, whatever table they are in.
package final class RowReader {
  private let statement: Statement
  private let properties: [PropertyLayout]
  private let external: ExternalFiles
  /// The columns in which a first byte says where the others are.
  private var marked: Set<String> = []

  init(_ store: Store, _ entity: EntityLayout) throws(StoreError) {
    var columns = ["Z_PK", "Z_OPT"]
    var properties: [PropertyLayout] = []
    for property in entity.properties {
      switch property.place {
      case .attribute(let column, _): columns.append(column)
      case .toOne(let column, let entityColumn, _): columns += [column, entityColumn ?? column]
      case .toMany, .links, .missing: continue
      }
      properties.append(property)
    }
    let names = columns.map(Database.quoted).joined(separator: ", ")
    statement = try store.database.prepare(
      "SELECT \(names) FROM \(Database.quoted(entity.table)) WHERE Z_ENT = \(entity.number) "
        + "ORDER BY Z_PK")
    self.properties = properties
    external = try ExternalFiles(of: store.copy)
    for property in properties {
      guard case .attribute(let column, let type) = property.place,
        [.binary, .transformable, .undefined].contains(type)
      else { continue }
      let hasMarks = try ExternalFiles.marksContent(
        column: column, table: entity.table, of: store.database)
      if hasMarks { marked.insert(column) }
    }
  }

  /// Returns the next row; nil behind the last.
  package func next() throws(StoreError) -> StoreRow? {
    guard try statement.step() else { return nil }
    var values: [(PropertyLayout, StoreValue)] = []
    values.reserveCapacity(properties.count)
    var column = 2
    for property in properties {
      let cell = try statement.cell(at: column)
      column += 1
      switch property.place {
      case .attribute(let column, let type):
        let value = try external.value(cell, as: type, isMarked: marked.contains(column))
        values.append((property, value))
      case .toOne(_, let entityColumn, _):
        let entity = entityColumn == nil ? nil : try statement.cell(at: column).integer
        column += 1
        let value: StoreValue =
          switch cell {
          case .null: .null
          case .integer(let row): .reference(row: row, entity: entity)
          default: .unexpected(cell)
          }
        values.append((property, value))
      case .toMany, .links, .missing: continue
      }
    }
    return StoreRow(
      number: try statement.cell(at: 0).integer ?? 0, version: try statement.cell(at: 1).integer,
      values: values)
  }
}

/// Reads a table of pairs: the number of a row, and that of a row it is linked with.
package final class LinkReader {
  private let statement: Statement

  init(_ database: Database, table: String, source: String, target: String) throws(StoreError) {
    let (source, target) = (Database.quoted(source), Database.quoted(target))
    statement = try database.prepare(
      "SELECT \(source), \(target) FROM \(Database.quoted(table)) WHERE \(source) IS NOT NULL "
        + "ORDER BY \(source), \(target)")
  }

  /// Returns the next pair, by both numbers; nil behind the last. Anything but a number is in no pair that
  /// a store makes, and comes as it is.
  package func next() throws(StoreError) -> (source: StoreCell, target: StoreCell)? {
    guard try statement.step() else { return nil }
    return (try statement.cell(at: 0), try statement.cell(at: 1))
  }
}
