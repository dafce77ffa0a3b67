import FolderDocuments
import Folders

/// What a merge knows of the fields of a kind.
struct MergedFields: Sendable {
  /// Whether entities have lists of images, which are joined.
  let haveImages: Bool
  /// Whether lists, maps and texts are made separately in one object of an entity. Imports of declared
  /// kinds do that, where devices read different ones.
  let conflictWhole: Bool

  private let kind: EntityKind
  private let kinds: EntityKinds
  /// The fields in which Null says that there is nothing.
  private let optional: Set<[UInt8]>
  /// The fields that come behind all others, in this order.
  private let last: [[UInt8]]

  init(_ kind: EntityKind, of kinds: EntityKinds) {
    self.kind = kind
    self.kinds = kinds
    haveImages = kinds.joinsImages(of: kind)
    conflictWhole = kinds.makesContainersApart
    optional = kinds.optionalFields(of: kind)
    last = kinds.lastFields(of: kind)
  }

  /// Whether Null in a field says that there is nothing, as imports write it.
  func isOptional(_ name: [UInt8]) -> Bool { optional.contains(name) }

  /// Returns the fields of an entity in the order in which a merge writes them.
  func inOrder(_ names: Set<[UInt8]>) -> [[UInt8]] {
    var names = names
    if haveImages { names.remove(KnownField.imagesKey) }
    let sorted = names.sorted { $0.lexicographicallyPrecedes($1) }
    return sorted.filter { !last.contains($0) } + last.filter(names.contains)
  }

  /// Returns an entity as reports name it.
  func reported(_ identity: Identity) -> MergeReport.Entity { kinds.reported(kind, identity) }

  /// Returns the first of some entities for a message.
  func listed(_ identities: [Identity]) -> String { kinds.listed(identities, of: kind) }
}
