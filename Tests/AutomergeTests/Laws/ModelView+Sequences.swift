import Automerge

extension ModelView {
  /// Returns all elements of a list or text in sequence, those that nobody sees and the edges of
  /// marks included.
  ///
  /// Every insert hangs on the one it goes after; of several on the same, the greatest id comes
  /// first; the sequence is that tree, depth first (format.md 5.5).
  func sequence(of object: ID?) -> [ModelElement] {
    var children: [ID?: [ModelOperation]] = [:]
    var updates: [ID: [ModelOperation]] = [:]
    for operation in operations(on: object) {
      guard case .element(let element) = operation.key else { continue }
      if operation.isInsert {
        children[element, default: []].append(operation)
      } else if let element {
        updates[element, default: []].append(operation)
      }
    }
    // The next one is at the end, so children are put there ascending.
    var rest = children[nil, default: []].sorted { $0.id < $1.id }
    var sequence: [ModelElement] = []
    while let insert = rest.popLast() {
      let all = [insert] + updates[insert.id, default: []]
      sequence.append(
        ModelElement(
          insert: insert, values: all.filter(isVisible).sorted { $0.id < $1.id }))
      rest += children[insert.id, default: []].sorted { $0.id < $1.id }
    }
    return sequence
  }

  /// Returns the elements that readers see.
  func present(in object: ID?) -> [ModelElement] { sequence(of: object).filter(\.isPresent) }

  /// Returns the text of an object (format.md 5.7).
  func text(of object: ID?) -> [UInt8] { present(in: object).flatMap(\.text) }
}

extension [ModelElement] {
  /// The number of units of all elements.
  func length(in encoding: TextEncoding?) -> Int {
    reduce(0) { $0 + $1.width(in: encoding) }
  }

  /// Returns the place of the element that contains unit `index`, and the unit it begins at.
  func place(ofUnit index: Int, in encoding: TextEncoding?) -> (place: Int, start: Int)? {
    var start = 0
    for (place, element) in enumerated() {
      let end = start + element.width(in: encoding)
      if start <= index, index < end { return (place, start) }
      start = end
    }
    return nil
  }

  /// Returns the reference element of an insert at `index`, nil for the front (format.md 5.6,
  /// 5.9): after what is left of the index, unless the edge of a mark there wants to be passed.
  ///
  /// - Throws: `outOfRange` for an index beyond the end.
  func reference(
    forInsertAt index: Int, in encoding: TextEncoding?
  ) throws(ModelError) -> ModelOperation.ID? {
    var following = self[...]
    var base: ModelOperation.ID?
    if index > 0 {
      guard let (place, _) = place(ofUnit: index - 1, in: encoding) else { throw .outOfRange }
      base = self[place].id
      following = self[(place + 1)...]
    }
    var edges: [ModelOperation.ID] = []
    for element in following {
      if element.isPresent { break }
      guard element.insert.action == .mark else { continue }
      if let begin = element.endedMark, let open = edges.firstIndex(of: begin) {
        edges.removeSubrange(open...)
      } else if element.insert.expands == (element.endedMark == nil) {
        edges.append(element.id)
      }
    }
    return edges.last ?? base
  }
}
