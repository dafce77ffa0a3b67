/// What a column holds and how: `id << 4 | deflate << 3 | type` (format.md 2.8).
struct ColumnSpec: Hashable, Sendable {
  let raw: UInt32

  enum Kind: UInt32 {
    case group = 0
    case actor, uint, delta, boolean, string, valueMetadata, value
  }

  init(_ raw: UInt32) { self.raw = raw }

  var kind: Kind { Kind(rawValue: raw & 7) ?? .group }
  var isDeflated: Bool { raw & 8 != 0 }
  var id: UInt32 { raw >> 4 }

  /// The specification without the deflate bit: what columns are ordered and known by.
  var normalized: UInt32 { raw & ~8 }
  var deflated: ColumnSpec { ColumnSpec(raw | 8) }
}

/// The columns of operations, in changes and in documents (format.md 3.3, 4.3).
extension ColumnSpec {
  static let objectActor = ColumnSpec(1)
  static let objectCounter = ColumnSpec(2)
  static let keyActor = ColumnSpec(17)
  static let keyCounter = ColumnSpec(19)
  static let keyString = ColumnSpec(21)
  static let idActor = ColumnSpec(33)
  static let idCounter = ColumnSpec(35)
  static let insert = ColumnSpec(52)
  static let action = ColumnSpec(66)
  static let valueMetadata = ColumnSpec(86)
  static let value = ColumnSpec(87)
  static let predecessorGroup = ColumnSpec(112)
  static let predecessorActor = ColumnSpec(113)
  static let predecessorCounter = ColumnSpec(115)
  static let successorGroup = ColumnSpec(128)
  static let successorActor = ColumnSpec(129)
  static let successorCounter = ColumnSpec(131)
  static let expand = ColumnSpec(148)
  static let markName = ColumnSpec(165)
}

/// The columns of changes in a document (format.md 4.2).
extension ColumnSpec {
  static let changeActor = ColumnSpec(1)
  static let changeSequence = ColumnSpec(3)
  static let changeMaxCounter = ColumnSpec(19)
  static let changeTime = ColumnSpec(35)
  static let changeMessage = ColumnSpec(53)
  static let dependencyGroup = ColumnSpec(64)
  static let dependencyIndex = ColumnSpec(67)
  static let extraMetadata = ColumnSpec(86)
  static let extraData = ColumnSpec(87)
}
