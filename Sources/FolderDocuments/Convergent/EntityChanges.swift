package import Automerge
package import Folders

/// The changes that make one entity, by the mapping of its profile (convergent-import.md).
///
/// One value of this type builds entity after entity and keeps its storage.
package struct EntityChanges {
  private let kinds: EntityKinds
  /// The changes of the entity that was built last, if it is one of Minuta's.
  package private(set) var minuta = ConvergentChanges()
  /// The builder of each declared kind that was met, by the kind.
  private var declared: [EntityKind: DeclaredChanges] = [:]
  /// The kind of the entity that was built last.
  private var kind = EntityKind.other

  /// Creates a builder for entities of a folder.
  package init(_ kinds: EntityKinds) { self.kinds = kinds }

  /// Builds all changes of an entity of the batch; a valid one is never refused.
  package mutating func build(
    _ entity: LegacyEntity, of batch: EntityBatch
  ) throws(EntityRefusal) {
    kind = entity.kind
    guard !kinds.isMinuta else { return minuta.build(entity, of: batch) }
    if declared[kind] == nil, let profile = kinds[kind] {
      declared[kind] = DeclaredChanges(profile, of: kinds.profile)
    }
    try declared[kind]?.build(
      entity.node, on: batch.tape, identity: kinds.bytes(of: entity.identity, kind),
      types: batch.types)
  }

  /// Adds the changes to a batch, the skeleton first.
  package func append(to batch: inout ChangeBatch) {
    guard !kinds.isMinuta else {
      batch.append(minuta.skeleton)
      batch.append(minuta.content)
      if minuta.hasImages { batch.append(minuta.images) }
      return
    }
    for change in declaredChanges { batch.append(change.draft) }
  }

  /// Appends the chunks of the changes, the skeleton's first.
  package func appendChunks(to bytes: inout [UInt8]) {
    guard !kinds.isMinuta else {
      bytes.append(contentsOf: minuta.skeleton.chunk)
      bytes.append(contentsOf: minuta.content.chunk)
      if minuta.hasImages { bytes.append(contentsOf: minuta.images.chunk) }
      return
    }
    for change in declaredChanges { bytes.append(contentsOf: change.draft.chunk) }
  }

  /// Whether the mapping is Minuta's.
  package var isMinuta: Bool { kinds.isMinuta }

  /// The hash of the skeleton, which entities of one identity have in common; nil before any was built.
  package var skeleton: ChangeHash? {
    kinds.isMinuta ? minuta.skeleton.hash : declaredChanges.first?.draft.hash
  }

  /// What entities that say the same have in common, to tell those apart that do not.
  package var contentWord: UInt64 {
    guard !kinds.isMinuta else {
      return minuta.content.hash.leadingWord
        ^ (minuta.hasImages ? minuta.images.hash.leadingWord : 0)
    }
    return declaredChanges.dropFirst().reduce(0) { $0 ^ $1.draft.hash.leadingWord }
  }

  /// The changes of an entity of a declared kind, the skeleton first.
  package var declaredChanges: ArraySlice<DeclaredChanges.Change> { declared[kind]?.changes ?? [] }
}
