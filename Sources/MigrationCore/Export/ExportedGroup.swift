import Diagnostics
import Folders
import SafeFiles

/// The entities of one group as JSON, ready to be written in their order.
struct ExportedGroup: Sendable {
  /// One entity.
  struct Entity: Sendable {
    var kind: EntityKind
    /// The identity, or the key of an entity of kind `other`.
    var id: [UInt8]
    var place: EntityPlace
    /// Its line of a stream, or its object of a legacy file.
    var json: Range<Int>
  }

  var group: EntityGroup
  var entities: [Entity] = []
  var bytes: [UInt8] = []
  var findings: [Finding] = []
  /// Values of conflicts and queued changes that are not in the export.
  var omittedValues = 0
  var omittedChanges = 0

  init(_ group: EntityGroup) {
    self.group = group
  }

  /// Sorts the entities as a stream lists them: by place, then by identity.
  mutating func sort() {
    entities.sort { left, right in
      if let order = Self.order(left.place, right.place) { return order }
      return left.id.lexicographicallyPrecedes(right.id)
    }
  }

  private static func order(_ left: EntityPlace, _ right: EntityPlace) -> Bool? {
    switch (left, right) {
    case (.record(_, let one), .record(_, let other)):
      one == other ? nil : one.lexicographicallyPrecedes(other)
    case (.tags, .tags): nil
    case (.tags, .record): true
    case (.record, .tags): false
    }
  }
}
