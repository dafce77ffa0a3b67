import SafeFiles

/// Reads the rows of an entity, one at a time, by their numbers.
///
/// Rows of sub-entities are theirs, whatever table they are in.
package final class RowReader {
  private let statement: Statement
  private let properties: [PropertyLayout]
  /// What the cells of each property are.
  private let contents: [Content]
  private let external: ExternalFiles

  /// What cells hold.
  private enum Content {
    /// - Parameter isMarked: whether a first byte says where the others are.
    case value(AttributeType, isMarked: Bool)
    /// The cells of parts, one behind the other.
    case composite([Content])
    /// The number of a row, and in the next cell the number of its entity if there are several.
    case reference(hasEntity: Bool)
  }

  init(_ store: Store, _ entity: EntityLayout, _ range: RowRange) throws(StoreError) {
    external = try ExternalFiles(of: store.copy)
    var columns = ["Z_PK", "Z_OPT"]
    var properties: [PropertyLayout] = []
    var contents: [Content] = []
    for property in entity.properties {
      guard let content = Self.content(of: property, &columns) else { continue }
      contents.append(content)
      properties.append(property)
    }
    let names = columns.map(Database.quoted).joined(separator: ", ")
    statement = try store.database.prepare(
      "SELECT \(names) FROM \(Database.quoted(entity.table)) WHERE Z_ENT = \(entity.number) "
        + "\(range.condition)ORDER BY Z_PK")
    (self.properties, self.contents) = (properties, contents)
  }

  /// Returns what the cells of a property are, and adds their columns; nil if it has none.
  private static func content(
    of property: PropertyLayout, _ columns: inout [String]
  ) -> Content? {
    switch property.place {
    case .attribute(let column, let type):
      columns.append(column)
      return .value(type, isMarked: property.isMarked)
    case .composite(let parts):
      var contents: [Content] = []
      for part in parts {
        if let content = content(of: part, &columns) { contents.append(content) }
      }
      return .composite(contents)
    case .toOne(let column, let entityColumn, _):
      columns += [column, entityColumn ?? column]
      return .reference(hasEntity: entityColumn != nil)
    case .toMany, .links, .missing: return nil
    }
  }

  /// Goes to the next row and returns its number; nil behind the last.
  package func advance() throws(StoreError) -> Int64? {
    try statement.step() ? statement.integer(at: 0) ?? 0 : nil
  }

  /// Returns the row that it is at.
  package func row() throws(StoreError) -> StoreRow {
    var values: [StoreValue] = []
    values.reserveCapacity(contents.count)
    var column = 2
    for content in contents { values.append(try value(content, at: &column)) }
    return StoreRow(
      number: statement.integer(at: 0) ?? 0, version: statement.integer(at: 1),
      properties: properties, values: values)
  }

  /// Reads the cells of a property, and goes on behind them.
  private func value(
    _ content: Content, at column: inout Int
  ) throws(StoreError) -> StoreValue {
    switch content {
    case .value(let type, let isMarked):
      let cell = try statement.cell(at: column)
      column += 1
      guard case .blob = cell else { return StoreValue(cell, as: type) }
      return try external.value(cell, as: type, isMarked: isMarked)
    case .composite(let contents):
      var parts: [StoreValue] = []
      for part in contents { parts.append(try value(part, at: &column)) }
      return parts.allSatisfy { $0 == .null } ? .null : .parts(parts)
    case .reference(let hasEntity):
      let cell = try statement.cell(at: column)
      let entity = hasEntity ? statement.integer(at: column + 1) : nil
      column += 2
      switch cell {
      case .null: return .null
      case .integer(let row): return .reference(row: row, entity: entity)
      default: return .unexpected(cell)
      }
    }
  }

  /// Returns the next row; nil behind the last.
  package func next() throws(StoreError) -> StoreRow? { try advance() == nil ? nil : row() }
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
