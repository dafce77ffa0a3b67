/// What an operation does (format.md 5.2).
package enum Action: UInt8, Sendable {
  case makeMap = 0
  case set
  case makeList
  case delete
  case makeText
  case increment
  case makeTable
  case mark

  /// The kind of object the action creates, if it creates one.
  package var madeObject: ObjectKind? {
    switch self {
    case .makeMap, .makeTable: .map
    case .makeList: .list
    case .makeText: .text
    case .set, .delete, .increment, .mark: nil
    }
  }
}

/// What an object is.
package enum ObjectKind: UInt8, Sendable {
  case map
  case list
  case text

  var makeAction: Action {
    switch self {
    case .map: .makeMap
    case .list: .makeList
    case .text: .makeText
    }
  }

  package var isSequence: Bool { self != .map }
}

/// One operation: what it does, to what, and with which value.
///
/// A plain value without references, so that millions of them are one flat array. Keys, values and
/// mark names are ranges of the pool that accompanies the array.
struct Operation: Sendable {
  var id: OpID
  var object: OpID
  /// In a list or text: the element acted on; of an insert, the element it goes after.
  var element = OpID.root
  /// In a map: the key. Of a mark: its name.
  var name = PoolRange.empty
  var value = PoolRange.empty
  /// Where the related operations begin: predecessors in a change, successors in a document.
  var relatedStart: UInt32 = 0
  var relatedCount: UInt32 = 0
  /// What the row adds to the length of its object while it is the winner there: one, or in a text
  /// the number of units.
  var width: UInt32 = 1
  var action: Action
  var valueType = ValueType.null
  var flags: Flags = []

  struct Flags: OptionSet, Sendable {
    let rawValue: UInt8

    static let insert = Flags(rawValue: 1)
    static let mapKey = Flags(rawValue: 2)
    static let expand = Flags(rawValue: 4)
    static let markName = Flags(rawValue: 8)
    /// Kept by the op set, like `winner`: readers see the value (format.md 5.3).
    static let visible = Flags(rawValue: 16)
    /// The greatest of the visible values of its key or element.
    static let winner = Flags(rawValue: 32)
  }

  @inline(__always)
  var isInsert: Bool { flags.contains(.insert) }

  @inline(__always)
  var isMapOperation: Bool { flags.contains(.mapKey) }

  @inline(__always)
  var isVisible: Bool { flags.contains(.visible) }

  @inline(__always)
  var isWinner: Bool { flags.contains(.winner) }

  /// Whether the operation gives its key or element a value.
  @inline(__always)
  var isValue: Bool { action == .set || action.madeObject != nil }

  @inline(__always)
  var isCounter: Bool { action == .set && valueType == .counter }

  /// Whether the operation sets a string.
  @inline(__always)
  var isString: Bool { action == .set && valueType == .string }

  /// The list element this operation belongs to, which for an insert is itself.
  @inline(__always)
  var ownElement: OpID { isInsert ? id : element }

  /// Whether the operation puts a value right behind the one that another has put, as the next thing
  /// its author did, and nothing came after it: so do nearly all operations of a text.
  @inline(__always)
  func follows(_ previous: Operation) -> Bool {
    canBeFollowed && element == previous.id && id == previous.id.next && object == previous.object
      && previous.isInsert && previous.action == .set && !previous.isMapOperation
  }

  /// Whether the operation inserts a value into a list or text and nothing came after it.
  @inline(__always)
  var canBeFollowed: Bool {
    isInsert && relatedCount == 0 && action == .set && !object.isRoot
      && flags.isDisjoint(with: [.expand, .markName, .mapKey])
  }

  @inline(__always)
  var related: Range<Int> { Int(relatedStart)..<Int(relatedStart) + Int(relatedCount) }

  /// The value column's metadata: byte count and type (format.md 2.6).
  @inline(__always)
  var valueMetadata: UInt64 { UInt64(value.count) &<< 4 | UInt64(valueType.code) }
}
