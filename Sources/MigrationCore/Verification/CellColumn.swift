import Folders
import SwiftDataStores

/// A column of a store's table and the property that it holds, found without the code that imports it:
/// by the property's name, and where columns are numbered by what the store's layout says.
struct CellColumn {
  /// The name of the property.
  let name: [UInt8]
  /// Where it is among the columns of the table.
  let position: Int
  /// Nil where the profile does not know it.
  let property: Property?
  /// The entity that its numbers lead to, as the store says, or else as the profile does.
  let target: EntityLayout?

  /// Returns the columns of an entity.
  ///
  /// - Parameter names: the names of the columns of its table, in upper case.
  static func all(
    of entity: StoreEntity, in store: Store, among names: [String], _ profile: Profile
  ) -> [CellColumn] {
    var columns: [CellColumn] = []
    for property in entity.profile.properties {
      let name = property.name.description.uppercased()
      let known = entity.columns.first { $0.name == property.name.bytes }?.layout
      // Where columns are numbered, only the layout knows which is whose; and one without the letter that
      // all have is called as it is.
      let isAsItIs = known?.column?.utf8.elementsEqual(property.name.bytes) ?? false
      let position =
        (isAsItIs ? names.firstIndex(of: name) : names.firstIndex(of: "Z" + name))
        ?? known?.column.flatMap { names.firstIndex(of: $0.uppercased()) }
      guard let position else { continue }
      // What the store says is a UUID, or a date, leads nowhere as a number.
      let kind = known?.mayBeNumber ?? true ? property.type.rowKind : nil
      let target = known?.leadsTo ?? kind.flatMap { declared($0, store, profile) }
      columns.append(
        CellColumn(
          name: property.name.bytes, position: position, property: property,
          target: target.flatMap(store.layout.entity(named:))))
    }
    for column in entity.columns where column.role == .undeclared {
      guard let name = column.layout.column,
        let position = names.firstIndex(of: name.uppercased())
      else { continue }
      columns.append(
        CellColumn(
          name: column.name, position: position, property: nil,
          target: column.layout.leadsTo.flatMap(store.layout.entity(named:))))
    }
    return columns
  }

  /// The store's entity of a kind.
  private static func declared(_ kind: String, _ store: Store, _ profile: Profile) -> String? {
    let rows = profile.kind(named: kind)?.home?.rows
    return store.layout.entities.first { rows?.holds($0.name) ?? false }?.name
  }
}

extension PropertyType {
  /// The kind of the row that a number leads to.
  fileprivate var rowKind: String? {
    if case .reference(let target) = self { target.kind } else { nil }
  }
}

extension PropertyLayout {
  /// The column of a value; nil for what has none of its own.
  fileprivate var column: String? {
    switch place {
    case .attribute(let column, _), .toOne(let column, _, _): column
    case .composite, .toMany, .links, .missing: nil
    }
  }

  /// Whether whole numbers are what the store keeps in its column, as far as it says.
  fileprivate var mayBeNumber: Bool {
    guard case .attribute(_, let type) = place else { return true }
    return switch type {
    case .integer16, .integer32, .integer64, .undefined, .other, .objectID, .composite: true
    case .boolean, .double, .float, .decimal, .date, .string, .uri, .uuid, .binary, .transformable:
      false
    }
  }

  /// The entity that a column leads to.
  fileprivate var leadsTo: String? {
    if case .toOne(_, _, let destination) = place { destination } else { nil }
  }
}
