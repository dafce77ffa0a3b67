package import Automerge
package import Folders

/// Compares entities of any kind of a profile with what documents show, in both directions.
package struct EntityComparison {
  private let kinds: EntityKinds
  private var minuta = MinutaComparison()
  /// The comparison of each declared kind that was met, by the kind.
  private var declared: [EntityKind: DeclaredComparison] = [:]
  /// The kind of the entity that was compared last.
  private var kind = EntityKind.other

  /// Creates a comparison of entities of a folder.
  package init(_ kinds: EntityKinds) { self.kinds = kinds }

  /// Compares an entity of the batch with the map of a document that holds it.
  ///
  /// - Parameter ignoresID: whether the map is a root that holds its identity among its fields.
  package mutating func compare(
    _ entity: LegacyEntity, of batch: EntityBatch, with map: OpID, of document: DocumentState,
    ignoresID: Bool
  ) -> Bool {
    guard case .declared = kinds.mapping else {
      return minuta.compare(entity, of: batch, with: map, of: document, ignoresID: ignoresID)
    }
    meet(entity.kind)
    return declared[kind]?.compare(
      entity.node, on: batch.tape, identity: kinds.bytes(of: entity.identity, kind),
      types: batch.types, with: map, of: document) ?? false
  }

  /// Compares an entity of the batch with the map of a loaded document that holds it, as above.
  ///
  /// A document that is passed by itself is copied, with a reference to each of its parts.
  package mutating func compare(
    _ entity: LegacyEntity, of batch: EntityBatch, with map: OpID,
    in loaded: GroupDocuments.Loaded, ignoresID: Bool
  ) -> Bool {
    compare(entity, of: batch, with: map, of: loaded.document, ignoresID: ignoresID)
  }

  private mutating func meet(_ kind: EntityKind) {
    self.kind = kind
    if declared[kind] == nil, let profile = kinds[kind] {
      declared[kind] = DeclaredComparison(profile, of: kinds.profile)
    }
  }

  /// Returns whether an entity says of one field what readers of a document see, or saw at a point of
  /// its history.
  ///
  /// - Parameters:
  ///   - member: the name node of the member; nil if the entity does not have it.
  ///   - group: what was ever done to the field; nil if nothing was.
  package mutating func isEqual(
    _ member: Int?, named name: Span<UInt8>, of entity: LegacyEntity, in batch: EntityBatch,
    with group: ValueGroup?, of document: DocumentState, at view: HistoricalView? = nil
  ) -> Bool {
    guard case .declared = kinds.mapping else {
      return minuta.isEqual(
        member, named: name, of: entity, in: batch, with: group, of: document, at: view)
    }
    meet(entity.kind)
    return declared[kind]?.isEqual(
      member, named: name, on: batch.tape, types: batch.types, with: group, of: document, at: view)
      ?? false
  }

  /// Returns what a property of links says on one side only; nil if one of the sides does not say
  /// links.
  package mutating func linkDifference(
    _ member: Int?, named name: Span<UInt8>, of entity: LegacyEntity, in batch: EntityBatch,
    with group: ValueGroup?, of document: DocumentState
  ) -> LinkDifference? {
    meet(entity.kind)
    return declared[kind]?.linkDifference(
      member, named: name, on: batch.tape, with: group, of: document)
  }

  /// The fields of the last entity that differ, by name; usually empty.
  package var differences: [String] {
    switch kinds.mapping {
    case .frozen: minuta.differences
    case .declared: declared[kind]?.differences ?? []
    }
  }

  /// The fields of the last entity that show several concurrent values, by name; usually empty.
  package var conflicts: [String] {
    switch kinds.mapping {
    case .frozen: minuta.conflicts
    case .declared: declared[kind]?.conflicts ?? []
    }
  }

  /// Of the fields that differ those of which the document shows the entity's value, too, beside the
  /// one that readers see.
  package var besideCount: Int {
    switch kinds.mapping {
    case .frozen: minuta.besideCount
    case .declared: declared[kind]?.besideCount ?? 0
    }
  }

  /// How many fields were compared since the value was made, absent ones on one side included.
  package var fieldCount: Int {
    switch kinds.mapping {
    case .frozen: minuta.fieldCount
    case .declared: declared.values.reduce(0) { $0 + $1.fieldCount }
    }
  }
}
