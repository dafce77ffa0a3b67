/// A plain table of a store, and its columns by their upper-case names.
struct TableSchema {
  let name: String
  /// In the order of the table.
  let columns: [Column]
  /// Where each column is, by its name in upper case.
  private let positions: [String: Int]

  /// One column.
  struct Column: Hashable {
    /// Its name as the table has it.
    let name: String
    /// The same in upper case, as all are that a store has.
    let key: String
    /// The type it is declared with, in upper case; its values may be of any other.
    let declaredType: String
  }

  init(name: String, columns: [Column]) {
    self.name = name
    self.columns = columns
    positions = Dictionary(
      columns.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the column with a name in whatever case.
  func column(_ name: String) -> Column? { positions[name.uppercased()].map { columns[$0] } }
}

/// An index that says that properties are unique together: `Z_Entity_UNIQUE_property_property`.
struct UniqueIndex {
  /// The name of the index.
  let name: String
  /// The name of the entity, in its own case.
  let entity: String
  /// The names of the properties, in their own case, by their columns in upper case.
  let properties: [(column: String, name: String)]

  /// Reads the name of an index; nil for one of another kind.
  init?(name: String, columns: [String]) {
    guard name.hasPrefix("Z_"), !columns.isEmpty,
      let mark = name.utf8Range(of: "_UNIQUE_")
    else { return nil }
    self.name = name
    entity = String(name[..<mark.lowerBound].dropFirst(2))
    // Names may hold the sign that stands between them, but the columns say how long each is.
    var rest = name[mark.upperBound...]
    var properties: [(column: String, name: String)] = []
    for column in columns {
      let stem = column.uppercased().dropFirst()
      let property = rest.prefix(stem.count)
      guard column.uppercased().hasPrefix("Z"), !stem.isEmpty, property.uppercased() == stem else {
        return nil
      }
      properties.append((column.uppercased(), String(property)))
      rest = rest.dropFirst(stem.count)
      if rest.first == "_" { rest = rest.dropFirst() }
    }
    guard rest.isEmpty, !entity.isEmpty else { return nil }
    self.properties = properties
  }
}

extension String {
  /// Returns where a text stands first.
  fileprivate func utf8Range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
