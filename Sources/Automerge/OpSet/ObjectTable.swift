/// The objects of a document, the root included, by their ids.
struct ObjectTable: Sendable {
  struct Entry: Sendable {
    let id: OpID
    /// The container it was made in; of the root, the root.
    let parent: OpID
    /// Where in the container, which is a map or a list.
    private let place: UInt64
    // The short ones together, or there would be a gap behind each.
    let kind: ObjectKind
    private let isInMap: Bool

    /// The root.
    fileprivate init() {
      id = .root
      kind = .map
      parent = .root
      place = OpID.root.raw
      isInMap = false
    }

    fileprivate init(_ kind: ObjectKind, madeBy operation: Operation) {
      id = operation.id
      self.kind = kind
      parent = operation.object
      isInMap = operation.isMapOperation
      place = isInMap ? operation.name.raw : operation.ownElement.raw
    }

    /// The key of the map; empty in a list.
    var name: PoolRange { isInMap ? PoolRange(raw: place) : .empty }

    /// The element of the list; the root in a map.
    var element: OpID { isInMap ? .root : OpID(raw: place) }
  }

  private(set) var entries: [Entry]
  /// For each id the entry and, in the lowest two bits, the kind.
  private var index: OpIDTable

  /// A table of the root alone.
  init(minimumCapacity: Int = 0) {
    entries = []
    entries.reserveCapacity(minimumCapacity + 1)
    index = OpIDTable(minimumCapacity: minimumCapacity + 1)
    insert(Entry())
  }

  var count: Int { entries.count }

  subscript(id: OpID) -> Entry? {
    guard let place = index[id] else { return nil }
    return entries[Int(place &>> 2)]
  }

  @inline(__always)
  func kind(of id: OpID) -> ObjectKind? {
    index[id].flatMap { ObjectKind(rawValue: UInt8(truncatingIfNeeded: $0 & 3)) }
  }

  func contains(_ id: OpID) -> Bool { index[id] != nil }

  /// Adds the object that an operation makes, if it makes one.
  mutating func insert(madeBy operation: Operation) {
    guard let kind = operation.action.madeObject else { return }
    insert(Entry(kind, madeBy: operation))
  }

  private mutating func insert(_ entry: Entry) {
    index.set(
      entry.id,
      UInt32(truncatingIfNeeded: entries.count) &<< 2 | UInt32(entry.kind.rawValue))
    entries.append(entry)
  }

  /// Forgets all but the first `count` objects. Linear; for what went wrong.
  mutating func truncate(to count: Int) {
    guard count < entries.count else { return }
    let kept = entries.prefix(count)
    entries = []
    index = OpIDTable(minimumCapacity: kept.count)
    for entry in kept { insert(entry) }
  }
}
