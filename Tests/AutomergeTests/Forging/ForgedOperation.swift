/// One operation as a test wants it, possible or not.
struct ForgedOperation {
  /// `counter@actor`; the root object and the head of a list have none.
  struct ID: Hashable, Comparable {
    var counter: UInt64
    var actor: [UInt8]

    static func < (left: ID, right: ID) -> Bool {
      left.counter != right.counter
        ? left.counter < right.counter : left.actor.lexicographicallyPrecedes(right.actor)
    }
  }

  enum Key: Equatable {
    case name(String)
    case head
    case element(ID)

    /// Swift's strings are equal if they look alike; names of keys only if their bytes are.
    static func == (left: Key, right: Key) -> Bool {
      switch (left, right) {
      case (.name(let one), .name(let two)): one.utf8.elementsEqual(two.utf8)
      case (.head, .head): true
      case (.element(let one), .element(let two)): one == two
      default: false
      }
    }
  }

  enum Action: UInt64 {
    case makeMap, set, makeList, delete, makeText, increment, makeTable, mark
  }

  enum Value {
    case null
    case boolean(Bool)
    case unsigned(UInt64)
    case signed(Int64)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    case counter(Int64)
    case timestamp(Int64)
    /// Any type code with any bytes.
    case raw(UInt64, [UInt8])

    var typeCode: UInt64 {
      switch self {
      case .null: 0
      case .boolean(let value): value ? 2 : 1
      case .unsigned: 3
      case .signed: 4
      case .double: 5
      case .string: 6
      case .bytes: 7
      case .counter: 8
      case .timestamp: 9
      case .raw(let code, _): code
      }
    }

    var bytes: [UInt8] {
      switch self {
      case .null, .boolean: []
      case .unsigned(let value): ForgedNumber.uleb(value)
      case .signed(let value), .counter(let value), .timestamp(let value): ForgedNumber.sleb(value)
      case .double(let value):
        (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
      case .string(let text): Array(text.utf8)
      case .bytes(let bytes), .raw(_, let bytes): bytes
      }
    }

    var metadata: UInt64 { UInt64(bytes.count) << 4 | typeCode }
  }

  var action: UInt64
  var object: ID?
  var key: Key
  var isInsert = false
  var value = Value.null
  var predecessors: [ID] = []
  var isExpanding = false
  var markName: String?

  init(
    _ action: Action, in object: ID? = nil, _ key: Key, _ value: Value = .null,
    predecessors: [ID] = []
  ) {
    self.action = action.rawValue
    self.object = object
    self.key = key
    self.value = value
    self.predecessors = predecessors
  }

  static func set(
    _ name: String, _ value: Value, in object: ID? = nil, predecessors: [ID] = []
  ) -> ForgedOperation {
    ForgedOperation(.set, in: object, .name(name), value, predecessors: predecessors)
  }

  static func make(_ action: Action, _ name: String, in object: ID? = nil) -> ForgedOperation {
    ForgedOperation(action, in: object, .name(name))
  }

  static func insert(
    _ value: Value, in object: ID, after element: ID? = nil
  ) -> ForgedOperation {
    var operation = ForgedOperation(.set, in: object, element.map(Key.element) ?? .head, value)
    operation.isInsert = true
    return operation
  }
}
