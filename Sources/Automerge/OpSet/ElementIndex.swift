/// In which pages the elements of long lists and texts are.
///
/// Made for an object when somebody first asks for one of its elements by id, as changes of others
/// do; editing by position never needs it.
struct ElementIndex: Sendable {
  /// Objects that lie within so many pages are searched instead.
  static let scannedPages = 4

  private var objects: Set<OpID> = []
  private var tokens = OpIDTable()

  init() {}

  @inline(__always)
  var isEmpty: Bool { objects.isEmpty }

  func covers(_ object: OpID) -> Bool { objects.contains(object) }

  mutating func cover(_ object: OpID) { objects.insert(object) }

  subscript(element: OpID) -> UInt32? { tokens[element] }

  mutating func set(_ element: OpID, _ token: UInt32) { tokens.set(element, token) }
}
