import Automerge
import Foundation

extension Session {
  /// One random edit of a random object, possible or not.
  mutating func edit(_ index: Int) throws {
    let view = replicas[index].model.view
    let known = view.objects
    // Objects of other actors that have not arrived here are to be refused.
    let foreign = generator.oneIn(40) ? objects.keys.sorted() : []
    let object: ModelOperation.ID? =
      if let stranger = foreign.isEmpty ? nil : generator.pick(foreign) {
        stranger
      } else {
        generator.oneIn(4) ? nil : known[generator.below(known.count)]
      }
    let kind = view.kind(of: object) ?? generator.objectKind()
    // Now and then an object is taken for what it is not.
    switch generator.oneIn(40) ? generator.objectKind() : kind {
    case .Map: try editMap(index, object)
    case .List: try editList(index, object, view)
    case .Text: try editText(index, object, view)
    }
  }

  private mutating func editMap(_ index: Int, _ object: ModelOperation.ID?) throws {
    let key = generator.key()
    switch generator.below(12) {
    case 0, 1, 2:
      try make(index, object, .key(key))
    case 3, 4:
      try perform(index, object, "delete \(name(object)) \(key)") { document, object in
        try document.delete(obj: object, key: key)
      } model: { model throws(ModelError) in
        try model.delete(object, .key(key))
      }
    case 5, 6:
      try increment(index, object, .key(key))
    default:
      try put(index, object, .key(key))
    }
  }

  private mutating func editList(
    _ index: Int, _ object: ModelOperation.ID?, _ view: ModelView
  ) throws {
    let place = position(upTo: view.present(in: object).count)
    switch generator.below(12) {
    case 0, 1, 2: try insert(index, object, place)
    case 3: try insertObject(index, object, place)
    case 4: try make(index, object, .index(place))
    case 5, 6: try delete(index, object, place)
    case 7: try increment(index, object, .index(place))
    case 8, 9: try put(index, object, .index(place))
    default: try splice(index, object, place)
    }
  }

  private mutating func editText(
    _ index: Int, _ object: ModelOperation.ID?, _ view: ModelView
  ) throws {
    let encoding = replicas[index].model.encoding
    let length = view.sequence(of: object).length(in: encoding)
    let place = position(upTo: length)
    switch generator.below(24) {
    case 0..<11: try spliceText(index, object, place)
    case 11..<16: try mark(index, object, length)
    case 16, 17: try updateText(index, object)
    case 18: try insert(index, object, place)
    case 19: try put(index, object, .index(place))
    case 20: try make(index, object, .index(place))
    case 21: try increment(index, object, .index(place))
    case 22: try insertObject(index, object, place)
    default: try delete(index, object, place)
    }
  }

  /// An index, mostly one that is there, rarely far away.
  private mutating func position(upTo length: Int) -> Int {
    if generator.oneIn(60) { return generator.pick([length + 1, length + 2, .max]) }
    return generator.below(length + 1)
  }

  // MARK: Doing a thing twice

  /// Does something to the engine and to the model; both must succeed or both must refuse.
  private mutating func perform(
    _ index: Int, _ object: ModelOperation.ID?, _ what: String,
    engine: (Document, ObjId) throws -> Void,
    model: (inout ModelReplica) throws(ModelError) -> Void
  ) throws {
    try performMaking(index, object, what) { document, object in
      try engine(document, object)
      return nil
    } model: { replica throws(ModelError) in
      try model(&replica)
      return nil
    }
  }

  /// The same for what makes an object, whose two identities are remembered.
  private mutating func performMaking(
    _ index: Int, _ object: ModelOperation.ID?, _ what: String,
    engine: (Document, ObjId) throws -> ObjId?,
    model: (inout ModelReplica) throws(ModelError) -> ModelOperation.ID?
  ) throws {
    note("\(index): \(what)")
    let reference = try reference(object)
    let expected: Result<ModelOperation.ID?, ModelError>
    do throws(ModelError) {
      var changed = replicas[index].model
      expected = .success(try model(&changed))
      replicas[index].model = changed
    } catch {
      expected = .failure(error)
    }
    let made = Result { try engine(replicas[index].document, reference) }
    switch (expected, made) {
    case (.success(let id), .success(let object)):
      if let id, let object { learn(id, object) }
    case (.failure, .failure):
      note("refused")
    case (.success, .failure(let error)):
      throw SessionFailure(description: "replica \(index) refused to \(what): \(error)")
    case (.failure(let error), .success):
      throw SessionFailure(description: "replica \(index) did \(what), which is \(error)")
    }
  }

  func reference(_ object: ModelOperation.ID?) throws(SessionFailure) -> ObjId {
    guard let object else { return .ROOT }
    guard let reference = objects[object] else {
      throw SessionFailure(description: "no identity for object \(object)")
    }
    return reference
  }

  func name(_ object: ModelOperation.ID?) -> String { object?.description ?? "root" }

  // MARK: Keys and elements

  private mutating func put(
    _ index: Int, _ object: ModelOperation.ID?, _ place: ModelPlace
  ) throws {
    var value = generator.scalar()
    // Half of the time what is there already, which must make no operation.
    let model = replicas[index].model
    let target = try? model.target(of: object, at: place)
    if let winner = target?.values.last, winner.action == .set {
      if generator.oneIn(3) { value = winner.value.value }
      // Whether a counter is compared by its start or its sum is not laid down.
      if case .scalar(let shown) = model.view.shown(winner), shown != winner.value {
        value = .String("no counter")
      }
    }
    try perform(index, object, "put \(name(object)) \(place) \(value)") { document, object in
      switch place {
      case .key(let key): try document.put(obj: object, key: key, value: value)
      case .index(let index):
        try document.put(obj: object, index: UInt64(index), value: value)
      }
    } model: { model throws(ModelError) in
      try model.put(object, place, ModelScalar(value))
    }
  }

  private mutating func make(
    _ index: Int, _ object: ModelOperation.ID?, _ place: ModelPlace
  ) throws {
    let kind = generator.objectKind()
    try performMaking(index, object, "put object \(name(object)) \(place) \(kind)") {
      document, object in
      switch place {
      case .key(let key): try document.putObject(obj: object, key: key, ty: kind)
      case .index(let index):
        try document.putObject(obj: object, index: UInt64(index), ty: kind)
      }
    } model: { model throws(ModelError) in
      try model.putObject(object, place, kind)
    }
  }

  private mutating func increment(
    _ index: Int, _ object: ModelOperation.ID?, _ place: ModelPlace
  ) throws {
    let amount = Int64(generator.below(40)) - 10
    try perform(index, object, "increment \(name(object)) \(place) by \(amount)") {
      document, object in
      switch place {
      case .key(let key): try document.increment(obj: object, key: key, by: amount)
      case .index(let index):
        try document.increment(obj: object, index: UInt64(index), by: amount)
      }
    } model: { model throws(ModelError) in
      try model.increment(object, place, by: amount)
    }
  }

  private mutating func delete(
    _ index: Int, _ object: ModelOperation.ID?, _ place: Int
  ) throws {
    try perform(index, object, "delete \(name(object)) \(place)") { document, object in
      try document.delete(obj: object, index: UInt64(place))
    } model: { model throws(ModelError) in
      try model.delete(object, .index(place))
    }
  }

  private mutating func insert(
    _ index: Int, _ object: ModelOperation.ID?, _ place: Int
  ) throws {
    let value = generator.scalar()
    try perform(index, object, "insert \(name(object)) \(place) \(value)") { document, object in
      try document.insert(obj: object, index: UInt64(place), value: value)
    } model: { model throws(ModelError) in
      try model.insert(object, at: place, ModelScalar(value))
    }
  }

  private mutating func insertObject(
    _ index: Int, _ object: ModelOperation.ID?, _ place: Int
  ) throws {
    let kind = generator.objectKind()
    try performMaking(index, object, "insert object \(name(object)) \(place) \(kind)") {
      document, object in
      try document.insertObject(obj: object, index: UInt64(place), ty: kind)
    } model: { model throws(ModelError) in
      try model.insertObject(object, at: place, kind)
    }
  }

  // MARK: Splices

  /// How much a splice deletes: a little, sometimes backwards, rarely without bound.
  private mutating func deletion() -> Int64 {
    if generator.oneIn(50) { return generator.pick([.min, .max, -1_000]) }
    let count = Int64(generator.below(size.splice + 1))
    return generator.oneIn(5) ? -count : count
  }

  private mutating func splice(
    _ index: Int, _ object: ModelOperation.ID?, _ start: Int
  ) throws {
    let count = deletion()
    let values = (0..<generator.below(size.splice + 1)).map { _ in generator.scalar() }
    try perform(
      index, object, "splice \(name(object)) \(start) deleting \(count) inserting \(values)"
    ) { document, object in
      try document.splice(obj: object, start: UInt64(start), delete: count, values: values)
    } model: { model throws(ModelError) in
      try model.splice(
        object, start: start, deleting: count, inserting: values.map { ModelScalar($0) })
    }
  }

  private mutating func spliceText(
    _ index: Int, _ object: ModelOperation.ID?, _ start: Int
  ) throws {
    let count = generator.oneIn(3) ? deletion() : 0
    let text = generator.string(upTo: size.splice)
    let value = text.isEmpty && generator.oneIn(2) ? nil : text
    try perform(
      index, object,
      "splice text \(name(object)) \(start) deleting \(count) inserting \(text.debugDescription)"
    ) { document, object in
      try document.spliceText(obj: object, start: UInt64(start), delete: count, value: value)
    } model: { model throws(ModelError) in
      try model.spliceText(object, start: start, deleting: count, inserting: text)
    }
  }

  private mutating func mark(
    _ index: Int, _ object: ModelOperation.ID?, _ length: Int
  ) throws {
    let edges = [position(upTo: length), position(upTo: length)]
    let isOrdered = !generator.oneIn(30)
    let (start, end) = isOrdered ? (edges.min() ?? 0, edges.max() ?? 0) : (edges[0], edges[1])
    let expand = generator.pick([ExpandMark.before, .after, .both, .none])
    let markName = generator.pick(["b", "i", "é", "e\u{301}"])
    let value = generator.pick([
      ScalarValue.Boolean(true), .Null, .String("é"), .String("e\u{301}"), .Int(1),
    ])
    try perform(
      index, object, "mark \(name(object)) \(start)..<\(end) \(expand) \(markName) \(value)"
    ) { document, object in
      try document.mark(
        obj: object, start: UInt64(start), end: UInt64(end), expand: expand, name: markName,
        value: value)
    } model: { model throws(ModelError) in
      try model.mark(
        object, start: start, end: end, expand: expand, name: markName,
        value: ModelScalar(value))
    }
  }

  // MARK: Updates

  /// Which splices make the new text is the engine's choice: the model takes over what it did,
  /// after looking whether a splice may do such things, and must then read the text that was asked.
  private mutating func updateText(_ index: Int, _ object: ModelOperation.ID?) throws {
    try settle(index)
    let before = replicas[index].model.view
    let text = changedText(String(decoding: before.text(of: object), as: UTF8.self))
    try perform(index, object, "update text \(name(object)) to \(text.debugDescription)") {
      document, object in
      try document.updateText(obj: object, value: text)
    } model: { model throws(ModelError) in
      try model.requireKind(of: object, in: before) { $0 == .Text }
    }

    let unknown = replicas[index].document.heads().filter { names[$0] == nil }
    guard let hash = unknown.first else { return try settle(index) }
    let change = try decoded(hash, index)
    let present = before.present(in: object)
    for operation in change.operations {
      let isFitting =
        operation.object == object
        && (operation.isInsert
          ? operation.action == .set && operation.value.isString
          : operation.action == .delete
            && present.contains {
              operation.key == .element($0.id) && operation.predecessors == $0.values.map(\.id)
            })
      try SessionFailure.require(isFitting, "an update of \(name(object)) made \(operation)")
      replicas[index].model.append(operation)
    }
    let after = replicas[index].model.view.text(of: object)
    try SessionFailure.require(
      after == Array(text.utf8),
      "replica \(index): an update to \(text.debugDescription) gave "
        + String(decoding: after, as: UTF8.self).debugDescription)
    try settle(index)
  }

  /// Returns a text with a few characters gone, exchanged or added.
  private mutating func changedText(_ old: String) -> String {
    var characters = Array(old)
    for _ in 0..<generator.below(4) {
      let place = generator.below(characters.count + 1)
      let end = min(characters.count, place + generator.below(3))
      characters.replaceSubrange(place..<end, with: Array(generator.string()))
    }
    return String(characters)
  }
}
