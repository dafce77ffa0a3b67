import Automerge

/// The marks of texts as patches tell of them, unit by unit; texts are counted in scalars.
struct PatchedMarks {
  private typealias Unit = [[UInt8]: ModelScalar]

  private var texts: [ObjId: [Unit]] = [:]

  mutating func apply(_ patches: [Patch]) throws(SessionFailure) {
    for patch in patches {
      switch patch.action {
      case .Put(_, _, let value): create(value)
      case .Insert(let object, let index, let values):
        for value in values { create(value) }
        guard texts[object] != nil else { break }
        try edit(object, Int(index)..<Int(index), to: values.map { _ in [:] })
      case .SpliceText(let object, let index, let text, let marks):
        var unit: Unit = [:]
        for (name, value) in marks {
          if case .Scalar(let scalar) = value { unit[Array(name.utf8)] = ModelScalar(scalar) }
        }
        let units = [Unit](repeating: unit, count: text.unicodeScalars.count)
        try edit(object, Int(index)..<Int(index), to: units)
      case .DeleteSeq(let gone):
        guard texts[gone.obj] != nil else { break }
        try edit(gone.obj, Int(gone.index)..<Int(gone.index + gone.length), to: [])
      case .Marks(let object, let marks):
        for mark in marks { try apply(mark, to: object) }
      case .Increment, .DeleteMap, .Conflict: break
      }
    }
  }

  private mutating func create(_ value: Value) {
    if case .Object(let object, .Text) = value { texts[object] = [] }
  }

  private mutating func edit(
    _ object: ObjId, _ range: Range<Int>, to units: [Unit]
  ) throws(SessionFailure) {
    guard let count = texts[object]?.count, range.upperBound <= count else {
      throw SessionFailure(description: "a patch of units \(range) of \(object)")
    }
    texts[object]?.replaceSubrange(range, with: units)
  }

  private mutating func apply(_ mark: Mark, to object: ObjId) throws(SessionFailure) {
    let range = Int(mark.start)..<Int(mark.end)
    guard var units = texts[object], range.upperBound <= units.count else {
      throw SessionFailure(description: "a patch of marks \(mark) of \(object)")
    }
    let value = ModelScalar(mark.value)
    for index in range { units[index][Array(mark.name.utf8)] = value.isNull ? nil : value }
    texts[object] = units
  }

  /// Returns the values of all names, unit by unit; nil for no text.
  func units(of object: ObjId) -> [[[UInt8]: ModelScalar]]? { texts[object] }
}
