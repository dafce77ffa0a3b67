import Diagnostics

/// What the tables of a store are called and made of, with the rows of `Z_PRIMARYKEY`.
struct DatabaseSchema {
  /// One row of `Z_PRIMARYKEY`.
  struct Key {
    let number: Int64
    let name: String
    /// The number of the entity it inherits from; zero for none.
    let superNumber: Int64
    /// The greatest row number that was ever handed out.
    let highWater: Int64
  }

  private(set) var keys: [Key] = []
  private(set) var uniqueIndexes: [UniqueIndex] = []
  /// Columns that an index says are relationships: table and column in upper case.
  private(set) var relationshipColumns: Set<[String]> = []
  /// Tables by their names in upper case.
  private(set) var tables: [String: TableSchema] = [:]
  /// The names of tables that begin as none of a store do.
  private(set) var otherTables: [String] = []
  /// Columns that the database computes from others of their row, `TABLE.COLUMN`: they hold nothing.
  private(set) var computedColumns: [String] = []
  /// How many tables mirror the store to CloudKit.
  private(set) var mirroringTableCount = 0

  /// How many tables and indexes are looked at.
  private static let maximumCount = 10_000
  private static let maximumEntityCount = 2_000

  /// Reads the schema of a store. Views and virtual tables are not looked at.
  init(of database: Database) throws(StoreError) {
    let rows = try database.prepare(
      "SELECT type, name, tbl_name FROM sqlite_schema WHERE rootpage > 0 ORDER BY name LIMIT "
        + String(Self.maximumCount + 1))
    var (names, indexes): ([String], [(name: String, table: String)]) = ([], [])
    while try rows.step() {
      guard let name = try rows.cell(at: 1).string else { continue }
      switch try rows.cell(at: 0).string {
      case "table": names.append(name)
      case "index": indexes.append((name, try rows.cell(at: 2).string ?? ""))
      default: continue
      }
    }
    guard names.count + indexes.count <= Self.maximumCount else {
      throw .corrupt(path: database.path, problem: "it has more tables than any store")
    }
    for name in names {
      if name.uppercased().hasPrefix("ANSCK") { mirroringTableCount += 1 }
      guard let first = name.uppercased().first, first == "Z" || first == "A" else {
        // SQLite keeps some for itself.
        if !name.lowercased().hasPrefix("sqlite_") { otherTables.append(name) }
        continue
      }
      let (table, computed) = try Self.table(name, of: database)
      tables[name.uppercased()] = table
      computedColumns += computed.map { "\(name).\($0)" }
    }
    for name in ["Z_PRIMARYKEY", "Z_METADATA"] where tables[name] == nil {
      throw .notAStore(path: database.path, missing: name)
    }
    for index in indexes where index.name.hasPrefix("Z") { try read(index, of: database) }
    keys = try Self.keys(of: database)
  }

  private static func table(
    _ name: String, of database: Database
  ) throws(StoreError) -> (TableSchema, computed: [String]) {
    let rows = try database.prepare("PRAGMA table_xinfo(\(Database.quoted(name)))")
    var columns: [TableSchema.Column] = []
    var computed: [String] = []
    while try rows.step() {
      guard let column = try rows.cell(at: 1).string else { continue }
      // Computing them may call functions that nobody has here.
      guard try rows.cell(at: 6).integer ?? 0 == 0 else {
        computed.append(column)
        continue
      }
      let type = try rows.cell(at: 2).string ?? ""
      columns.append(
        TableSchema.Column(
          name: column, key: column.uppercased(), declaredType: type.uppercased()))
    }
    return (TableSchema(name: name, columns: columns), computed)
  }

  /// Takes what the name of an index says: `ZTABLE_ZRELATIONSHIP_INDEX`, `Z_Entity_UNIQUE_property`.
  private mutating func read(
    _ index: (name: String, table: String), of database: Database
  ) throws(StoreError) {
    let rows = try database.prepare("PRAGMA index_info(\(Database.quoted(index.name)))")
    var columns: [String] = []
    while try rows.step() { columns.append(try rows.cell(at: 2).string ?? "") }
    let table = index.table.uppercased()
    if columns.count == 1, let column = columns.first?.uppercased(),
      index.name.uppercased() == "\(table)_\(column)_INDEX"
    {
      relationshipColumns.insert([table, column])
    }
    if let unique = UniqueIndex(name: index.name, columns: columns) { uniqueIndexes.append(unique) }
  }

  private static func keys(of database: Database) throws(StoreError) -> [Key] {
    let rows = try database.prepare(
      "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT LIMIT "
        + String(maximumEntityCount + 1))
    var keys: [Key] = []
    while try rows.step() {
      guard let number = try rows.cell(at: 0).integer, let name = try rows.cell(at: 1).string,
        !name.isEmpty
      else {
        throw .corrupt(path: database.path, problem: "Z_PRIMARYKEY has an entity without a name")
      }
      keys.append(
        Key(
          number: number, name: name, superNumber: try rows.cell(at: 2).integer ?? 0,
          highWater: try rows.cell(at: 3).integer ?? 0))
    }
    guard keys.count <= maximumEntityCount else {
      throw .corrupt(path: database.path, problem: "it has more entities than any store")
    }
    if let key = keys.first(where: { inheritsFromItself($0, among: keys) }) {
      let name = DisplayText.escaping(key.name.utf8)
      throw .corrupt(
        path: database.path,
        problem: "Z_PRIMARYKEY says that the entity \(name) inherits from itself, which none does")
    }
    return keys
  }

  private static func inheritsFromItself(_ key: Key, among keys: [Key]) -> Bool {
    var number = key.superNumber
    for _ in keys where number != 0 {
      if number == key.number { return true }
      guard let next = keys.first(where: { $0.number == number }) else { return false }
      number = next.superNumber
    }
    return false
  }
}
