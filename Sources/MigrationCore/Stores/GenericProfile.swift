import Diagnostics
import Folders
import Runs
import SwiftDataStores

/// A profile made of what a store says about itself.
struct GenericProfile {
  private let store: Store
  private let entities: [EntityLayout]

  init(of store: Store) {
    self.store = store
    entities = store.layout.entities.filter { !$0.table.isEmpty }
  }

  /// Returns the profile: a kind for each entity with a table, called by its name.
  func profile() throws(MigrationError) -> Profile {
    do throws(ProfileDefect) {
      return try profile(keepsRules: true)
    } catch {
      guard case .deletionsChase = error.fact else { throw refusal(error) }
    }
    // Deletions that chase each other are the app's own affair.
    do throws(ProfileDefect) { return try profile(keepsRules: false) } catch {
      throw refusal(error)
    }
  }

  private func refusal(_ defect: ProfileDefect) -> MigrationError {
    .underlying(
      Diagnostic(
        .conflictsWithData, subject: store.files.path,
        problem: "its model makes no profile: \(defect.fact.problem)",
        remedy: "write a profile file for it, and give it with --profile"))
  }

  private func profile(keepsRules: Bool) throws(ProfileDefect) -> Profile {
    var kinds: [EntityKindProfile] = []
    for entity in entities {
      let identity = identity(of: entity)
      let properties = entity.properties.compactMap { property -> Property? in
        guard property.name != identity.property?.description,
          let type = type(of: property, in: entity, keepsRules: keepsRules)
        else { return nil }
        return Property(PropertyName(Array(property.name.utf8)), type)
      }
      let home = EntityHome(
        paths: [], rows: StoreRows([entity.name]), document: .one(try Self.document(of: entity)))
      kinds.append(
        EntityKindProfile(
          entity.name, identity: identity, home: home, properties: PropertyTable(properties)))
    }
    return try Profile(
      name: "generic", version: 1, description: "made of the model of \(store.files.name)",
      kinds: kinds)
  }

  private static func document(of entity: EntityLayout) throws(ProfileDefect) -> PathTemplate {
    do throws(PathDefect) {
      return try PathTemplate(ofDocument: Array("\(entity.name).automerge".utf8))
    } catch {
      throw ProfileDefect(.path(error, entity.name), at: [])
    }
  }

  /// A property `id` that is a UUID, else the only property that is unique by itself, if it is a text or
  /// a UUID, else the row.
  private func identity(of entity: EntityLayout) -> IdentityRule {
    func name(_ text: String) -> PropertyName { PropertyName(Array(text.utf8)) }
    func type(of property: String) -> AttributeType? {
      guard let found = entity.properties.first(where: { $0.name == property }),
        case .attribute(_, let type) = found.place
      else { return nil }
      return type
    }
    if type(of: "id") == .uuid { return .uuid(name("id")) }
    let modelled = store.model?.entity(named: entity.name)?.uniqueTogether ?? []
    let unique = Set((modelled + entity.uniqueTogether).filter { $0.count == 1 }.flatMap { $0 })
    guard unique.count == 1, let only = unique.first else { return .row }
    return switch type(of: only) {
    case .uuid: .uuid(name(only))
    case .string, .uri: .string(name(only))
    default: .row
    }
  }

  private func type(
    of property: PropertyLayout, in entity: EntityLayout, keepsRules: Bool
  ) -> PropertyType? {
    switch property.place {
    case .attribute(_, let type): return PropertyType(type)
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

  /// Rows of an entity that others inherit from may be of these, which are kinds of their own.
  private func target(
    _ destination: String?, _ rule: ReferenceTarget.DeleteRule
  ) -> ReferenceTarget {
    guard let destination, let entity = entities.first(where: { $0.name == destination }),
      !entities.contains(where: { $0.superNumber == entity.number })
    else { return ReferenceTarget() }
    return ReferenceTarget(destination, onDelete: rule)
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
  fileprivate init(_ type: AttributeType) {
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
