import SafeFiles

/// What a store holds that the rows of its entities do not say, counted: whoever reads these rows carries
/// nothing of it.
package struct StoreRemainder: Hashable, Sendable {
  /// What is left.
  package enum Content: Hashable, Sendable {
    /// Rows of a table that are of none of the entities; with the number that they say, nil for none.
    case rows(table: String, entity: Int64?)
    /// Pairs of a table that lead from no row, or to what is no number of a row.
    case pairs(table: String)
    /// Values in a column that leads back to rows, and that are the number of none.
    case ways(table: String, column: String)
    /// Values of rows in a column that their entity has not.
    case values(table: String, column: String, entity: String)
    /// Rows of a table that is neither an entity's nor one of the framework's.
    case table(String)
    /// Files beside the store that no row names, with the name of the first.
    case files(String)
  }

  /// One thing that is left, and how much of it.
  package struct Part: Hashable, Sendable {
    /// What it is.
    package var content: Content
    /// How many rows, pairs, values or files.
    package var count: Int
  }

  /// All that is left, table by table.
  package internal(set) var parts: [Part] = []

  mutating func add(_ content: Content, _ count: Int64?) {
    guard let count, count > 0 else { return }
    parts.append(Part(content: content, count: Int(clamping: count)))
  }
}

extension Store {
  /// Counts what is left where the rows of some entities are read: each table is looked through once.
  package func remainder(besides entities: [EntityLayout]) throws(StoreError) -> StoreRemainder {
    var remainder = StoreRemainder()
    for table in Set(layout.entities.map(\.table)).sorted() where !table.isEmpty {
      let own = entities.filter { $0.table == table }
      try countRows(of: table, besides: own, &remainder)
      if layout.entities.count(where: { $0.table == table }) > 1 {
        try countValues(of: table, own, &remainder)
      }
    }
    try countPairs(of: entities, &remainder)
    for table in layout.foreignTables {
      remainder.add(
        .table(table),
        try database.cell("SELECT COUNT(*) FROM \(Database.quoted(table))").integer)
    }
    try countFiles(&remainder)
    return remainder
  }

  private static func list(_ entities: [EntityLayout]) -> String {
    Set(entities.map(\.number)).sorted().map(String.init).joined(separator: ", ")
  }

  private func countRows(
    of table: String, besides own: [EntityLayout], _ remainder: inout StoreRemainder
  ) throws(StoreError) {
    // One comparison a row takes a third of the time of a look into a list: 3 ms of 100,000 rows.
    let isOther =
      own.count == 1
      ? "Z_ENT IS NOT \(own[0].number)" : "Z_ENT IS NULL OR Z_ENT NOT IN (\(Self.list(own)))"
    let rows = try database.prepare(
      "SELECT Z_ENT, COUNT(*) FROM \(Database.quoted(table)) WHERE \(isOther) GROUP BY Z_ENT")
    while try rows.step() {
      remainder.add(
        .rows(table: table, entity: try rows.cell(at: 0).integer), try rows.cell(at: 1).integer)
    }
  }

  /// Entities that inherit share a table, and each has columns that the others have not.
  private func countValues(
    of table: String, _ entities: [EntityLayout], _ remainder: inout StoreRemainder
  ) throws(StoreError) {
    // What leads back here is read by who it leads to.
    let back = layout.entities.flatMap(\.properties).compactMap { property -> String? in
      guard case .toMany(let destination, let column) = property.place,
        layout.entity(named: destination)?.table == table
      else { return nil }
      return column.uppercased()
    }
    let columns = try columns(ofTable: table).filter {
      !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) && !back.contains($0)
    }
    for entity in entities {
      let own = Set(entity.properties.flatMap(\.columns).map { $0.uppercased() })
      let others = columns.filter { !own.contains($0) }
      guard !others.isEmpty else { continue }
      let counts = others.map { "COUNT(\(Database.quoted($0)))" }.joined(separator: ", ")
      let row = try database.prepare(
        "SELECT \(counts) FROM \(Database.quoted(table)) WHERE Z_ENT = \(entity.number)")
      guard try row.step() else { continue }
      for (position, column) in others.enumerated() {
        remainder.add(
          .values(table: table, column: column, entity: entity.name),
          try row.cell(at: position).integer)
      }
    }
  }

  // MARK: Pairs

  /// Two columns that are read as pairs, by the rows that they lead from.
  private struct Way: Hashable {
    let source: String
    let target: String
    let table: String
    /// Whether what they lead to is read: nobody knows whose row a number is of no entity.
    let leadsSomewhere: Bool
  }

  /// A table of pairs may be read from both sides, and a pair is carried if it is from one.
  private func countPairs(
    of entities: [EntityLayout], _ remainder: inout StoreRemainder
  ) throws(StoreError) {
    var ways: [StoreRemainder.Content: [Way: [EntityLayout]]] = [:]
    for entity in entities {
      for property in entity.properties {
        switch property.place {
        case .links(let table, let source, let target, let destination):
          let way = Way(
            source: source, target: target, table: entity.table,
            leadsSomewhere: destination != nil)
          ways[.pairs(table: table), default: [:]][way, default: []].append(entity)
        case .toMany(let destination, let column):
          guard let other = layout.entity(named: destination), !other.table.isEmpty,
            // Who it leads to says where, whatever that is.
            !entities.contains(where: { $0.table == other.table && $0.hasWay(in: column) })
          else { continue }
          let way = Way(
            source: column, target: "Z_PK", table: entity.table, leadsSomewhere: true)
          ways[.ways(table: other.table, column: column), default: [:]][way, default: []]
            .append(entity)
        case .attribute, .composite, .toOne, .missing: continue
        }
      }
    }
    for (content, ways) in ways.sorted(by: { $0.key.name < $1.key.name }) {
      let conditions = ways.filter(\.key.leadsSomewhere).map { way, entities in
        let (source, target) = (Database.quoted(way.source), Database.quoted(way.target))
        return "(typeof(pair.\(source)) = 'integer' AND typeof(pair.\(target)) = 'integer' "
          + "AND EXISTS (SELECT 1 FROM \(Database.quoted(way.table)) AS leading "
          + "WHERE leading.Z_PK = pair.\(source) "
          + "AND leading.Z_ENT IN (\(Self.list(entities)))))"
      }
      var condition =
        conditions.isEmpty ? "1" : "NOT (\(conditions.sorted().joined(separator: " OR ")))"
      if case .ways(_, let column) = content {
        condition += " AND \(Database.quoted(column)) IS NOT NULL"
      }
      remainder.add(
        content,
        try database.cell(
          "SELECT COUNT(*) FROM \(Database.quoted(content.tableName)) AS pair WHERE \(condition)"
        ).integer)
    }
  }

  // MARK: Files

  private func countFiles(_ remainder: inout StoreRemainder) throws(StoreError) {
    var names = try ExternalFiles(of: copy).names()
    if names.isEmpty { return }
    for table in Set(layout.entities.map(\.table)).sorted() where !table.isEmpty {
      for column in try columns(ofTable: table).map(Database.quoted) {
        let cells = try database.prepare(
          "SELECT \(column) FROM \(Database.quoted(table)) WHERE typeof(\(column)) = 'blob' "
            + "AND length(\(column)) = \(ExternalReference.cellSize)")
        while try cells.step() {
          guard case .blob(let bytes) = try cells.cell(at: 0),
            let uuid = ExternalReference(bytes)?.uuid
          else { continue }
          names.remove(uuid)
        }
      }
    }
    guard let first = names.min() else { return }
    remainder.add(.files(first), Int64(names.count))
  }
}

extension StoreRemainder.Content {
  fileprivate var tableName: String {
    switch self {
    case .rows(let table, _), .pairs(let table), .ways(let table, _), .values(let table, _, _),
      .table(let table):
      table
    case .files: ""
    }
  }

  fileprivate var name: String {
    if case .ways(let table, let column) = self { "\(table).\(column)" } else { tableName }
  }
}

extension EntityLayout {
  /// Whether a property leads to one row by a column.
  fileprivate func hasWay(in column: String) -> Bool {
    properties.contains { if case .toOne(column, _, _) = $0.place { true } else { false } }
  }
}
