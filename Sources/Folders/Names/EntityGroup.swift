/// The entities whose files are read together, and whose documents are: those of a kind, or where the
/// path of a file says which month its entities belong to, those of a kind and a month.
package struct EntityGroup: Hashable, Sendable {
  /// What the entities are.
  package let kind: EntityKind
  /// The month of their files; nil if files say none.
  package let month: Month?

  /// Creates a group.
  package init(_ kind: EntityKind, month: Month? = nil) {
    self.kind = kind
    self.month = month
  }

  /// The first of all groups, where findings about no entity go.
  package static let first = EntityGroup(EntityKind(index: 0))
}

extension EntityGroup: Comparable {
  /// By kind; what has no month first, then months in order.
  package static func < (left: EntityGroup, right: EntityGroup) -> Bool {
    if left.kind != right.kind { return left.kind < right.kind }
    guard let month = left.month, let other = right.month else {
      return left.month == nil && right.month != nil
    }
    return month < other
  }
}
