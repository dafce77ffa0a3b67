/// What the changes between two points in history were on: where a difference has to look.
struct TouchedObjects {
  /// Something in an object.
  private struct Member<Content> {
    let owner: OpID
    let content: Content
  }

  /// The bytes of names.
  let pool: [UInt8]
  /// The keys that were touched, by the numbers of their maps.
  private var keys: [Member<PoolRange>] = []
  private var sequences = OpIDTable()
  /// The elements that were touched, by the numbers of their lists and texts.
  private var elements: [Member<OpID>] = []
  /// For each list and text of which they are known the places of `places(in:)`.
  private var places: [OpID: [OpSet.Place]] = [:]
  /// The objects that were touched or hold one that was, by the numbers of what they are in.
  private var children: [Member<OpID>] = []

  /// - Parameter rows: the changes, as rows of the history.
  init(_ rows: [Int], of document: DocumentState) throws(FormatError) {
    let batch = try document.batch(rows)
    let actors = batch.actors.map { UInt32(document.actors.index(of: $0) ?? 0) }
    pool = batch.pool
    var noted = OpIDTable()
    noted.set(.root, 0)
    for operation in batch.operations {
      let object = operation.object.renumbered(actors)
      if operation.isMapOperation {
        keys.append(Member(owner: object, content: operation.name))
      } else {
        sequences.set(object, 0)
        elements.append(
          Member(owner: object, content: operation.ownElement.renumbered(actors)))
      }
      var id = object
      while noted[id] == nil, let entry = document.operations.objects[id] {
        noted.set(id, 0)
        children.append(Member(owner: entry.parent, content: id))
        id = entry.parent
      }
    }
    keys.sort { $0.owner.raw < $1.owner.raw }
    children.sort { $0.owner.raw < $1.owner.raw }
  }

  /// Finds the places of all that was touched in lists and texts.
  mutating func findPlaces(in operations: inout OpSet) {
    for child in children where operations.objects.kind(of: child.owner)?.isSequence == true {
      guard let entry = operations.objects[child.content] else { continue }
      elements.append(Member(owner: child.owner, content: entry.element))
    }
    elements.sort { $0.owner.raw < $1.owner.raw }
    var rest = elements[...]
    while let sequence = rest.first?.owner {
      let own = rest.prefix { $0.owner == sequence }
      rest = rest[own.endIndex...]
      var found = operations.placesOfMarkedPages(of: sequence)
      for element in own {
        if let place = operations.place(ofElement: element.content, in: sequence) {
          found.append(place)
        }
      }
      found.sort(by: <)
      var distinct: [OpSet.Place] = []
      for place in found where distinct.last != place { distinct.append(place) }
      places[sequence] = distinct
    }
  }

  /// Returns the first rows, in order, of the groups of a list or text that were touched, or that hold
  /// something that was, and those around marks; nil if that is not known.
  func places(in sequence: OpID) -> [OpSet.Place]? { places[sequence] }

  /// Whether a list or text was touched itself.
  func contains(sequence: OpID) -> Bool { sequences[sequence] != nil }

  /// Returns the keys of a map that were touched, each once, ascending by bytes, as ranges of `pool`.
  func names(in map: OpID) -> [Range<Int>] {
    var names = Self.members(of: map, in: keys).map(\.content.range)
    guard names.count > 1 else { return names }
    names.sort { pool.compare($0, to: pool, $1) < 0 }
    var distinct: [Range<Int>] = []
    for name in names where distinct.last.map({ !pool.areEqual($0, name) }) ?? true {
      distinct.append(name)
    }
    return distinct
  }

  /// Returns the objects in a container that were touched or hold one that was, the oldest first.
  func children(of container: OpID, in operations: OpSet) -> [OpID] {
    Self.members(of: container, in: children).map(\.content)
      .sorted { operations.precedes($0, $1) }
  }

  /// Whether a container holds an object that was touched or holds one that was.
  func hasChildren(_ container: OpID) -> Bool {
    !Self.members(of: container, in: children).isEmpty
  }

  /// Logarithmic.
  private static func members<Content>(
    of owner: OpID, in list: [Member<Content>]
  ) -> ArraySlice<Member<Content>> {
    func firstIndex(from start: Int, where isReached: (UInt64) -> Bool) -> Int {
      var low = start
      var high = list.count
      while low < high {
        let middle = (low &+ high) >> 1
        if isReached(list[middle].owner.raw) { high = middle } else { low = middle &+ 1 }
      }
      return low
    }
    let start = firstIndex(from: 0) { $0 >= owner.raw }
    return list[start..<firstIndex(from: start) { $0 > owner.raw }]
  }
}
