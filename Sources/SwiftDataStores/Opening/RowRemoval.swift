import SafeFiles

/// Takes the rows of some entities out of the private copy of a store: what lies beside the database for
/// them, what the history and the mirroring tables say of them, and everything that was deleted before.
struct RowRemoval {
  private static let lean: FileName = "store-lean"

  private let store: Store

  /// Names the store, of whose copy nothing is read after the removal.
  init(from store: Store) { self.store = store }

  /// What was removed, and how many rows each had.
  struct Removed {
    var entities: [(entity: String, rowCount: Int64)] = []
    /// Tables that are no entity's: nobody knows whose rows they hold, or copies of which.
    var tables: [(table: String, rowCount: Int64)] = []
  }

  /// Removes the rows of entities and of what inherits from them, and returns how many they were; what
  /// the store does not have is passed over. Rows of tables that are no entity's go, too.
  ///
  /// Also without any entity nothing that was deleted is left. Costs a copy of the database.
  func remove(_ names: Set<String>) throws(StoreError) -> Removed {
    let left = entities(named: names)
    let directory = store.copy.place.directory
    let place = try StoreError.wrapping { () throws(FileError) in
      try directory.canonicalPath() + [UInt8(ascii: "/")]
    }
    let counts = try remove(left, at: place)
    try StoreError.wrapping { () throws(FileError) in
      try directory.removeCopied(StoreCopy.database)
      try directory.renameOwn(Self.lean, to: StoreCopy.database)
    }
    return counts
  }

  /// Removes the rows, and writes what is left to a new database beside the old one, which is closed
  /// then.
  private func remove(_ left: [EntityLayout], at place: [UInt8]) throws(StoreError) -> Removed {
    let database = try Database(
      at: place + StoreCopy.database.bytes, .folding, path: store.files.path)
    var counts = Removed()
    counts.tables = try removeForeignRows(from: database)
    for entity in left {
      let table = Database.quoted(entity.table)
      let count = try database.cell(
        "SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(entity.number)")
      counts.entities.append((entity.name, count.integer ?? 0))
      try database.execute("DELETE FROM \(table) WHERE Z_ENT = \(entity.number)")
    }
    if !left.isEmpty {
      try removeTraces(of: left, in: database)
      try removeFiles(namedIn: database)
    }
    try database.copyContent(to: place + Self.lean.bytes)
    return counts
  }

  /// Removes the rows of tables that are no entity's, and whole indexes of text, whose tables they are.
  private func removeForeignRows(
    from database: Database
  ) throws(StoreError) -> [(table: String, rowCount: Int64)] {
    var counts: [(table: String, rowCount: Int64)] = []
    for table in store.layout.foreignTables {
      let count = try database.cell("SELECT COUNT(*) FROM \(Database.quoted(table))").integer ?? 0
      counts.append((table, count))
    }
    let rows = try database.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0")
    var virtual: [String] = []
    while try rows.step() { virtual += [try rows.cell(at: 0).string ?? ""] }
    for table in virtual {
      // One of a kind that is not built in cannot be dropped; the rows of its tables go all the same.
      try? database.execute("DROP TABLE \(Database.quoted(table))")
    }
    for table in store.layout.foreignTables {
      let isThere = try database.prepare(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = "
          + "'\(table.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
      )
      guard try isThere.step() else { continue }
      try database.execute("DELETE FROM \(Database.quoted(table))")
    }
    return counts
  }

  /// The entities that have these names, or inherit from one that has, and have a table.
  private func entities(named names: Set<String>) -> [EntityLayout] {
    var numbers = Set(store.layout.entities.filter { names.contains($0.name) }.map(\.number))
    var count = 0
    while count != numbers.count {
      count = numbers.count
      for entity in store.layout.entities {
        guard let number = entity.superNumber, numbers.contains(number) else { continue }
        numbers.insert(entity.number)
      }
    }
    return store.layout.entities.filter { numbers.contains($0.number) && !$0.table.isEmpty }
  }

  /// Removes what other tables know of rows that are gone.
  private func removeTraces(
    of left: [EntityLayout], in database: Database
  ) throws(StoreError) {
    let numbers = left.map { String($0.number) }.joined(separator: ", ")
    let kept = Set(store.layout.entities.map(\.number)).subtracting(left.map(\.number))
    // Rows of no entity are rows of one of those that the table is for.
    for table in Set(left.map(\.table)) {
      let isShared = store.layout.entities.contains {
        $0.table == table && kept.contains($0.number)
      }
      if !isShared { try database.execute("DELETE FROM \(Database.quoted(table))") }
    }
    for entity in store.layout.entities {
      for property in entity.properties {
        guard case .links(let table, let source, let target, let name) = property.place else {
          continue
        }
        let ends: [(String, EntityLayout?)] = [
          (source, entity), (target, name.flatMap(store.layout.entity(named:))),
        ]
        for case (let column, let end?) in ends where left.contains(end) {
          try database.execute(
            "DELETE FROM \(Database.quoted(table)) WHERE \(Database.quoted(column)) NOT IN "
              + "(SELECT Z_PK FROM \(Database.quoted(end.table)))")
        }
      }
    }
    // History and mirroring keep values of rows, also of deleted ones, by the number of the entity.
    for table in try DatabaseSchema(of: database).tables.values where table.name.hasPrefix("A") {
      for column in table.columns
      where column.key.hasSuffix("ENTITY") || column.key.hasSuffix("ENTITYID") {
        try database.execute(
          "DELETE FROM \(Database.quoted(table.name)) WHERE \(Database.quoted(column.name)) IN "
            + "(\(numbers))")
      }
    }
    // Statistics are samples of values.
    let statistics = try database.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'sqlite_stat%'")
    var names: [String] = []
    while try statistics.step() { names += [try statistics.cell(at: 0).string ?? ""] }
    for name in names { try database.execute("DELETE FROM \(Database.quoted(name))") }
  }

  /// Removes the files beside the database but for those that a row names.
  private func removeFiles(namedIn database: Database) throws(StoreError) {
    guard let support = store.copy.support else { return }
    var named: Set<FileName> = []
    for table in try DatabaseSchema(of: database).tables.values {
      for column in table.columns {
        named.formUnion(try Self.files(column: column.name, table: table.name, of: database))
      }
    }
    let kept = named
    try StoreError.wrapping { () throws(FileError) in
      let directory = try store.copy.place.directory.openDirectory(support)
      try Self.empty(directory, but: [ExternalReference.folder])
      let files = try directory.openDirectoryIfPresent(RelativePath(ExternalReference.folder))
      if let files { try Self.empty(files, but: kept) }
    }
  }

  /// Returns the names of the files that the cells of a column name.
  private static func files(
    column: String, table: String, of database: Database
  ) throws(StoreError) -> Set<FileName> {
    let column = Database.quoted(column)
    let rows = try database.prepare(
      "SELECT DISTINCT \(column) FROM \(Database.quoted(table)) "
        + "WHERE typeof(\(column)) = 'blob' AND length(\(column)) = \(ExternalReference.cellSize)")
    var names: Set<FileName> = []
    while try rows.step() {
      guard case .blob(let bytes) = try rows.cell(at: 0),
        let name = ExternalReference(bytes).flatMap({ FileName($0.uuid) })
      else { continue }
      names.insert(name)
    }
    return names
  }

  private static func empty(_ directory: Directory, but kept: Set<FileName>) throws(FileError) {
    for entry in try directory.entries() where !kept.contains(entry.name) {
      if entry.kind == .directory {
        try directory.removeOwnTree(entry.name)
      } else {
        try directory.removeCopied(entry.name)
      }
    }
  }
}
