/// A kind of entity: a handle into the profile of a folder, from which alone its name and its rules
/// come (`EntityKinds`).
package struct EntityKind: Hashable, Sendable {
  /// The position among the kinds of the profile.
  package let index: UInt8

  init(index: Int) { self.index = UInt8(truncatingIfNeeded: index) }

  /// What is no entity: a key of a document's root that only interchange streams carry, or a file
  /// whose place tells no kind.
  package static let other = EntityKind(index: 255)
}

extension EntityKind: Comparable {
  /// In the order of the profile; what is no entity comes last.
  package static func < (left: EntityKind, right: EntityKind) -> Bool { left.index < right.index }
}
