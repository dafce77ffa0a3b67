import Folders
import SwiftDataStores

/// An entity of a store as a kind of a profile: what each of its columns is.
///
/// It and its columns are classes because every row asks for them: nothing of them is copied.
final class StoreEntity: Sendable {
  /// What a value of a row is to its kind.
  enum Role: Hashable, Sendable {
    case identity
    case property(PropertyType, NestedMeaning)
    /// The profile does not know it.
    case undeclared
  }

  /// The storage classes of cells that hold a type as it is; each row asks for them.
  struct Storage: OptionSet {
    let rawValue: UInt8
    static let integer = Storage(rawValue: 1)
    static let real = Storage(rawValue: 2)
    static let text = Storage(rawValue: 4)
    static let blob = Storage(rawValue: 8)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(of type: PropertyType) {
      self =
        switch type {
        case .json: [.integer, .real, .text, .blob]
        case .number: [.integer, .real]
        case .integer: .integer
        case .double: .real
        case .string, .text: .text
        case .bytes: .blob
        case .uuid, .boolean, .date, .decimal, .list, .map, .reference, .links: []
        }
    }
  }

  /// One value of a row.
  final class Column: Sendable {
    let name: [UInt8]
    let role: Role
    let layout: PropertyLayout
    /// Whether the store's model says that every row has a value.
    let isRequired: Bool
    /// What its values are; JSON where the profile does not say.
    let type: PropertyType
    /// Of which storage classes its values are, if they are what the profile says.
    let storage: Storage
    /// What is inside of its values.
    let meaning: NestedMeaning
    /// The name as a member's in JSON.
    let memberName: [UInt8]
    /// The JSON Pointer from an entity to its value.
    let pointer: [UInt8]
    /// Whether it is a part of a composite: no declared type is known of what is inside of a value.
    let isPart: Bool
    /// The parts of a composite value, in the order in which rows have them.
    let parts: [Column]

    fileprivate init(
      _ name: [UInt8], _ role: Role, _ layout: PropertyLayout, isRequired: Bool,
      inside composite: [UInt8]? = nil
    ) {
      (self.name, self.role, self.layout, self.isRequired) = (name, role, layout, isRequired)
      isPart = composite != nil
      if case .property(let type, let meaning) = role {
        (self.type, self.meaning) = (type, meaning)
      } else {
        (type, meaning) = (.json, NestedMeaning())
      }
      storage = Storage(of: type)
      var json = JSONWriter()
      json.name(name.span)
      memberName = json.bytes
      var pointer = composite ?? []
      InterchangeWriter.append(name.span, toPointer: &pointer)
      self.pointer = pointer
      guard case .composite(let parts) = layout.place else {
        self.parts = []
        return
      }
      self.parts = parts.map { [pointer] part in
        var role = Role.undeclared
        if case .attribute(_, let type) = part.place {
          role = .property(PropertyType(type), NestedMeaning())
        }
        return Column(Array(part.name.utf8), role, part, isRequired: false, inside: pointer)
      }
    }
  }

  let kind: EntityKind
  let profile: EntityKindProfile
  let layout: EntityLayout
  /// Whether its identity is a UUID: each row asks for it.
  let isKnownByUUID: Bool
  /// Whether there is one row by convention.
  let isSingle: Bool
  /// What each value of a row is, in the order in which rows have them.
  let columns: [Column]
  /// Which of them is the identity; nil if none is.
  let identity: Int?
  /// Which of them tells a row from others: the identity, or the key of rows; nil if none does.
  let telling: Int?
  /// Which of them has the date that says the month of a row; nil if none has.
  let date: Int?
  /// Properties that lead to any number of rows, and that no other entity tells.
  let links: [Column]
  /// What the lines of its rows begin with; nil if its name can be no place.
  let head: InterchangeWriter.RowHead?
  /// The column of what tells a row from others; nil if none does, or it is not there.
  let tellingColumn: String?

  /// Returns the entities of a store that are kinds of a profile.
  static func all(of store: Store, as kinds: EntityKinds) -> [StoreEntity] {
    store.layout.entities.compactMap { layout in
      guard !layout.table.isEmpty,
        let kind = kinds.all.first(where: {
          kinds[$0]?.home?.rows?.holds(layout.name) ?? false
        }), let profile = kinds[kind]
      else { return nil }
      return StoreEntity(layout, as: kind, of: kinds, profile, among: store.layout, store.model)
    }
  }

  /// Finds out what the columns of an entity are.
  ///
  /// - Parameters:
  ///   - all: all entities of the store.
  ///   - model: the store's own model; nil if it keeps none.
  init(
    _ layout: EntityLayout, as kind: EntityKind, of kinds: EntityKinds,
    _ profile: EntityKindProfile, among all: StoreLayout, _ model: StoreModel?
  ) {
    let described = model?.entity(named: layout.name).map { model?.lineage(of: $0) ?? [] } ?? []
    let required = Set(
      described.flatMap(\.attributes).filter { !$0.isOptional }.map(\.name))
    self.kind = kind
    self.profile = profile
    self.layout = layout
    isKnownByUUID = if case .uuid = profile.identity { true } else { false }
    isSingle = profile.home?.rows?.isSingle ?? false
    head = InterchangeWriter.RowHead(kind, of: kinds, entity: layout.name)
    let declared = Self.declared(by: profile, among: layout.properties)
    var (columns, links): ([Column], [Column]) = ([], [])
    for (property, known) in zip(layout.properties, declared) {
      let column = Column(
        known?.name ?? Array(property.name.utf8), known?.role ?? .undeclared, property,
        isRequired: required.contains(property.name))
      switch property.place {
      case .attribute, .toOne, .composite: columns.append(column)
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
    (self.columns, self.links) = (columns, links)
    identity = columns.firstIndex { $0.role == .identity }
    let key = profile.home?.rows?.key?.bytes
    telling = identity ?? columns.firstIndex { $0.name == key }
    tellingColumn =
      switch telling.map({ columns[$0].layout.place }) {
      case .attribute(let name, _), .toOne(let name, _, _): name
      default: nil
      }
    let date = kinds.date(of: kind)?.bytes
    self.date = columns.firstIndex { $0.name == date }
  }

  /// What a profile says of a property: the name it gives it, and what it is.
  private typealias Declared = (name: [UInt8], role: Role)

  /// Returns what a profile says of each property of a layout; nil where it says nothing.
  ///
  /// A name is that of the property that is called exactly so, then of one whose name the model tells, then
  /// of the first that differs in upper and lower case alone.
  private static func declared(
    by profile: EntityKindProfile, among properties: [PropertyLayout]
  ) -> [Declared?] {
    var found: [Declared?] = properties.map { _ in nil }
    var all = profile.properties.map { property in
      Declared(property.name.bytes, .property(property.type, property.nested))
    }
    if let identity = profile.identity.property {
      all.removeAll { $0.name == identity.bytes }
      all.append((identity.bytes, .identity))
    }
    let looks: [(PropertyLayout, [UInt8]) -> Bool] = [
      { $0.name.utf8.elementsEqual($1) },
      { $0.source != .column && $0.isCalled($1) },
      { $0.isCalled($1) },
    ]
    for isMeant in looks {
      all.removeAll { declared in
        guard
          let index = properties.indices.first(where: {
            found[$0] == nil && isMeant(properties[$0], declared.name)
          })
        else { return false }
        found[index] = declared
        return true
      }
    }
    return found
  }
}

extension PropertyLayout {
  /// Whether its name is a name, but for upper and lower case.
  fileprivate func isCalled(_ other: [UInt8]) -> Bool {
    name.lowercased() == String(decoding: other, as: UTF8.self).lowercased()
  }
}
