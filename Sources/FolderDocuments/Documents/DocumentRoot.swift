package import Automerge
package import Folders

/// What the root of a document holds.
///
/// Two shapes exist: a map from identities to entities, and a root that is itself one record with
/// its identity under `id`. The content decides, never the path.
package struct DocumentRoot {
  /// One entity of a document.
  package struct Entity {
    /// The identity its key, or its `id`, names.
    package var identity: Identity
    /// The map that holds the fields, nil if no reader sees the entity any more.
    package var map: OpID?
    /// Where the key lies in the document's pool; nil for a root that is itself the record.
    package var key: Range<Int>?
    /// How many values reads of the key find; more than one is a conflict of whole objects.
    package var valueCount: Int
  }

  /// A key that is no entity.
  package struct Other {
    /// Where the key lies in the document's pool.
    package var key: Range<Int>
    /// What was ever done to it.
    package var group: ValueGroup
  }

  /// Every identity the document ever held, visible or not, in the order of the keys.
  package private(set) var entities: [Entity] = []
  /// Visible keys that are no entities.
  package private(set) var others: [Other] = []
  /// Whether the root is itself a record.
  package private(set) var isRecord = false

  package init(_ document: DocumentState) {
    let pool = document.pool
    document.forEachKey(of: .root) { key, group in
      if let identity = Identity(pool.span.extracting(key)) {
        let values = document.values(in: group)
        var map: OpID?
        if let winner = values.last, winner.content == .object(.map) { map = winner.id }
        if map == nil, !values.isEmpty { others.append(Other(key: key, group: group)) }
        entities.append(
          Entity(identity: identity, map: map, key: key, valueCount: values.count))
      } else if document.isVisible(group) {
        others.append(Other(key: key, group: group))
      }
    }
    if entities.isEmpty, let identity = document.rootIdentity {
      entities = [Entity(identity: identity, map: .root, key: nil, valueCount: 1)]
      others = []
      isRecord = true
    }
  }
}

extension DocumentState {
  /// Returns everything under an entity's key that nobody replaced or deleted; the last one is what
  /// readers see.
  package func values(of entity: DocumentRoot.Entity) -> [DocumentValue] {
    guard let key = entity.key else {
      return entity.map.map { [DocumentValue(id: $0, content: .object(.map))] } ?? []
    }
    return group(of: .root, key: Array(pool[key])).map { values(in: $0) } ?? []
  }

  /// Returns the maps under an entity's key: the one that readers see comes after those it hides.
  package func maps(of entity: DocumentRoot.Entity) -> [OpID] {
    values(of: entity).filter { $0.content == .object(.map) }.map(\.id)
  }

  /// The identity that a root with an `id` has, nil for any other root.
  fileprivate var rootIdentity: Identity? {
    guard let value = value(of: .root, key: Array("id".utf8)),
      case .scalar(let place) = value.content, place.type == .string
    else { return nil }
    return Identity(pool.span.extracting(place.range))
  }
}
