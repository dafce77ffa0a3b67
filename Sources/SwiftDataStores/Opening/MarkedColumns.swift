import Diagnostics

/// Columns whose cells look as if their first bytes said where the values are: those of properties of
/// which large values are in files of their own.
enum MarkedColumns {
  /// A column whose cells may hold bytes, by the names of its table and its own.
  private struct Column: Hashable {
    let table: String
    let name: String

    var text: String { "\(table).\(name)" }
  }

  /// Tells of columns whose cells look as if their first bytes said where the values are, where the model
  /// does not say so: what they hold is carried as it is.
  static func findings(
    about layout: StoreLayout, in database: Database, path: String
  ) throws(StoreError) -> [Finding] {
    var columns: [Column: PropertyLayout.NameSource] = [:]
    var marked: Set<Column> = []
    for entity in layout.entities where !entity.table.isEmpty {
      for property in entity.properties.flatMap(\.plainProperties) {
        guard case .attribute(let name, let type) = property.place,
          [.binary, .transformable, .undefined].contains(type)
        else { continue }
        let column = Column(table: entity.table, name: name)
        if property.isMarked { marked.insert(column) }
        columns[column] = property.source
      }
    }
    var findings: [Finding] = []
    for (column, source) in columns.sorted(by: { $0.key.text < $1.key.text })
    where !marked.contains(column) {
      let (references, others, count) = try marks(of: column, in: database)
      let isDenied = source == .model
      guard references > 0 || (!isDenied && count > 0 && others == count) else { continue }
      let problem =
        isDenied
        ? "the model says that no value of \(column.text) is in a file of its own, and "
          + "\(references) name one"
        : "no model says whether the first byte of \(column.text) is the framework's, which says "
          + "where a value is, or the app's: it is carried as the app's"
      findings.append(
        Finding(
          isDenied ? .modelDiffers : .otherStorage, .warning, path: path,
          message: problem,
          next: "compare with a copy of the store that its app has opened: it writes the model anew"
        ))
    }
    return findings
  }

  /// Counts the cells of a column that name a file, those that begin with 01, and all that hold bytes.
  private static func marks(
    of column: Column, in database: Database
  ) throws(StoreError) -> (references: Int64, others: Int64, count: Int64) {
    let name = Database.quoted(column.name)
    let isReference =
      "length(\(name)) = \(ExternalReference.cellSize) AND substr(\(name), 1, 1) = x'02'"
    let rows = try database.prepare(
      "SELECT SUM(\(isReference)), SUM(substr(\(name), 1, 1) = x'01'), COUNT(*) "
        + "FROM \(Database.quoted(column.table)) WHERE typeof(\(name)) = 'blob'")
    guard try rows.step() else { return (0, 0, 0) }
    return (
      try rows.cell(at: 0).integer ?? 0, try rows.cell(at: 1).integer ?? 0,
      try rows.cell(at: 2).integer ?? 0
    )
  }
}

extension PropertyLayout {
  /// The property itself, or the parts of a composite one.
  fileprivate var plainProperties: [PropertyLayout] {
    guard case .composite(let parts) = place else { return [self] }
    return parts.flatMap(\.plainProperties)
  }
}
