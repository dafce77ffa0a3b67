/// A mark as it lies in a text: where its begin and its end are among the elements.
package struct PlacedMark: Sendable {
  /// The begin or the end.
  package struct Edge: Sendable {
    package let id: OpID
    /// The element that readers see in front of it; the root at the beginning of the text.
    package let previous: OpID
    /// Its place among everything in the text.
    package let place: Int
    /// Whether what is inserted right beside it belongs to the mark.
    package let expands: Bool
  }

  /// The name, as a range of the pool.
  package let name: Range<Int>
  package let value: ScalarPlace
  package let begin: Edge
  package let end: Edge
}

extension DocumentState {
  /// Returns the marks of a text, the oldest first, and the number of begins and ends that lack one
  /// another. Linear in the text.
  package func placedMarks(of object: OpID) -> (marks: [PlacedMark], unpairedCount: Int) {
    guard kind(of: object) == .text else { return ([], 0) }
    var begins: [(row: Operation, edge: PlacedMark.Edge)] = []
    var ends: [OpID: PlacedMark.Edge] = [:]
    var previous = OpID.root
    var place = 0
    operations.forEachGroup(of: object) { group in
      let row = operations[group.start]
      place += 1
      if row.action == .mark {
        let edge = PlacedMark.Edge(
          id: row.id, previous: previous, place: place, expands: row.flags.contains(.expand))
        if row.flags.contains(.markName) { begins.append((row, edge)) } else { ends[row.id] = edge }
      } else if operations.winner(in: group) != nil {
        previous = row.id
      }
    }
    var unpairedCount = begins.count + ends.count
    begins.sort { operations.precedes($0.row.id, $1.row.id) }
    let marks = begins.compactMap { row, begin -> PlacedMark? in
      guard row.id.counter < UInt32.max,
        let end = ends[OpID(counter: row.id.counter + 1, actor: UInt32(row.id.actor))]
      else { return nil }
      unpairedCount -= 2
      return PlacedMark(
        name: row.name.range,
        value: ScalarPlace(
          type: row.valueType, range: row.value.range,
          counter: row.valueType == .counter ? pool.signed(at: row.value) : 0),
        begin: begin, end: end)
    }
    return (marks, unpairedCount)
  }
}
