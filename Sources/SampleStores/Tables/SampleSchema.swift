import SwiftDataStores

/// The tables of one store as Core Data makes them, with where each property is.
///
/// Entities are numbered by the alphabet, those that inherit behind what they inherit from. A table
/// belongs to an entity that inherits from none, and has the columns of all that inherit from it:
/// whole numbers, then ways to rows, doubles, dates, decimals, texts and bytes, each by the alphabet.
struct SampleSchema {
  /// What a column holds.
  enum Source: Hashable {
    /// The value with a name.
    case value(String)
    /// The number of the entity of the row that the value with a name leads to.
    case entity(String)
  }

  struct Column {
    let name: String
    let declaredType: String
    let source: Source
  }

  struct Table {
    let name: String
    /// The entities whose rows it has.
    let entities: [String]
    var columns: [Column] = []
    var indexes: [String] = []
  }

  /// A table of pairs.
  struct LinkTable {
    let name: String
    let columns: [String]
    /// The entity and the property that the pairs are made from, as `Book.shelves`.
    let key: String
    /// The entity of the rows in each column.
    let entities: [String]
  }

  struct Entity {
    let number: Int64
    let name: String
    /// What the app's rows know it as: the name without what the version put behind it.
    let key: String
    let superNumber: Int64
  }

  private(set) var entities: [Entity] = []
  private(set) var tables: [Table] = []
  private(set) var linkTables: [LinkTable] = []

  private let version: SampleApp.Version
  private let declared: [SampleEntity]

  init(of app: SampleApp, _ version: SampleApp.Version, in file: SampleApp.StoreFile) {
    self.version = version
    declared = app.entities.filter {
      $0.versions.contains(version.number) && file.entities.contains($0.name)
    }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for entity in declared where entity.superentity == nil { number(entity, below: 0) }
    for entity in declared where entity.superentity == nil { addTable(of: entity) }
  }

  /// Returns the number of an entity of the app's.
  func number(of key: String) -> Int64 { entities.first { $0.key == key }?.number ?? 0 }

  /// The names of an entity and all that inherit from it.
  private func family(of entity: SampleEntity) -> [SampleEntity] {
    [entity] + declared.filter { $0.superentity == entity.name }.flatMap(family)
  }

  private mutating func number(_ entity: SampleEntity, below parent: Int64) {
    let number = Int64(entities.count + 1)
    entities.append(
      Entity(
        number: number, name: entity.name + version.suffix, key: entity.name, superNumber: parent))
    for child in declared where child.superentity == entity.name {
      self.number(child, below: number)
    }
  }

  private mutating func addTable(of root: SampleEntity) {
    let family = family(of: root)
    var table = Table(
      name: "Z" + (root.name + version.suffix).uppercased(), entities: family.map(\.name))
    var columns: [(rank: Int, column: Column)] = []
    var indexes: [String] = []
    if family.count > 1 { indexes.append(Self.index(table.name, "Z_ENT")) }
    func add(_ name: String, _ type: AttributeType, _ source: Source) {
      columns.append(
        (type.rank, Column(name: name, declaredType: type.declaredType, source: source)))
    }
    for entity in family {
      for property in entity.properties where property.versions.contains(version.number) {
        let column = "Z" + property.name.uppercased()
        switch property.content {
        case .attribute(let type): add(column, type, .value(property.name))
        case .composite(let parts):
          for part in parts { add("Z" + part.name.uppercased(), part.type, .value(part.name)) }
        case .toOne(let target, _):
          let inherited = declared.contains { $0.superentity == target }
          columns.append(
            (1, Column(name: column, declaredType: "INTEGER", source: .value(property.name))))
          if inherited {
            columns.append(
              (
                1,
                Column(
                  name: "Z\(number(of: target))_\(property.name.uppercased())",
                  declaredType: "INTEGER", source: .entity(property.name))
              ))
          }
          indexes.append(Self.index(table.name, column))
        case .toMany(let target, let inverse, _):
          addLinks(of: entity, property.name, to: target, inverse: inverse)
        }
      }
      if entity.unique.versions.contains(version.number) {
        for name in entity.unique.properties {
          indexes.append(
            "CREATE UNIQUE INDEX Z_\(entity.name)\(version.suffix)_UNIQUE_\(name) ON \(table.name) "
              + "(Z\(name.uppercased()) COLLATE BINARY ASC)")
        }
      }
    }
    for (entity, name) in ways(to: family) {
      let column = "Z\(number(of: entity))\(name.uppercased())"
      columns.append(
        (1, Column(name: column, declaredType: "INTEGER", source: .value("\(entity).\(name)"))))
      indexes.append(Self.index(table.name, column))
    }
    table.columns = columns.sorted {
      $0.rank == $1.rank ? $0.column.name < $1.column.name : $0.rank < $1.rank
    }.map(\.column)
    table.indexes = indexes
    tables.append(table)
  }

  /// The relationships to any number of rows of some entities from which nothing leads back: the
  /// targets have a column for them.
  private func ways(to family: [SampleEntity]) -> [(entity: String, name: String)] {
    declared.flatMap { entity in
      entity.properties.compactMap { property in
        guard case .toMany(let target, nil, _) = property.content,
          property.versions.contains(version.number), family.contains(where: { $0.name == target })
        else { return nil }
        return (entity.name, property.name)
      }
    }
  }

  /// Adds the table of pairs of a relationship with any number of rows on both sides, for the first.
  private mutating func addLinks(
    of entity: SampleEntity, _ name: String, to target: String, inverse: String?
  ) {
    guard let inverse, number(of: entity.name) < number(of: target),
      let back = declared.first(where: { $0.name == target })?.properties
        .first(where: { $0.name == inverse }),
      case .toMany = back.content
    else { return }
    let (from, to) = (number(of: entity.name), number(of: target))
    linkTables.append(
      LinkTable(
        name: "Z_\(from)\(name.uppercased())",
        columns: ["Z_\(from)\(inverse.uppercased())", "Z_\(to)\(name.uppercased())"],
        key: "\(entity.name).\(name)", entities: [entity.name, target]))
  }

  private static func index(_ table: String, _ column: String) -> String {
    "CREATE INDEX \(table)_\(column)_INDEX ON \(table) (\(column))"
  }
}

extension AttributeType {
  /// Where columns of the type stand in their table.
  fileprivate var rank: Int {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: 0
    case .double, .float: 2
    case .date: 3
    case .decimal: 4
    case .string, .uri: 5
    case .binary, .uuid, .transformable, .undefined, .objectID, .composite, .other: 6
    }
  }

  /// The type that Core Data declares such a column with.
  fileprivate var declaredType: String {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .double, .float: "FLOAT"
    case .date: "TIMESTAMP"
    case .decimal: "DECIMAL"
    case .string, .uri: "VARCHAR"
    case .binary, .uuid, .transformable, .undefined, .objectID, .composite, .other: "BLOB"
    }
  }
}
