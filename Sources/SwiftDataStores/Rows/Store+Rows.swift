package import SafeFiles

extension Store {
  /// How many rows an entity has.
  package struct RowCount: Hashable, Sendable {
    /// The number of the entity; nil for rows without one.
    package var entity: Int64?
    /// How many rows there are.
    package var count: Int64
    /// The greatest number of a row.
    package var highestRow: Int64
  }

  /// Counts the rows of a table by the entities that they say they are of.
  package func rowCounts(ofTable table: String) throws(StoreError) -> [RowCount] {
    if let only = try onlyRowCount(ofTable: table) { return [only] }
    let rows = try database.prepare(
      "SELECT Z_ENT, COUNT(*), MAX(Z_PK) FROM \(Database.quoted(table)) GROUP BY Z_ENT "
        + "ORDER BY Z_ENT")
    var counts: [RowCount] = []
    while try rows.step() {
      counts.append(
        RowCount(
          entity: try rows.cell(at: 0).integer, count: try rows.cell(at: 1).integer ?? 0,
          highestRow: try rows.cell(at: 2).integer ?? 0))
    }
    return counts
  }

  /// Counts the rows of a table that all are of one entity, as nearly always: nothing is sorted then. Nil
  /// if there are others, or none.
  private func onlyRowCount(ofTable table: String) throws(StoreError) -> RowCount? {
    let name = Database.quoted(table)
    let last = try database.prepare("SELECT Z_ENT, Z_PK FROM \(name) ORDER BY Z_PK DESC LIMIT 1")
    guard try last.step(), let entity = try last.cell(at: 0).integer,
      let highest = try last.cell(at: 1).integer
    else { return nil }
    let others = try database.prepare("SELECT 1 FROM \(name) WHERE Z_ENT IS NOT \(entity) LIMIT 1")
    guard try !others.step() else { return nil }
    let count = try database.cell("SELECT COUNT(*) FROM \(name)").integer
    return count.map { RowCount(entity: entity, count: $0, highestRow: highest) }
  }

  /// Whether a row of an entity, which must have a table, has nothing in a column.
  package func hasNull(
    inColumn column: String, of entity: EntityLayout
  ) throws(StoreError) -> Bool {
    let rows = try database.prepare(
      "SELECT 1 FROM \(Database.quoted(entity.table)) WHERE \(Database.quoted(column)) IS NULL "
        + "AND Z_ENT = \(entity.number) LIMIT 1")
    return try rows.step()
  }

  /// Begins to read the rows of an entity, which must have a table.
  ///
  /// - Parameter range: the numbers of the rows.
  package func rows(
    of entity: EntityLayout, in range: RowRange = .all
  ) throws(StoreError) -> RowReader {
    try RowReader(self, entity, range)
  }

  /// Divides the rows of an entity among threads: ranges of at least so many numbers, in order, which hold
  /// all there are. It is one if the numbers are not the table's key: each range would be searched for.
  package func ranges(
    of entity: EntityLayout, each width: Int64
  ) throws(StoreError) -> [RowRange] {
    guard try columnsOfNumberedRows(of: entity) != nil else { return [.all] }
    let table = Database.quoted(entity.table)
    guard let first = try database.cell("SELECT MIN(Z_PK) FROM \(table)").integer,
      let last = try database.cell("SELECT MAX(Z_PK) FROM \(table)").integer
    else { return [.all] }
    return RowRange.ranges(of: first...max(first, last), each: width)
  }

  /// Prepares to look up rows of an entity's table by their numbers.
  ///
  /// - Parameter column: a column whose cells are wanted, too.
  package func lookup(in entity: EntityLayout, column: String?) throws(StoreError) -> RowLookup {
    try RowLookup(database, table: entity.table, column: column)
  }

  /// Begins to read the cells of an entity, which must have a table, as they are.
  package func cells(of entity: EntityLayout) throws(StoreError) -> CellReader {
    try CellReader(database, entity)
  }

  /// Begins to read the pairs of a property that leads to any number of rows; nil for any other.
  package func links(of property: PropertyLayout) throws(StoreError) -> LinkReader? {
    switch property.place {
    case .links(let table, let source, let target, _):
      return try LinkReader(database, table: table, source: source, target: target)
    case .toMany(let destination, let column):
      guard let table = layout.entity(named: destination)?.table else { return nil }
      return try LinkReader(database, table: table, source: column, target: "Z_PK")
    case .attribute, .composite, .toOne, .missing: return nil
    }
  }

  /// Returns the names of a table's columns, in upper case.
  package func columns(ofTable table: String) throws(StoreError) -> [String] {
    let info = try database.prepare("PRAGMA table_info(\(Database.quoted(table)))")
    var columns: [String] = []
    while try info.step() {
      if let name = try info.cell(at: 1).string { columns.append(name.uppercased()) }
    }
    return columns
  }

  /// Begins to read two columns of a table as pairs, by their numbers.
  package func pairs(
    inTable table: String, from source: String, to target: String
  ) throws(StoreError) -> LinkReader {
    try LinkReader(database, table: table, source: source, target: target)
  }

  /// Opens the file of a value that lies beside the store; nil if it is not there.
  package func open(_ data: ExternalData) throws(StoreError) -> FileReader? {
    try ExternalFiles(of: copy).open(data)
  }
}
