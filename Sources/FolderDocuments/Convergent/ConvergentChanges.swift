package import Automerge
package import Folders

/// The changes that make one entity, computed from its data alone (convergent-import.md).
///
/// Two devices that import one entity write the same bytes, so a merge of their documents holds the
/// entity once. One value of this type builds entity after entity and keeps its storage.
package struct ConvergentChanges {
  /// Makes the map of the entity, and a record's list of images.
  package private(set) var skeleton = ChangeDraft()
  /// Sets every field.
  package private(set) var content = ChangeDraft()
  /// Fills the list of images; meaningful only if `hasImages`.
  package private(set) var images = ChangeDraft()
  /// Whether the entity names images.
  package private(set) var hasImages = false

  private var key: [UInt8] = []
  private var fields = FieldWriter()

  /// Imported values have counters up to this, so that every later edit is greater than they are.
  private static let padding = 1024
  private static let imagesKey = Array("images".utf8)
  /// The objects of the skeleton as a content or images change names them.
  private static let map = ChangeDraft.LocalID(counter: 1, actor: 1)
  private static let imageList = ChangeDraft.LocalID(counter: 2, actor: 1)

  package init() {}

  /// Builds all changes of an entity of the batch.
  package mutating func build(_ entity: LegacyEntity, of batch: EntityBatch) {
    buildSkeleton(entity)
    Self.begin(&content, onto: skeleton)
    fields.write(entity, of: batch, in: Self.map, to: &content)
    Self.finish(&content, of: entity.kind, as: .content)
    buildImages(entity, on: batch.tape)
  }

  private mutating func buildSkeleton(_ entity: LegacyEntity) {
    key.removeAll(keepingCapacity: true)
    entity.identity.append(to: &key)
    let key = key
    skeleton.begin(sequence: 1, startCounter: 1, dependencies: [])
    skeleton.makeObject(.map, in: .root, key: key.span)
    if entity.kind.hasImages {
      skeleton.makeObject(
        .list, in: ChangeDraft.LocalID(counter: 1, actor: 0), key: Self.imagesKey.span)
    }
    skeleton.finish(as: .skeleton)
  }

  private mutating func buildImages(_ entity: LegacyEntity, on tape: JSONTape) {
    hasImages = false
    guard let list = entity.imagesNode, tape.childCount(of: list) > 0 else { return }
    hasImages = true
    Self.begin(&images, onto: skeleton)
    var previous = ChangeDraft.LocalID.root
    var element = list + 1
    while element < tape.node(after: list) {
      previous = images.insert(
        .string, tape.text.span.extracting(tape.range(of: element)), in: Self.imageList,
        after: previous)
      element = tape.node(after: element)
    }
    Self.finish(&images, of: entity.kind, as: .images)
  }

  /// Begins a change on top of a skeleton.
  private static func begin(_ draft: inout ChangeDraft, onto skeleton: borrowing ChangeDraft) {
    draft.begin(
      sequence: 1, startCounter: UInt32(padding) - 3, onto: (skeleton.hash, skeleton.author))
  }

  /// Moves the change so that its last counter is a multiple of the padding, and completes it.
  private static func finish(
    _ draft: inout ChangeDraft, of kind: EntityKind, as label: ImportLabel
  ) {
    let skeletonCount = kind.hasImages ? 2 : 1
    let count = draft.operationCount
    let blocks = (count + skeletonCount + padding - 1) / padding
    draft.renumber(startCounter: UInt32(clamping: blocks * padding - count + 1))
    draft.finish(as: label)
  }
}

/// The change that ties the heads of a document together after an import (convergent-import.md).
package enum JoinChange {
  /// Builds the join of a document's heads, ascending, in `draft`.
  ///
  /// - Parameter maxCounter: the greatest operation counter of the document.
  package static func build(of heads: [ChangeHash], maxCounter: UInt32, in draft: inout ChangeDraft)
  {
    draft.begin(sequence: 1, startCounter: maxCounter + 1, dependencies: heads)
    draft.finish(as: .join)
  }
}

/// What an import or an update writes, as the derivation of a change's author spells it
/// (convergent-import.md).
///
/// A label is part of version 1 of the mapping and frozen by the golden vectors: any other mapping
/// needs other labels.
package enum ImportLabel: CaseIterable, Hashable, Sendable {
  case content
  case images
  case skeleton
  /// What sets the scalars of an entity of a declared kind.
  case declaredContent
  /// What makes one container of such an entity.
  case property
  /// What sets one of its links.
  case links
  case update
  /// What brings objects together that were made separately: it copies what users wrote.
  case unify
  case plain
  case join

  /// The label as it is hashed.
  package var text: StaticString {
    switch self {
    case .content: "automerge-migrate/1/content"
    case .images: "automerge-migrate/1/images"
    case .skeleton: "automerge-migrate/1/skeleton"
    case .declaredContent: "automerge-migrate/2/content"
    case .property: "automerge-migrate/2/property"
    case .links: "automerge-migrate/2/links"
    case .update: "automerge-migrate/1/update"
    case .unify: "automerge-migrate/1/unify"
    case .plain: "automerge-migrate/1/plain"
    case .join: "automerge-migrate/1/join"
    }
  }
}

extension ChangeDraft {
  /// Completes the change with the author its label derives.
  package mutating func finish(as label: ImportLabel) { finish(deriving: label.text) }
}
