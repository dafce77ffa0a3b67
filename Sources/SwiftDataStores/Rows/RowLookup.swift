/// Looks up rows of a table by their numbers.
package final class RowLookup {
  private let statement: Statement

  init(_ database: Database, table: String, column: String?) throws(StoreError) {
    let columns = (["Z_ENT"] + (column.map { [$0] } ?? [])).map(Database.quoted)
    statement = try database.prepare(
      "SELECT \(columns.joined(separator: ", ")) FROM \(Database.quoted(table)) WHERE Z_PK = ?")
  }

  /// Returns the number of a row's entity and its cell in the column; nil if there is no such row.
  package func row(_ number: Int64) throws(StoreError) -> (entity: Int64?, cell: StoreCell)? {
    try statement.restart(with: number)
    guard try statement.step() else { return nil }
    return (try statement.cell(at: 0).integer, try statement.cell(at: 1))
  }
}

/// Reads all cells of an entity's rows as they are, by the names of their columns.
package final class CellReader {
  /// The columns, in upper case.
  package let columns: [String]
  private let statement: Statement

  init(_ database: Database, _ entity: EntityLayout) throws(StoreError) {
    var columns: [String] = []
    let info = try database.prepare("PRAGMA table_info(\(Database.quoted(entity.table)))")
    while try info.step() {
      if let name = try info.cell(at: 1).string { columns.append(name) }
    }
    self.columns = columns.map { $0.uppercased() }
    statement = try database.prepare(
      "SELECT Z_PK, \(columns.map(Database.quoted).joined(separator: ", ")) FROM "
        + "\(Database.quoted(entity.table)) WHERE Z_ENT = \(entity.number) ORDER BY Z_PK")
  }

  /// Goes to the next row and returns its number; nil behind the last.
  package func next() throws(StoreError) -> Int64? {
    try statement.step() ? statement.cell(at: 0).integer ?? 0 : nil
  }

  /// Returns a cell of the row, by the position of its column.
  package func cell(at column: Int) throws(StoreError) -> StoreCell {
    try statement.cell(at: column + 1)
  }
}
