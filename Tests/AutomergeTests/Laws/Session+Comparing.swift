import Foundation

@testable import Automerge

extension Session {
  /// Compares the reads of a replica with the model, now or at heads of the past.
  ///
  /// - Parameter sample: how many objects to compare, of all by default.
  mutating func compare(
    _ index: Int, sample: Int = .max, at heads: Set<ModelChange.ID>? = nil
  ) throws {
    let model = replicas[index].model
    let present = model.view
    let view = heads.map { model.view(at: $0) } ?? present
    var objects = present.objects
    if objects.count > sample {
      objects = [nil] + (1..<sample).map { _ in generator.pick(objects) }
    }
    let reads = DocumentReads(
      document: replicas[index].document,
      heads: heads.map { Set($0.compactMap { hashes[$0] }) })
    for object in objects {
      do {
        try compare(reads, object, present.kind(of: object) ?? .Map, view, model.encoding)
      } catch {
        let time = heads.map { " at \($0)" } ?? ""
        throw SessionFailure(description: "replica \(index)\(time), \(name(object)): \(error)")
      }
    }
    try checkInvariants(index)
  }

  private mutating func compare(
    _ reads: DocumentReads, _ object: ModelOperation.ID?, _ kind: ObjType, _ view: ModelView,
    _ encoding: TextEncoding
  ) throws {
    let reference = try reference(object)
    try require(reads.document.objectType(obj: reference), kind, "kind")
    switch kind {
    case .Map:
      try compareMap(reads, reference, object, view)
    case .List, .Text:
      let elements = view.sequence(of: object)
      try compareSequence(reads, reference, elements, view, kind == .Text ? encoding : nil)
      if kind == .Text { try compareText(reads, reference, elements, encoding) }
    }
    guard reads.heads == nil else { return }
    let path = try reads.document.path(obj: reference)
    if let expected = try self.path(of: object, view, encoding) {
      try SessionFailure.require(path == expected, "path \(path), expected \(expected)")
    }
  }

  // MARK: Maps

  private mutating func compareMap(
    _ reads: DocumentReads, _ reference: ObjId, _ object: ModelOperation.ID?, _ view: ModelView
  ) throws {
    let entries = view.entries(of: object)
    try require(reads.keys(reference).map { Array($0.utf8) }, entries.map(\.name), "keys")
    try require(reads.length(reference), entries.count, "length")
    let read = try reads.entries(reference)
    try require(read.map { Array($0.0.utf8) }, entries.map(\.name), "names of entries")
    let winners = entries.map { $0.values.last.map(view.shown) }
    try require(try read.map { try shown($0.1) }, winners, "entries")
    try require(try reads.values(reference).map { try shown($0) }, winners, "values")
    for (entry, winner) in zip(entries, winners) {
      let key = String(decoding: entry.name, as: UTF8.self)
      try require(try reads.value(reference, key).map { try shown($0) }, winner, "value of \(key)")
      try requireAll(try reads.all(reference, key), entry.values, view, "values of \(key)")
    }
    try SessionFailure.require(
      try reads.value(reference, "missing") == nil && reads.all(reference, "missing").isEmpty,
      "a value at a key that is not there")
  }

  // MARK: Lists and texts

  private mutating func compareSequence(
    _ reads: DocumentReads, _ reference: ObjId, _ elements: [ModelElement], _ view: ModelView,
    _ encoding: TextEncoding?
  ) throws {
    let present = elements.filter(\.isPresent)
    try require(reads.keys(reference), present.map(\.id.description), "keys")
    let winners = present.map { $0.values.last.map(view.shown) }
    try require(try reads.values(reference).map { try shown($0) }, winners, "values")
    let length = present.length(in: encoding)
    try require(reads.length(reference), length, "length")
    for index in samples(upTo: length) {
      let place = present.place(ofUnit: index, in: encoding)?.place
      let values = place.map { present[$0].values } ?? []
      try require(
        try reads.value(reference, index).map { try shown($0) },
        values.last.map(view.shown), "value at \(index)")
      try requireAll(try reads.all(reference, index), values, view, "values at \(index)")
      try compareCursor(reads, reference, elements, index, encoding)
    }
    // A cursor stays where it was put, also when its element is gone.
    for cursor in cursors where objects[cursor.object] == reference {
      guard view.operation(cursor.operation) != nil else { continue }
      let before = elements.prefix { $0.id != cursor.element }
      try require(
        try reads.position(reference, cursor.cursor), Array(before).length(in: encoding),
        "position of the cursor on \(cursor.operation)")
    }
  }

  private func compareCursor(
    _ reads: DocumentReads, _ reference: ObjId, _ elements: [ModelElement], _ index: Int,
    _ encoding: TextEncoding?
  ) throws {
    let cursor = try reads.cursor(reference, index)
    let found = elements.place(ofUnit: index, in: encoding)
    try require(
      cursor.description.lowercased(),
      hexadecimal(
        found.flatMap { elements[$0.place].values.last?.id }.map(\.cursorBytes) ?? [1, 2]),
      "cursor at \(index)")
    try require(
      try reads.position(reference, cursor), found?.start ?? elements.length(in: encoding),
      "position of the cursor at \(index)")
  }

  private mutating func compareText(
    _ reads: DocumentReads, _ reference: ObjId, _ elements: [ModelElement],
    _ encoding: TextEncoding
  ) throws {
    try require(
      Array(try reads.text(reference).utf8), elements.flatMap(\.text), "text")
    let marks = try reads.marks(reference).map {
      ModelMark(
        start: Int($0.start), end: Int($0.end), name: Array($0.name.utf8),
        value: ModelScalar($0.value))
    }
    try require(marks, elements.marks(in: encoding), "marks")
    // Asking for the present would commit what is open.
    guard let heads = reads.heads else { return }
    for index in samples(upTo: elements.length(in: encoding)) {
      let marks = try reads.document.marksAt(
        obj: reference, position: .index(UInt64(index)), heads: heads)
      try SessionFailure.require(
        marks.allSatisfy { $0.start == UInt64(index) && $0.end == UInt64(index) },
        "marks at \(index) are elsewhere: \(marks)")
      let found = Dictionary(
        marks.map { (Array($0.name.utf8), ModelScalar($0.value)) },
        uniquingKeysWith: { one, _ in one })
      try require(found, elements.marks(at: index, in: encoding), "marks at \(index)")
      try require(marks.count, found.count, "number of marks at \(index)")
    }
  }

  /// Some indexes, among them the one behind the end.
  private mutating func samples(upTo length: Int) -> Set<Int> {
    if length < 5 { return Set(0...length) }
    return [0, length - 1, length, generator.below(length), generator.below(length)]
  }

  // MARK: Paths

  /// Returns the path to an object, nil if readers of its containers do not come across it.
  private func path(
    of object: ModelOperation.ID?, _ view: ModelView, _ encoding: TextEncoding
  ) throws -> [PathElement]? {
    var path: [PathElement] = []
    var rest = object
    while let id = rest {
      guard let maker = view.operation(id), view.isVisible(maker) else { return nil }
      let container = try reference(maker.object)
      switch maker.key {
      case .name(let name):
        path.append(
          PathElement(obj: container, prop: .Key(String(decoding: name, as: UTF8.self))))
      case .element(let element):
        let unit = view.kind(of: maker.object) == .Text ? encoding : nil
        let before = view.sequence(of: maker.object).prefix {
          $0.id != (maker.isInsert ? id : element)
        }
        let index = before.reduce(0) { $0 + $1.width(in: unit) }
        path.append(PathElement(obj: container, prop: .Index(UInt64(index))))
      }
      rest = maker.object
    }
    return path.reversed()
  }

  // MARK: Values

  private func require<Answer: Equatable>(
    _ answer: Answer, _ expected: Answer, _ what: @autoclosure () -> String
  ) throws(SessionFailure) {
    try SessionFailure.require(
      answer == expected, "\(what()) \(answer), expected \(expected)")
  }

  /// A value of the engine as the model shows it.
  private func shown(_ value: Value) throws(SessionFailure) -> ModelView.Shown {
    switch value {
    case .Scalar(let scalar): return .scalar(ModelScalar(scalar))
    case .Object(let object, let kind):
      guard let id = objectNames[object] else {
        throw SessionFailure(description: "an object nobody made: \(object)")
      }
      return .object(id, kind)
    }
  }

  /// Compares all values of a place. A set keeps one of several strings that look alike, so only
  /// what they look like is compared; the exact bytes of the winner are compared elsewhere.
  private func requireAll(
    _ answer: Set<Value>, _ expected: [ModelOperation], _ view: ModelView,
    _ what: @autoclosure () -> String
  ) throws {
    func comparable(_ value: Value) -> Value {
      // No NaN equals another, and zero equals its negative.
      guard case .Scalar(.F64(let number)) = value else { return value }
      return .Scalar(.Uint(number == 0 ? 0 : number.bitPattern))
    }
    let wanted = try expected.map { operation -> Value in
      switch view.shown(operation) {
      case .object(let id, let kind): .Object(try reference(id), kind)
      case .scalar(let scalar): .Scalar(scalar.value)
      }
    }
    try require(
      Set(answer.map(comparable)), Set(wanted.map(comparable)), what())
  }
}

extension ModelOperation.ID {
  /// A cursor on the operation that stays behind it (format.md 10).
  fileprivate var cursorBytes: [UInt8] {
    [1, 3] + ForgedNumber.prefixed(actor.bytes) + ForgedNumber.uleb(counter) + [2]
  }
}
