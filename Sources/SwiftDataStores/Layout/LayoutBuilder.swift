import Diagnostics

/// Brings together what the model, `Z_PRIMARYKEY`, the tables and the indexes of a store say.
struct LayoutBuilder {
  let schema: DatabaseSchema
  let model: StoreModel?
  let path: String
  var layout = StoreLayout()
  var findings: [Finding] = []
  /// Columns and tables that a property has: table and column in upper case.
  var claimed: Set<[String]> = []
  /// How many properties all entities may still have together.
  private var remaining = 20_000

  init(_ schema: DatabaseSchema, model: StoreModel?, path: String) {
    self.schema = schema
    self.model = model
    self.path = path
  }

  /// Builds the layout, and finds where its witnesses contradict each other.
  mutating func build() throws(StoreError) {
    addEntities()
    if let model {
      for index in layout.entities.indices {
        guard let entity = model.entity(named: layout.entities[index].name) else { continue }
        try addProperties(of: entity, to: index)
      }
    }
    noteComputedColumns()
    try addUnclaimedColumns()
    try addUnclaimedTables()
    for index in layout.entities.indices {
      layout.entities[index].properties.sort {
        $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
      }
    }
    compareWithModel()
    lookForVersions()
  }

  // MARK: Entities

  private mutating func addEntities() {
    for key in schema.keys {
      let root = rootName(of: key)
      let own = schema.tables["A" + root.uppercased()]
      let table = schema.tables["Z" + root.uppercased()]
      let entity = EntityLayout(
        number: key.number, name: key.name,
        superNumber: key.superNumber == 0 ? nil : key.superNumber, highWater: key.highWater,
        table: table?.name ?? own?.name ?? "",
        isInModel: model?.entity(named: key.name) != nil,
        uniqueTogether: schema.uniqueIndexes.filter { $0.entity == key.name }
          .map { $0.properties.map(\.name) })
      if table == nil, own != nil {
        layout.ownEntities.append(entity)
      } else {
        layout.entities.append(entity)
      }
    }
  }

  /// The name of the entity that gives the table its name.
  private func rootName(of key: DatabaseSchema.Key) -> String {
    var key = key
    for _ in 0..<32 {
      guard key.superNumber != 0,
        let next = schema.keys.first(where: { $0.number == key.superNumber })
      else { break }
      key = next
    }
    return key.name
  }

  // MARK: Properties of the model

  private mutating func addProperties(
    of entity: ModelEntity, to index: Int
  ) throws(StoreError) {
    let lineage = model?.lineage(of: entity) ?? [entity]
    var seen: Set<String> = []
    var composites: [ModelAttribute] = []
    for ancestor in lineage {
      for attribute in ancestor.attributes
      where !attribute.isTransient && seen.insert(attribute.name).inserted {
        let column = column(for: attribute.name, of: index)
        if column == nil, attribute.type == .composite {
          composites.append(attribute)
          continue
        }
        var place = PropertyLayout.Place.missing
        if let column { place = .attribute(column: column, type: attribute.type) }
        try add(attribute.name, place, isMarked: attribute.isMarked, to: index)
      }
      for relationship in ancestor.relationships
      where !relationship.isTransient && seen.insert(relationship.name).inserted {
        try add(relationship.name, place(of: relationship, of: ancestor, index), to: index)
      }
    }
    for composite in composites {
      guard let parts = parts(of: composite, index) else { continue }
      try add(composite.name, .composite(parts), to: index)
    }
  }

  /// Returns where the parts of a composite value are; nil if it is not known of each. Their columns are
  /// called as those of attributes are, and then carried under their own names.
  private func parts(of composite: ModelAttribute, _ index: Int) -> [PropertyLayout]? {
    let taken = Set(layout.entities[index].properties.flatMap(\.columns))
    var parts: [PropertyLayout] = []
    for element in composite.elements where !element.isTransient {
      let place: PropertyLayout.Place
      if element.type == .composite {
        guard let parts = self.parts(of: element, index) else { return nil }
        place = .composite(parts)
      } else {
        guard let column = column(for: element.name, of: index), !taken.contains(column) else {
          return nil
        }
        place = .attribute(column: column, type: element.type)
      }
      parts.append(
        PropertyLayout(
          name: element.name, source: .model, place: place, isMarked: element.isMarked))
    }
    let columns = parts.flatMap(\.columns)
    let isPlain =
      Set(columns).count == columns.count && Set(parts.map(\.name)).count == parts.count
    return parts.isEmpty || !isPlain ? nil : parts
  }

  mutating func append(_ property: PropertyLayout, to index: Int) throws(StoreError) {
    remaining -= 1
    guard remaining >= 0 else {
      throw .corrupt(path: path, problem: "its entities have more properties than any store")
    }
    layout.entities[index].properties.append(property)
  }

  private mutating func add(
    _ name: String, _ place: PropertyLayout.Place, isMarked: Bool = false, to index: Int
  ) throws(StoreError) {
    try append(
      PropertyLayout(name: name, source: .model, place: place, isMarked: isMarked), to: index)
    let table = layout.entities[index].table.uppercased()
    switch place {
    case .attribute(let column, _): claimed.insert([table, column.uppercased()])
    case .composite(let parts):
      for column in parts.flatMap(\.columns) { claimed.insert([table, column.uppercased()]) }
    case .toOne(let column, let entityColumn, _):
      claimed.insert([table, column.uppercased()])
      if let entityColumn { claimed.insert([table, entityColumn.uppercased()]) }
    case .toMany(let destination, let column):
      let other = layout.entity(named: destination)?.table.uppercased() ?? ""
      claimed.insert([other, column.uppercased()])
    case .links(let table, _, _, _): claimed.insert([table.uppercased()])
    case .missing: break
    }
  }

  /// Returns the column of a property, `ZNAME`; where entities of one table have properties of one name
  /// the further ones have digits behind it, and nothing says which is whose.
  func column(for name: String, of index: Int) -> String? {
    guard let table = schema.tables[layout.entities[index].table.uppercased()] else { return nil }
    let stem = "Z" + name.uppercased()
    let others = table.columns.filter { column in
      column.key.hasPrefix(stem) && column.key.count > stem.count
        && column.key.dropFirst(stem.count).allSatisfy(\.isASCIIDigit)
        && !isExactColumn(column.key, in: table.name)
    }
    if let exact = table.column(stem) {
      // Where one property alone is called so, a further column is somebody else's.
      return others.isEmpty || propertyCount(of: stem, in: table.name) < 2 ? exact.name : nil
    }
    return others.count == 1 ? others.first?.name : nil
  }

  /// How many properties of the entities of a table would have a column.
  private func propertyCount(of column: String, in table: String) -> Int {
    var found: [String: Int] = [:]
    for entity in layout.entities where entity.table == table {
      guard let model, let known = model.entity(named: entity.name) else { continue }
      for ancestor in model.lineage(of: known) {
        let names =
          ancestor.attributes.filter { !$0.isTransient }.flatMap(\.namesOfColumns)
          + ancestor.relationships.filter { !$0.isTransient }.map(\.name)
        found[ancestor.name] = names.count { "Z" + $0.uppercased() == column }
      }
    }
    return found.values.reduce(0, +)
  }

  /// Whether a column is that of a property whose own name ends with digits.
  private func isExactColumn(_ column: String, in table: String) -> Bool {
    layout.entities.contains { entity in
      guard entity.table == table, let known = model?.entity(named: entity.name) else {
        return false
      }
      return known.attributes.contains { "Z" + $0.name.uppercased() == column }
        || known.relationships.contains { "Z" + $0.name.uppercased() == column }
    }
  }

  // MARK: Contradictions

  private mutating func compareWithModel() {
    func differs(_ message: String) {
      findings.append(Finding(.modelDiffers, .warning, path: path, message: message))
    }
    for entity in layout.entities where entity.table.isEmpty {
      differs("the entity \(entity.name) has no table")
    }
    guard let model else { return }
    for entity in model.entities where !schema.keys.contains(where: { $0.name == entity.name }) {
      differs("the model has an entity \(entity.name), which the store does not know")
    }
    for entity in layout.entities {
      guard entity.isInModel else {
        differs("the store has an entity \(entity.name), which its model does not know")
        continue
      }
      let missing = entity.properties.filter { $0.place == .missing }.map(\.name)
      guard !missing.isEmpty, !entity.table.isEmpty else { continue }
      differs(
        "\(entity.table) has no column of its own for \(missing.joined(separator: ", ")) of "
          + entity.name)
    }
    for index in schema.uniqueIndexes {
      guard let entity = layout.entity(named: index.entity), entity.isInModel else { continue }
      for property in index.properties
      where !entity.properties.contains(where: { $0.name == property.name }) {
        differs(
          "the index \(index.name) names a property \(property.name), which the model does not know"
        )
      }
    }
  }

  /// An app that names the models of its versions apart, and reads and writes others, has an empty store
  /// beside its data.
  private mutating func lookForVersions() {
    var versions: [String: [String]] = [:]
    for entity in layout.entities {
      versions[entity.name.withoutVersion, default: []].append(entity.name)
    }
    let versioned = layout.entities.map(\.name).filter { $0 != $0.withoutVersion }
    guard !versioned.isEmpty else { return }
    findings.append(
      Finding(
        .dormantVersioning, .warning, path: path,
        message:
          "\(versioned.joined(separator: ", ")) have a version in their names, which entities "
          + "of one app in all its versions have not"))
    for (_, names) in versions.sorted(by: { $0.key < $1.key }) where names.count > 1 {
      findings.append(
        Finding(
          .mixedVersions, .warning, path: path,
          message:
            "\(names.joined(separator: ", ")) are versions of one entity, and each has its own "
            + "table"))
    }
  }
}

extension ModelAttribute {
  /// The names of those that have a column: its own, or those of its parts.
  fileprivate var namesOfColumns: [String] {
    elements.isEmpty ? [name] : [name] + elements.flatMap(\.namesOfColumns)
  }
}

extension Character {
  var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

extension String {
  /// The name without `V` and digits at its end.
  fileprivate var withoutVersion: String {
    let stem = self[..<(lastIndex { !$0.isASCIIDigit }.map { index(after: $0) } ?? startIndex)]
    return stem.count > 1 && stem.count < count && stem.last == "V" ? String(stem.dropLast()) : self
  }

  /// Whether it is a beginning, one or more digits, and an end.
  func isNumbered(_ start: String, _ end: String) -> Bool {
    guard hasPrefix(start), hasSuffix(end), count > start.count + end.count else { return false }
    return dropFirst(start.count).dropLast(end.count).allSatisfy(\.isASCIIDigit)
  }
}

extension TableSchema {
  /// The columns of a table of pairs, but for those that keep an order.
  var linkColumns: [String] {
    columns.map(\.name).filter { !$0.uppercased().hasPrefix("Z_FOK_") }
  }
}
