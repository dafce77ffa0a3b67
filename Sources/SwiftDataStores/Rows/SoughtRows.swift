extension SharedStore {
  /// Opens the copy to look for rows of an entity.
  ///
  /// - Parameter columns: the columns that are asked for, by their positions here.
  package func sought(
    of entity: EntityLayout, columns: [String]
  ) throws(StoreError) -> SoughtRows {
    let names = (["Z_PK"] + columns).map(Database.quoted).joined(separator: ", ")
    let statement = try openDatabase().prepare(
      "SELECT \(names) FROM \(Database.quoted(entity.table)) WHERE Z_ENT = \(entity.number) "
        + "AND Z_PK >= ? ORDER BY Z_PK")
    return SoughtRows(statement, of: copy.place)
  }
}

extension Store {
  /// The columns of an entity's table if the numbers of its rows are its primary key, so that rows are
  /// found without a search; else nil. In upper case.
  package func columnsOfNumberedRows(of entity: EntityLayout) throws(StoreError) -> [String]? {
    let info = try database.prepare("PRAGMA table_info(\(Database.quoted(entity.table)))")
    var columns: [String] = []
    var isNumbered = false
    while try info.step() {
      guard let name = try info.cell(at: 1).string?.uppercased() else { continue }
      columns.append(name)
      let isKey = try info.cell(at: 5).integer != 0
      if name == "Z_PK" {
        let type = try info.cell(at: 2).string?.uppercased()
        isNumbered = isKey && type == "INTEGER"
      } else if isKey {
        return nil
      }
    }
    return isNumbered ? columns : nil
  }

  /// Calls its argument with the number of each row of an entity and the UUID in a column, nil where the
  /// cell holds anything but 16 bytes; ascending by number.
  package func forEachRow(
    of entity: EntityLayout, uuidIn column: String,
    _ body: (_ row: Int64, _ uuid: (high: UInt64, low: UInt64)?) -> Void
  ) throws(StoreError) {
    let rows = try database.prepare(
      "SELECT Z_PK, \(Database.quoted(column)) FROM \(Database.quoted(entity.table)) "
        + "WHERE Z_ENT = \(entity.number) ORDER BY Z_PK")
    while try rows.step() {
      guard let row = rows.integer(at: 0) else { continue }
      body(row, rows.halves(at: 1))
    }
  }
}

/// Rows of an entity that are looked for by their numbers, fastest where these ascend. The cells are
/// those of the row that was found last.
package final class SoughtRows {
  private let statement: Statement
  /// What holds the database.
  private let place: PrivatePlace
  private var row: Int64?

  /// A row so near is stepped to.
  private static let nearby: Int64 = 64

  fileprivate init(_ statement: Statement, of place: PrivatePlace) {
    (self.statement, self.place) = (statement, place)
  }

  /// Goes to a row; false if the entity has none of this number.
  package func find(_ number: Int64) throws(StoreError) -> Bool {
    if let row, row <= number, row.addingReportingOverflow(Self.nearby).partialValue >= number {
      while let row = self.row, row < number { try advance() }
    } else {
      try statement.restart(with: number)
      try advance()
    }
    return row == number
  }

  private func advance() throws(StoreError) {
    row = try statement.step() ? statement.integer(at: 0) : nil
  }

  /// Whether a cell holds nothing.
  package func isNull(at column: Int) -> Bool { statement.isNull(at: column + 1) }

  /// The whole number of a cell; nil if it holds anything else.
  package func integer(at column: Int) -> Int64? { statement.integer(at: column + 1) }

  /// The number of a cell that holds one with a fraction; nil if it holds anything else.
  package func real(at column: Int) -> Double? { statement.real(at: column + 1) }

  /// Whether a cell is a text of these bytes.
  package func isText(_ bytes: Span<UInt8>, at column: Int) -> Bool {
    statement.isText(bytes, at: column + 1)
  }

  /// The two halves of the sixteen bytes of a cell, most significant first; nil if it holds anything
  /// else.
  package func uuid(at column: Int) -> (high: UInt64, low: UInt64)? {
    statement.halves(at: column + 1)
  }
}
