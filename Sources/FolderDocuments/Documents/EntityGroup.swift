package import Folders

/// The entities that belong together in one document of the monthly layout: all tags, or the
/// records of one month.
package struct EntityGroup: Hashable, Comparable, Sendable {
  /// The month of the records; nil for tags.
  package var month: Month?

  package init(month: Month? = nil) {
    self.month = month
  }

  package static let tags = EntityGroup(month: nil)

  package var kind: EntityKind { month == nil ? .tag : .record }

  /// Tags first, then months in order.
  package static func < (left: EntityGroup, right: EntityGroup) -> Bool {
    switch (left.month, right.month) {
    case (nil, nil), (.some, nil): false
    case (nil, .some): true
    case (let left?, let right?): left < right
    }
  }
}

/// Where in a source an entity stands: comparing positions is comparing relative paths, and inside
/// the tags file the places in its array.
package struct SourcePosition: Hashable, Comparable, Sendable {
  /// The file's number in the inventory, or the line's in a stream.
  package var item: UInt32
  /// The position in the tags array, 0 for a record.
  package var element: UInt32

  package init(item: UInt32, element: UInt32) {
    self.item = item
    self.element = element
  }

  package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.item, left.element) < (right.item, right.element)
  }
}
