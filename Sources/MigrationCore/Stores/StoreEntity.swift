import Folders
import SwiftDataStores

/// An entity of a store as a kind of a profile: what each of its columns is.
struct StoreEntity {
  /// What a value of a row is to its kind.
  enum Role: Hashable {
    case identity
    case property(PropertyType, NestedMeaning)
    /// The profile does not know it.
    case undeclared
  }

  /// One value of a row.
  struct Column {
    var name: [UInt8]
    var role: Role
    let layout: PropertyLayout
    /// Whether the store's model says that every row has a value.
    let isRequired: Bool
  }

  let kind: EntityKind
  let profile: EntityKindProfile
  let layout: EntityLayout
  /// What each value of a row is, in the order in which rows have them.
  let columns: [Column]
  /// Properties that lead to any number of rows, and that no other entity tells.
  let links: [Column]
  /// The column of the identity; nil if it is none, or not there.
  let identityColumn: String?

  /// Finds out what the columns of an entity are.
  ///
  /// - Parameters:
  ///   - all: all entities of the store.
  ///   - model: the store's own model; nil if it keeps none.
  init(
    _ layout: EntityLayout, as kind: EntityKind, _ profile: EntityKindProfile,
    among all: StoreLayout, _ model: StoreModel?
  ) {
    let described = model?.entity(named: layout.name).map { model?.lineage(of: $0) ?? [] } ?? []
    let required = Set(
      described.flatMap(\.attributes).filter { !$0.isOptional }.map(\.name))
    self.kind = kind
    self.profile = profile
    self.layout = layout
    var declared: [String: (name: [UInt8], role: Role)] = [:]
    for property in profile.properties {
      declared[property.name.description.lowercased()] = (
        property.name.bytes, .property(property.type, property.nested)
      )
    }
    if let identity = profile.identity.property {
      declared[identity.description.lowercased()] = (identity.bytes, .identity)
    }
    var (columns, links): ([Column], [Column]) = ([], [])
    var identityColumn: String?
    for property in layout.properties {
      // A name that two columns would have is that of the first.
      let known = declared.removeValue(forKey: property.name.lowercased())
      let column = Column(
        name: known?.name ?? Array(property.name.utf8), role: known?.role ?? .undeclared,
        layout: property, isRequired: required.contains(property.name))
      switch property.place {
      case .attribute(let name, _), .toOne(let name, _, _):
        columns.append(column)
        if column.role == .identity { identityColumn = name }
      case .links: links.append(column)
      case .toMany(let destination, let name):
        // What leads back says the same.
        let isTold =
          all.entity(named: destination)?.properties.contains { other in
            if case .toOne(name, _, _) = other.place { true } else { false }
          } ?? false
        if !isTold { links.append(column) }
      case .missing: continue
      }
    }
    (self.columns, self.links, self.identityColumn) = (columns, links, identityColumn)
  }
}
