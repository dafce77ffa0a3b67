/// One valid entity of a legacy file or of an interchange stream: where its fields lie on a tape.
///
/// The view holds node indexes, not values; it is read together with the `EntityBatch` it came
/// from, and only until that reads something else. All rules of validity hold: required fields are
/// there, known fields have their type or are `null`, every number in an unknown field has an
/// Automerge type that holds it.
package struct LegacyEntity: Sendable {
  /// What the entity is.
  package let kind: EntityKind
  /// Its identity; of kind `other` all zero, see `idNode`.
  package let identity: Identity
  /// Its position among the entities of its file.
  package let position: Int
  /// The object whose members are the fields; for kind `other` any value.
  package let node: Int
  /// The string the identity was read from; the entity itself if its place is its identity.
  package let idNode: Int
  /// The array of a record's image names, or `nil` if `images` is absent or `null`.
  package internal(set) var imagesNode: Int?
  /// The number of members that the schema does not name.
  package internal(set) var unknownMemberCount = 0
  /// The month that a date of the entity says, if that decides about its document.
  package internal(set) var month: Month?

  private var knownNodes: (Int32, Int32, Int32, Int32) = (-1, -1, -1, -1)
  /// The required date, `createdAt` or `startTime`, and `endTime`, in milliseconds since 1970.
  private var firstDate: Int64 = 0
  private var secondDate: Int64 = 0

  init(kind: EntityKind, identity: Identity, position: Int, node: Int, idNode: Int) {
    self.kind = kind
    self.identity = identity
    self.position = position
    self.node = node
    self.idNode = idNode
  }

  /// Returns the value of a known field, or `nil` if it is absent; it may be a `null` node.
  package func node(of field: KnownField) -> Int? {
    let index =
      switch field.slot {
      case 0: knownNodes.0
      case 1: knownNodes.1
      case 2: knownNodes.2
      default: knownNodes.3
      }
    return index < 0 ? nil : Int(index)
  }

  /// Returns a date in milliseconds since 1970.
  ///
  /// Meaningful only if the field is of this kind and neither absent nor `null`.
  package func milliseconds(of field: KnownField) -> Int64 {
    field == .endTime ? secondDate : firstDate
  }

  mutating func setNode(_ node: Int, of field: KnownField) {
    let index = Int32(truncatingIfNeeded: node)
    switch field.slot {
    case 0: knownNodes.0 = index
    case 1: knownNodes.1 = index
    case 2: knownNodes.2 = index
    default: knownNodes.3 = index
    }
  }

  mutating func setMilliseconds(_ milliseconds: Int64, of field: KnownField) {
    if field == .endTime { secondDate = milliseconds } else { firstDate = milliseconds }
  }
}

/// A value inside an unknown field as the Automerge value it becomes.
///
/// A string's bytes, an array's elements and an object's members stay on the tape.
package enum FieldValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case int(Int64)
  case uint(UInt64)
  case double(Double)
  case string
  case list
  case map

  // Only where an interchange stream's `types` say so.

  case text
  case timestamp(Int64)
  case counter(Int64)
  case bytes([UInt8])
  case unknown(code: UInt8, bytes: [UInt8])
}
