/// Marks: named values on ranges of text, each a begin and an end among the elements
/// (format.md 5.9).
extension DocumentState {
  /// Puts a mark on a range of a text; a null value takes a mark away.
  mutating func mark(
    _ object: OpID, _ range: Range<Int>, expand: ExpandMark, name: String, value: ScalarValue,
    by author: ActorId
  ) throws(DocError) {
    guard range.upperBound <= operations.length(of: object) else {
      throw DocError(reason: .indexOutOfRange)
    }
    if range.isEmpty, expand == .none { return }
    try expectRoom(bytes: name.utf8.count)
    var begin = try make(.scalar(value), in: object)
    begin.action = .mark
    begin.flags = [.insert, .markName]
    if expand == .before || expand == .both { begin.flags.insert(.expand) }
    begin.name = keys.range(of: name, in: &operations.pool)
    var end = Operation(id: .root, object: object, action: .mark)
    end.flags = .insert
    if expand == .after || expand == .both { end.flags.insert(.expand) }

    try self.begin(by: author, operations: 2)
    let first = try insertionPoint(in: object, at: range.lowerBound)
    let home = insert(&begin, after: first.reference, at: first.place)
    var last = try insertionPoint(in: object, at: range.upperBound)
    // A range without elements would have its end before its begin.
    if !(home < last.place) { last = (begin.id, operations.after(home)) }
    insert(&end, after: last.reference, at: last.place)
  }

  /// Returns the marks of a text, by name, then start; each as long as its value is the same.
  package func marks(of object: OpID, at view: HistoricalView?) -> [Mark] {
    var runs = MarkRuns()
    var open = OpenMarks()
    var names = MarkNames()
    var generation = 0
    var position = 0
    operations.forEachGroup(of: object) { group in
      let row = operations[group.start]
      if row.action == .mark {
        open.note(row, in: self, at: view, &names)
      } else if let winner = operations.winner(in: group, at: view?.clock) {
        let width = Int(operations[winner].width)
        if width > 0, generation != open.generation {
          generation = open.generation
          for name in open.takeTouched() { runs.set(name, open.values[name], at: position) }
        }
        position += width
      }
    }
    return runs.finish(at: position, names, in: pool)
  }

  /// Returns the marks on the element that an index falls on.
  func marks(of object: OpID, on index: Int, at view: HistoricalView?) -> [Mark] {
    var open = OpenMarks()
    var names = MarkNames()
    var position = 0
    var found: [Int: ScalarValue]?
    operations.forEachGroup(of: object) { group in
      guard found == nil else { return }
      let row = operations[group.start]
      if row.action == .mark {
        open.note(row, in: self, at: view, &names)
      } else if let winner = operations.winner(in: group, at: view?.clock) {
        position += Int(operations[winner].width)
        if index < position { found = open.values }
      }
    }
    let ranks = names.ranks(in: pool)
    return (found ?? [:]).sorted { ranks[$0.key] < ranks[$1.key] }.map {
      Mark(
        start: UInt64(index), end: UInt64(index), name: names.string($0.key, in: pool),
        value: $0.value)
    }
  }
}
