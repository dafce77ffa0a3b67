import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// A profile made of what a store says about itself, or what such a one adds to a profile that does not know
/// all of its entities.
struct GenericProfile {
  /// What it is called.
  static let name = "generic"

  private let store: Store
  private let entities: [EntityLayout]
  /// Entities whose names no place could have.
  private let unnamed: [EntityLayout]
  /// The profile that knows some of them; nil if there is none.
  private let known: Profile?

  /// What a store adds to a profile.
  struct Extension {
    var profile: Profile
    /// Entities that got a kind.
    var carried: [EntityLayout] = []
    /// Entities that no profile could describe.
    var left: [EntityLayout] = []
  }

  init(of store: Store) { self.init(of: store, extending: nil) }

  private init(of store: Store, extending known: Profile?) {
    self.store = store
    self.known = known
    let all = store.layout.entities.filter { !$0.table.isEmpty }
    entities = all.filter { StoreRows.isName($0.name) }
    unnamed = all.filter { !StoreRows.isName($0.name) }
  }

  /// Returns the profile: a kind for each entity with a table, called by its name.
  func profile() throws(MigrationError) -> Profile {
    func make(keepsRules: Bool) throws(ProfileDefect) -> Profile {
      try Profile(
        name: Self.name, version: 1, description: "made of the model of \(store.files.name)",
        kinds: try kinds(of: entities, keepsRules: keepsRules))
    }
    do throws(ProfileDefect) {
      return try make(keepsRules: true)
    } catch {
      guard case .deletionsChase = error.fact else { throw refusal(error) }
    }
    // Deletions that chase each other are the app's own affair.
    do throws(ProfileDefect) { return try make(keepsRules: false) } catch { throw refusal(error) }
  }

  /// Returns the known profile with a kind for each entity that it does not know, under a name of its own:
  /// what a profile says under its own name never changes.
  ///
  /// What is private stays so: an entity that is only among private ones is private, too.
  static func extending(_ known: Profile, with store: Store) -> Extension {
    GenericProfile(of: store, extending: known).extending(known)
  }

  private func extending(_ known: Profile) -> Extension {
    var result = Extension(profile: known)
    func isKnown(_ entity: EntityLayout) -> Bool {
      result.profile.kinds.contains { $0.home?.rows?.holds(entity.name) ?? false }
    }
    let others = known.kinds.filter { kind in
      entities.contains { kind.home?.rows?.holds($0.name) ?? false }
    }
    for entity in entities where !isKnown(entity) {
      var profile: Profile?
      for keepsRules in [true, false] where profile == nil {
        // What breaks a rule of profiles is told as not carried.
        profile = try? extended(
          known, with: result.carried + [entity], keepsRules: keepsRules,
          isPrivate: others.allSatisfy(\.isPrivate))
      }
      if let profile {
        result.profile = profile
        result.carried.append(entity)
      } else {
        result.left.append(entity)
      }
    }
    result.left += unnamed
    return result
  }

  private func extended(
    _ known: Profile, with added: [EntityLayout], keepsRules: Bool, isPrivate: Bool
  ) throws(ProfileDefect) -> Profile {
    let kinds = try kinds(of: added, keepsRules: keepsRules).map { kind in
      var kind = kind
      kind.isPrivate = isPrivate
      return kind
    }
    let suffix = Profile.extensionSuffix
    return try Profile(
      name: known.name.hasSuffix(suffix) ? known.name : known.name + suffix,
      version: known.version, description: known.description, lock: known.lock,
      recognition: known.recognition, identifiers: known.identifiers,
      branches: known.branches, kinds: known.kinds + kinds)
  }

  private func refusal(_ defect: ProfileDefect) -> MigrationError {
    .underlying(
      Diagnostic(
        .conflictsWithData, subject: store.files.path,
        problem: "its model makes no profile: \(defect.fact.problem)",
        remedy: "write a profile file for it, and give it with --profile"))
  }

  private func kinds(
    of described: [EntityLayout], keepsRules: Bool
  ) throws(ProfileDefect) -> [EntityKindProfile] {
    var kinds: [EntityKindProfile] = []
    for entity in described {
      let (identity, key) = identity(of: entity)
      let properties = entity.properties.compactMap { property -> Property? in
        guard property.name != identity.property?.description,
          let type = type(of: property, in: entity, among: described, keepsRules: keepsRules)
        else { return nil }
        return Property(PropertyName(Array(property.name.utf8)), type)
      }
      let home = EntityHome(
        paths: [], rows: StoreRows([entity.name], key: key),
        document: .one(try Self.document(of: entity)))
      kinds.append(
        EntityKindProfile(
          Self.kindName(of: entity), identity: identity, home: home,
          properties: PropertyTable(properties)))
    }
    return kinds
  }

  /// What the kind of an entity is called, and its document: as the entity, where that is a name that every
  /// system keeps and that means nothing else; else with what can stay of it, and digits that tell it from
  /// all others, the same on every device.
  static func kindName(of entity: EntityLayout) -> String {
    let name = Array(entity.name.utf8)
    if FileForm.isName(name), entity.name != "other" { return entity.name }
    let kept = entity.name.unicodeScalars.map { scalar in
      FileForm.isName(Array("a\(scalar)".utf8)) ? Character(scalar) : "_"
    }.prefix(40)
    let start = FileForm.isName(Array(String(kept).utf8)) ? "" : "Entity"
    return "\(start)\(String(kept))-\(ContentHash(of: name).description.prefix(8))"
  }

  private static func document(of entity: EntityLayout) throws(ProfileDefect) -> PathTemplate {
    do throws(PathDefect) {
      return try PathTemplate(ofDocument: Array("\(kindName(of: entity)).automerge".utf8))
    } catch {
      throw ProfileDefect(.path(error, entity.name), at: [])
    }
  }

  /// What tells the rows of an entity apart, on every device: a property `id` that is a UUID, else the only
  /// property that is unique by itself, if it is a text, a UUID or an integer, else nothing but the row.
  ///
  /// An integer is known by its digits, and a property besides: the text alone does not say what it was. Other
  /// values are no identity: a boolean tells two rows apart at most; a date or another number with a fraction
  /// need not be the same on its way through another device, and what a decimal was its column does not say.
  ///
  /// A row that lacks the value is known by its number, and that is told.
  private func identity(of entity: EntityLayout) -> (rule: IdentityRule, key: PropertyName?) {
    func type(of property: String) -> AttributeType? {
      guard let found = entity.properties.first(where: { $0.name == property }),
        case .attribute(_, let type) = found.place
      else { return nil }
      return type
    }
    let unique = uniqueAlone(in: entity)
    let only = type(of: "id") == .uuid ? "id" : unique.count == 1 ? unique.first : nil
    guard let only else { return (.row, nil) }
    let key = PropertyName(Array(only.utf8))
    return switch type(of: only) {
    // The number of a row is no UUID.
    case .uuid: isLacked(only, in: entity) ? (.string(key), key) : (.uuid(key), nil)
    case .string, .uri: (.string(key), key)
    case .integer16, .integer32, .integer64: (.row, key)
    default: (.row, nil)
    }
  }

  /// The properties that are unique by themselves: those of the entity, else those of the nearest one that
  /// it inherits from. What is unique among all rows of that is among its own.
  private func uniqueAlone(in entity: EntityLayout) -> Set<String> {
    var next: EntityLayout? = entity
    // Entities that inherit in a circle are no lineage.
    for _ in store.layout.entities {
      guard let entity = next else { break }
      let modelled = store.model?.entity(named: entity.name)?.uniqueTogether ?? []
      let unique = Set((modelled + entity.uniqueTogether).filter { $0.count == 1 }.flatMap { $0 })
      if !unique.isEmpty { return unique }
      next = entity.superNumber.flatMap { store.layout.entity(numbered: $0) }
    }
    return []
  }

  /// Whether the model says that rows may lack an attribute, or some do whatever it says.
  private func isLacked(_ attribute: String, in entity: EntityLayout) -> Bool {
    if let model = store.model, let own = model.entity(named: entity.name) {
      let attributes = model.lineage(of: own).lazy.flatMap(\.attributes)
      if attributes.first(where: { $0.name == attribute })?.isOptional ?? false { return true }
    }
    let place = entity.properties.first { $0.name == attribute }?.place
    guard case .attribute(let column, _)? = place else { return false }
    // What cannot be read now cannot be read with the rows either, and that is told then.
    return (try? store.hasNull(inColumn: column, of: entity)) ?? false
  }

  private func type(
    of property: PropertyLayout, in entity: EntityLayout, among described: [EntityLayout],
    keepsRules: Bool
  ) -> PropertyType? {
    func target(
      _ destination: String?, _ rule: ReferenceTarget.DeleteRule
    ) -> ReferenceTarget {
      guard let kind = kind(of: destination, among: described) else { return ReferenceTarget() }
      return ReferenceTarget(kind, onDelete: rule)
    }
    switch property.place {
    case .attribute(_, let type): return PropertyType(type)
    case .composite: return .json
    case .toOne(_, _, let destination):
      let rule = keepsRules ? deleteRule(of: property, in: entity) : .keep
      return .reference(target(destination, rule))
    case .links(_, _, _, let destination): return .links(target(destination, .keep))
    case .toMany(let destination, let column):
      let isTold =
        store.layout.entity(named: destination)?.properties.contains { other in
          if case .toOne(column, _, _) = other.place { true } else { false }
        } ?? false
      return isTold ? nil : .links(target(destination, .keep))
    case .missing: return nil
    }
  }

  /// The kind that rows of an entity are of; nil if nothing says that. Rows of an entity that others
  /// inherit from may be of these, which are kinds of their own.
  private func kind(of destination: String?, among described: [EntityLayout]) -> String? {
    guard let destination, let entity = entities.first(where: { $0.name == destination }),
      !entities.contains(where: { $0.superNumber == entity.number })
    else { return nil }
    let kind = known?.kinds.first { $0.home?.rows?.holds(destination) ?? false }
    return kind?.name ?? described.first { $0.name == destination }.map(Self.kindName(of:))
  }

  /// What the entity on the other side says about the deletion of its rows.
  private func deleteRule(
    of property: PropertyLayout, in entity: EntityLayout
  ) -> ReferenceTarget.DeleteRule {
    guard let model = store.model, let own = model.entity(named: entity.name),
      let relationship = model.lineage(of: own).lazy.flatMap(\.relationships)
        .first(where: { $0.name == property.name }),
      let name = relationship.inverse, let other = model.entity(named: relationship.destination),
      let inverse = model.lineage(of: other).lazy.flatMap(\.relationships)
        .first(where: { $0.name == name })
    else { return .keep }
    return switch inverse.deleteRule {
    case .cascade: .delete
    case .nullify: .clear
    case .deny: .refuse
    case .noAction, .other: .keep
    }
  }
}

extension PropertyType {
  /// What a profile calls what an attribute holds.
  init(_ type: AttributeType) {
    self =
      switch type {
      case .integer16, .integer32, .integer64: .integer
      case .decimal: .decimal
      case .double, .float: .double
      case .string, .uri: .string
      case .boolean: .boolean
      case .date: .date
      case .binary: .bytes
      case .uuid: .uuid
      case .undefined, .transformable, .objectID, .composite, .other: .json
      }
  }
}
