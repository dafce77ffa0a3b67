import Automerge

/// A key of a map or an index of a list or text.
enum ModelPlace {
  case key(String)
  case index(Int)
}

extension ModelReplica {
  typealias ID = ModelOperation.ID

  /// What an edit acts on: a key of the operations, and the visible operations there.
  struct Target {
    var key: ModelOperation.Key
    var values: [ModelOperation]
  }

  /// Checks that an object is there and of a kind that fits.
  func requireKind(
    of object: ID?, in view: ModelView, where fits: (ObjType) -> Bool
  ) throws(ModelError) {
    guard let kind = view.kind(of: object) else { throw .unknownObject }
    guard fits(kind) else { throw .wrongObjectKind }
  }

  /// The unit of an object's indexes: nil for lists, which count elements.
  func unit(of object: ID?, in view: ModelView) -> TextEncoding? {
    view.kind(of: object) == .Text ? encoding : nil
  }

  /// Finds what an edit acts on; most calls of ours act on no element of a text.
  func target(
    of object: ID?, at place: ModelPlace, inText: Bool? = nil
  ) throws(ModelError) -> Target {
    let view = view
    let inText = inText ?? isForeign
    switch place {
    case .key(let name):
      try requireKind(of: object, in: view) { $0 == .Map }
      let name = Array(name.utf8)
      return Target(key: .name(name), values: view.values(of: object, name: name))
    case .index(let index):
      try requireKind(of: object, in: view) { $0 == .List || inText && $0 == .Text }
      let elements = view.sequence(of: object)
      guard
        let found = elements.place(ofUnit: index, in: unit(of: object, in: view))
      else { throw .outOfRange }
      let element = elements[found.place]
      return Target(key: .element(element.id), values: element.values)
    }
  }

  /// Appends an operation that takes the place of all that is visible at a target.
  @discardableResult
  mutating func overwrite(
    _ object: ID?, _ target: Target, _ action: ModelOperation.Action, _ value: ModelScalar = .null
  ) -> ID {
    let id = nextID
    append(
      ModelOperation(
        id: id, object: object, key: target.key, action: action, value: value,
        predecessors: target.values.map(\.id)))
    return id
  }

  // MARK: Keys and elements

  mutating func put(
    _ object: ID?, _ place: ModelPlace, _ value: ModelScalar
  ) throws(ModelError) {
    let target = try target(of: object, at: place)
    if target.values.count == 1, target.values[0].action == .set,
      target.values[0].value.isElided(by: value)
    {
      return
    }
    overwrite(object, target, .set, value)
  }

  mutating func putObject(
    _ object: ID?, _ place: ModelPlace, _ kind: ObjType
  ) throws(ModelError) -> ID {
    overwrite(object, try target(of: object, at: place), kind.makeAction)
  }

  mutating func delete(_ object: ID?, _ place: ModelPlace) throws(ModelError) {
    let target = try target(of: object, at: place, inText: true)
    // A key that is not there is not deleted.
    if !target.values.isEmpty { overwrite(object, target, .delete) }
  }

  mutating func increment(
    _ object: ID?, _ place: ModelPlace, by amount: Int64
  ) throws(ModelError) {
    let target = try target(of: object, at: place)
    guard target.values.contains(where: { $0.action == .set && $0.value.isCounter }) else {
      throw .noCounter
    }
    overwrite(object, target, .increment, ModelScalar(.Int(amount)))
  }

  // MARK: Sequences

  mutating func insert(
    _ object: ID?, at index: Int, _ value: ModelScalar
  ) throws(ModelError) {
    try insert(object, at: index, .set, value)
  }

  mutating func insertObject(
    _ object: ID?, at index: Int, _ kind: ObjType
  ) throws(ModelError) -> ID {
    try insert(object, at: index, kind.makeAction, .null)
  }

  @discardableResult
  private mutating func insert(
    _ object: ID?, at index: Int, _ action: ModelOperation.Action, _ value: ModelScalar
  ) throws(ModelError) -> ID {
    let view = view
    try requireKind(of: object, in: view) { $0 == .List || isForeign && $0 == .Text }
    let reference = try view.sequence(of: object)
      .reference(forInsertAt: index, in: unit(of: object, in: view))
    return insert(object, after: reference, action, value)
  }

  @discardableResult
  mutating func insert(
    _ object: ID?, after reference: ID?, _ action: ModelOperation.Action, _ value: ModelScalar
  ) -> ID {
    let id = nextID
    append(
      ModelOperation(
        id: id, object: object, key: .element(reference), isInsert: true, action: action,
        value: value))
    return id
  }

  mutating func splice(
    _ object: ID?, start: Int, deleting count: Int64, inserting values: [ModelScalar]
  ) throws(ModelError) {
    try requireKind(of: object, in: view) { $0 == .List }
    try replace(object, start: start, deleting: count, inserting: values)
  }

  mutating func spliceText(
    _ object: ID?, start: Int, deleting count: Int64, inserting text: String
  ) throws(ModelError) {
    try requireKind(of: object, in: view) { $0 == .Text }
    let pieces =
      encoding == .graphemeCluster
      ? text.map { String($0) } : text.unicodeScalars.map { String($0) }
    try replace(
      object, start: start, deleting: count,
      inserting: pieces.map { ModelScalar(.String($0)) })
  }

  /// Deletes, then inserts (format.md 5.7).
  private mutating func replace(
    _ object: ID?, start: Int, deleting count: Int64, inserting values: [ModelScalar]
  ) throws(ModelError) {
    let unit = unit(of: object, in: view)
    var start = start
    if count < 0 {
      guard count.magnitude <= UInt64(start) else { throw .outOfRange }
      start -= Int(count.magnitude)
    }
    var present = view.present(in: object)
    let length = present.length(in: unit)
    guard start <= length || values.isEmpty else { throw .outOfRange }

    var wanted = min(Int(clamping: count.magnitude), length)
    var deleted = 0
    while deleted < wanted, let found = present.place(ofUnit: start, in: unit) {
      // Part of an element cannot go: from inside it, the whole of it goes.
      wanted += start - found.start
      start = found.start
      let element = present.remove(at: found.place)
      deleted += element.width(in: unit)
      overwrite(object, Target(key: .element(element.id), values: element.values), .delete)
    }

    guard let first = values.first else { return }
    var reference = try view.sequence(of: object).reference(forInsertAt: start, in: unit)
    for value in [first] + values.dropFirst() {
      reference = insert(object, after: reference, .set, value)
    }
  }
}

extension ObjType {
  var makeAction: ModelOperation.Action {
    switch self {
    case .Map: .makeMap
    case .List: .makeList
    case .Text: .makeText
    }
  }
}
