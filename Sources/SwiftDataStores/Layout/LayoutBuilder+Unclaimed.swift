import Diagnostics

extension LayoutBuilder {
  /// Columns that are computed have no values of their own, and are not read.
  mutating func noteComputedColumns() {
    guard !schema.computedColumns.isEmpty else { return }
    findings.append(
      Finding(
        .notCarried, .warning, path: path,
        message:
          "the database computes \(schema.computedColumns.joined(separator: ", ")) from other "
          + "columns, which are carried: what it computes is not"))
  }

  /// Columns that belong to no property are carried under their own names, by every entity of the table.
  mutating func addUnclaimedColumns() throws(StoreError) {
    for table in Set(layout.entities.map(\.table)).sorted() {
      guard let schema = schema.tables[table.uppercased()] else { continue }
      let columns = schema.columns.filter { column in
        !["Z_PK", "Z_ENT", "Z_OPT"].contains(column.key)
          && !claimed.contains([table.uppercased(), column.key])
      }
      for index in layout.entities.indices where layout.entities[index].table == table {
        let name = layout.entities[index].name
        let known = self.schema.uniqueIndexes.filter { $0.entity == name }.flatMap(\.properties)
        for column in columns { try addUnclaimed(column, known, to: index) }
      }
      // Those that keep the order of a relationship are in no model.
      let untold = columns.filter { !$0.key.hasPrefix("Z_FOK_") }
      guard !untold.isEmpty, model != nil else { continue }
      let names = untold.map(\.name).joined(separator: ", ")
      findings.append(
        Finding(
          .namesFromColumns, .warning, path: path,
          message: "the model does not tell whose \(table).\(names) is; they are carried under "
            + "their own names"))
    }
  }

  private mutating func addUnclaimed(
    _ column: TableSchema.Column, _ names: [(column: String, name: String)], to index: Int
  ) throws(StoreError) {
    let entity = layout.entities[index]
    let known = names.first { $0.column == column.key }
    let name = known?.name ?? column.key.withoutMark?.lowercased() ?? column.name
    let place: PropertyLayout.Place =
      schema.relationshipColumns.contains([entity.table.uppercased(), column.key])
      ? .toOne(column: column.name, entityColumn: nil, destination: nil)
      : .attribute(column: column.name, type: AttributeType(declaration: column.declaredType))
    try append(
      PropertyLayout(
        name: freeName(name, or: column.name, of: entity), source: known == nil ? .column : .index,
        place: place),
      to: index)
  }

  /// Returns a name, or else the other one, that no property of an entity has: every column is carried.
  private func freeName(
    _ name: String, or other: String, of entity: EntityLayout
  ) -> String {
    let taken = Set(entity.properties.map(\.name))
    if !taken.contains(name) { return name }
    var free = other
    while taken.contains(free) { free += "_" }
    return free
  }

  /// Tables of pairs that belong to no relationship are carried by the entity whose number they have;
  /// other tables that belong to nothing are told.
  mutating func addUnclaimedTables() throws(StoreError) {
    let known =
      ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
      + layout.entities.map {
        $0.table.uppercased()
      }
    var (carried, left): ([String], [String]) = ([], [])
    for key in schema.tables.keys.sorted()
    where key.hasPrefix("Z") && !claimed.contains([key]) && !known.contains(key) {
      guard let table = schema.tables[key] else { continue }
      if try addUnclaimed(table, key) {
        carried.append(table.name)
      } else {
        left.append(table.name)
      }
    }
    if !carried.isEmpty, model != nil {
      findings.append(
        Finding(
          .namesFromColumns, .warning, path: path,
          message: "the model does not tell whose \(carried.joined(separator: ", ")) is; its pairs "
            + "are carried under its own name"))
    }
    layout.foreignTables = (left + schema.otherTables + ownTablesOfNobody).sorted()
    guard !left.isEmpty else { return }
    findings.append(
      Finding(
        .modelDiffers, .warning, path: path,
        message: "no entity has the table \(left.joined(separator: ", ")): nothing of it is read"))
  }

  /// Tables that are called as the framework's own, and are not.
  private var ownTablesOfNobody: [String] {
    let own = Set(layout.ownEntities.map { $0.table.uppercased() } + Self.historyTables)
    return schema.tables.filter { key, _ in
      key.hasPrefix("A") && !key.hasPrefix("ANSCK") && !own.contains(key)
    }.map(\.value.name)
  }

  private static let historyTables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

  /// Adds a table of pairs, `Z_nNAME`, to the entity with the number; false for any other table.
  private mutating func addUnclaimed(_ table: TableSchema, _ key: String) throws(StoreError) -> Bool
  {
    let rest = key.dropFirst(2)
    let digits = rest.prefix(while: \.isASCIIDigit)
    let name = String(rest.dropFirst(digits.count))
    let columns = table.linkColumns
    guard key.hasPrefix("Z_"), let number = Int64(digits), columns.count == 2,
      let index = layout.entities.firstIndex(where: { $0.number == number }),
      let into = columns.firstIndex(where: { $0.uppercased().isNumbered("Z_", name) })
    else { return false }
    let target = Int64(columns[into].dropFirst(2).prefix(while: \.isASCIIDigit))
    try append(
      PropertyLayout(
        name: freeName(name.lowercased(), or: table.name, of: layout.entities[index]),
        source: .column,
        place: .links(
          table: table.name, source: columns[1 - into], target: columns[into],
          destination: target.flatMap { layout.entity(numbered: $0)?.name })),
      to: index)
    return true
  }
}

extension String {
  /// The name of a column without the letter that all have; nil for one that begins otherwise.
  fileprivate var withoutMark: String? {
    hasPrefix("Z") && !hasPrefix("Z_") && count > 1 ? String(dropFirst()) : nil
  }
}

extension AttributeType {
  /// What a column of a store holds by its declared type, where no model says it.
  fileprivate init(declaration: String) {
    self =
      switch declaration {
      case "TIMESTAMP": .date
      case "INTEGER": .integer64
      case "FLOAT": .double
      case "DECIMAL": .decimal
      case "VARCHAR": .string
      default: .undefined
      }
  }
}
