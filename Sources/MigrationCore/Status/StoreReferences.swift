import Diagnostics
import Folders

/// The entities that rows lead to by their identities, as values: nothing in the tables of a store says
/// whether there are such entities.
struct StoreReferences {
  private struct Target: Hashable {
    let property: PropertyName
    let owner: EntityKind
    let kind: EntityKind
    let identity: Identity
  }

  private let kinds: EntityKinds
  /// The references of each kind, and where they lead.
  private var properties: [EntityKind: [(name: PropertyName, kind: EntityKind)]] = [:]
  /// How often each entity is led to, and from where first.
  private var targets: [Target: (count: Int, place: String)] = [:]

  /// Looks which kinds lead where.
  ///
  /// - Parameter known: the kinds of which all entities are read: of others nobody knows who is there.
  init(_ kinds: EntityKinds, to known: Set<EntityKind>) {
    self.kinds = kinds
    for kind in kinds.all {
      guard let profile = kinds[kind] else { continue }
      properties[kind] = profile.properties.compactMap { property in
        guard case .reference(let target) = property.type, let name = target.kind,
          let kind = kinds.kind(named: Array(name.utf8).span), known.contains(kind)
        else { return nil }
        return (property.name, kind)
      }
    }
  }

  /// Notes where an entity leads. What stands for a row that is not there is told where it is read.
  mutating func note(_ entity: LegacyEntity, of batch: EntityBatch, at place: String) {
    for (name, kind) in properties[entity.kind] ?? [] {
      guard let node = batch.tape.member(name.bytes, of: entity.node),
        batch.tape.kind(of: node) == .string
      else { continue }
      let text = batch.tape.text.span.extracting(batch.tape.range(of: node))
      guard LostValue(text, of: .reference(ReferenceTarget()), in: kinds.profile) == nil,
        let identity = kinds.identity(text, of: kind)
      else { continue }
      let target = Target(property: name, owner: entity.kind, kind: kind, identity: identity)
      targets[target, default: (0, place)].count += 1
    }
  }

  /// One finding for each property that leads to entities which are not there.
  ///
  /// - Parameter isThere: whether an entity was read.
  func findings(at path: String, _ isThere: (EntityKind, Identity) -> Bool) -> [Finding] {
    var counts: [Target: (count: Int, places: [String])] = [:]
    for (target, found) in targets where !isThere(target.kind, target.identity) {
      let zero = Identity(high: 0, low: 0)
      let property = Target(
        property: target.property, owner: target.owner, kind: target.kind, identity: zero)
      counts[property, default: (0, [])].count += found.count
      counts[property]?.places.append(found.place)
    }
    return counts.sorted {
      ($0.key.owner, $0.key.property) < ($1.key.owner, $1.key.property)
    }.map { target, found in
      let (owner, kind) = (kinds.name(of: target.owner), kinds.name(of: target.kind))
      let name = DisplayText.escaping(target.property.bytes)
      return Finding(
        .danglingReference, .warning, path: path,
        message: "\(EntityKinds.counted(found.count, owner)) with a \(name) of no \(kind) that is "
          + "there, such as \(found.places.min() ?? ""): an import keeps \(found.count == 1 ? "it" : "them")",
        next: "look for the \(kind) on another device, or in a backup of the store")
    }
  }
}
