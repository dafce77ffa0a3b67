package import Automerge
package import Folders

/// The changes that make one entity, by the mapping of its profile (convergent-import.md).
///
/// One value of this type builds entity after entity and keeps its storage.
package struct EntityChanges {
  private let kinds: EntityKinds
  /// The changes of the entity that was built last, if it is one of Minuta's.
  package private(set) var minuta = ConvergentChanges()
  /// The builder of each declared kind, once it was met.
  private var declared: [DeclaredChanges?]
  /// The kind of the entity that was built last.
  private var kind = EntityKind.other

  /// Creates a builder for entities of a folder.
  package init(_ kinds: EntityKinds) {
    self.kinds = kinds
    declared = kinds.mapping == .frozen ? [] : Array(repeating: nil, count: kinds.names.count)
  }

  /// Builds all changes of an entity of the batch; a valid one is never refused.
  ///
  /// - Parameter sink: takes the changes, the skeleton first; of an entity that is refused it may have
  ///   taken some.
  package mutating func build(
    _ entity: LegacyEntity, of batch: EntityBatch, into sink: inout some ChangeSink
  ) throws(EntityRefusal) {
    kind = entity.kind
    guard case .declared = kinds.mapping else {
      minuta.build(entity, of: batch)
      sink.append(minuta.skeleton)
      sink.append(minuta.content)
      if minuta.hasImages { sink.append(minuta.images) }
      return
    }
    guard let index else { return }
    if declared[index] == nil, let profile = kinds[kind] {
      declared[index] = DeclaredChanges(profile, of: kinds.profile)
    }
    try declared[index]?.build(
      entity.node, on: batch.tape, identity: kinds.bytes(of: entity.identity, kind),
      types: batch.types, into: &sink)
  }

  /// Builds all changes of an entity of the batch only to know their hashes.
  package mutating func build(
    _ entity: LegacyEntity, of batch: EntityBatch
  ) throws(EntityRefusal) {
    var sink = NoSink()
    try build(entity, of: batch, into: &sink)
  }

  /// The mapping by which they are built.
  package var mapping: EntityMapping { kinds.mapping }

  /// The hash of the skeleton, which entities of one identity have in common; nil before any was built.
  package var skeleton: ChangeHash? {
    switch kinds.mapping {
    case .frozen: minuta.skeleton.hash
    case .declared: declaredChanges.first?.hash
    }
  }

  /// What entities that say the same have in common, to tell those apart that do not.
  package var contentWord: UInt64 {
    guard case .declared = kinds.mapping else {
      return minuta.content.hash.leadingWord
        ^ (minuta.hasImages ? minuta.images.hash.leadingWord : 0)
    }
    return declaredChanges.dropFirst().reduce(0) { $0 ^ $1.hash.leadingWord }
  }

  /// The changes of an entity of a declared kind, the skeleton first.
  package var declaredChanges: [DeclaredChanges.Change] {
    index.flatMap { declared[$0]?.changes } ?? []
  }

  /// Where the builder of the kind stands; nil for what is no entity.
  private var index: Int? {
    Int(kind.index) < declared.count ? Int(kind.index) : nil
  }
}
