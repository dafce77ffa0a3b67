import Automerge

extension ModelReplica {
  /// Marks a range; a null value takes marks of the name away (format.md 5.9).
  mutating func mark(
    _ object: ID?, start: Int, end: Int, expand: ExpandMark, name: String, value: ModelScalar
  ) throws(ModelError) {
    try requireKind(of: object, in: view) { $0 == .Text }
    let length = view.sequence(of: object).length(in: encoding)
    guard start <= end, end <= length else { throw .outOfRange }
    if start == end, expand == .none { return }

    let begin = try insertEdge(
      object, after: view.sequence(of: object).reference(forInsertAt: start, in: encoding),
      value: value, name: Array(name.utf8), expands: expand == .before || expand == .both)
    let elements = view.sequence(of: object)
    var reference = try elements.reference(forInsertAt: end, in: encoding)
    // The end must not come before the beginning; being newer, it goes right after its reference.
    let beginPlace = elements.firstIndex { $0.id == begin } ?? 0
    let referencePlace = elements.firstIndex { $0.id == reference } ?? -1
    if referencePlace < beginPlace { reference = begin }
    insertEdge(
      object, after: reference, value: .null, name: nil,
      expands: expand == .after || expand == .both)
  }

  @discardableResult
  private mutating func insertEdge(
    _ object: ID?, after reference: ID?, value: ModelScalar, name: [UInt8]?, expands: Bool
  ) -> ID {
    let id = nextID
    append(
      ModelOperation(
        id: id, object: object, key: .element(reference), isInsert: true, action: .mark,
        value: value, expands: expands, markName: name))
    return id
  }
}
