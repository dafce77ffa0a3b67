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
  func marks(of object: OpID, at view: HistoricalView?) -> [Mark] {
    var walk = MarkWalk()
    var open = OpenMarks()
    operations.forEachGroup(of: object) { group in
      let row = operations[group.start]
      if row.action == .mark {
        open.note(row, in: self, at: view)
      } else if let winner = operations.winner(in: group, at: view?.clock) {
        walk.advance(by: Int(operations[winner].width), under: &open)
      }
    }
    return walk.finish()
  }

  /// Returns the marks on the element that an index falls on.
  func marks(of object: OpID, on index: Int, at view: HistoricalView?) -> [Mark] {
    var open = OpenMarks()
    var position = 0
    var found: [Mark]?
    operations.forEachGroup(of: object) { group in
      guard found == nil else { return }
      let row = operations[group.start]
      if row.action == .mark {
        open.note(row, in: self, at: view)
      } else if let winner = operations.winner(in: group, at: view?.clock) {
        position += Int(operations[winner].width)
        guard index < position else { return }
        found = open.values.map {
          Mark(start: UInt64(index), end: UInt64(index), name: $0.name, value: $0.value)
        }
      }
    }
    return found ?? []
  }
}

/// The marks whose begin has been passed and whose end has not.
struct OpenMarks {
  private struct Begin {
    let id: OpID
    let name: String
    let value: ScalarValue
  }

  private var begins: [Begin] = []
  /// Changes with each begin and end.
  private(set) var generation = 0

  init() {}

  /// Takes note of a begin or an end, if it had happened at `view`.
  mutating func note(_ row: Operation, in document: DocumentState, at view: HistoricalView?) {
    guard view?.clock.covers(row.id) ?? true else { return }
    generation += 1
    if row.flags.contains(.markName) {
      let value = document.scalar(
        ScalarPlace(
          type: row.valueType, range: row.value.range,
          counter: row.valueType == .counter ? document.pool.signed(at: row.value) : 0))
      let name = String(decoding: document.pool[row.name.range], as: UTF8.self)
      // Ascending by id, so that the last of a name decides.
      let place = begins.firstIndex { document.operations.precedes(row.id, $0.id) }
      begins.insert(Begin(id: row.id, name: name, value: value), at: place ?? begins.count)
    } else {
      begins.removeAll { $0.id.isBegin(ofMarkEndingAt: row.id) }
    }
  }

  /// The values that hold, ascending by the bytes of their names.
  var values: [(name: String, value: ScalarValue)] {
    var deciding: [String: ScalarValue] = [:]
    for begin in begins { deciding[begin.name] = begin.value }
    return deciding.filter { $0.value != .Null }.map { ($0.key, $0.value) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

/// Joins what is open along a text into marks.
private struct MarkWalk {
  private var position = 0
  private var generation = 0
  private var runs: [String: (start: Int, value: ScalarValue)] = [:]
  private var marks: [Mark] = []

  mutating func advance(by width: Int, under open: inout OpenMarks) {
    guard width > 0 else { return }
    if generation != open.generation {
      generation = open.generation
      let values = Dictionary(open.values.map { ($0.name, $0.value) }) { first, _ in first }
      for (name, run) in runs where values[name] != run.value {
        close(name, run)
      }
      for (name, value) in values where runs[name] == nil { runs[name] = (position, value) }
    }
    position += width
  }

  private mutating func close(_ name: String, _ run: (start: Int, value: ScalarValue)) {
    marks.append(
      Mark(
        start: UInt64(run.start), end: UInt64(position), name: name, value: run.value))
    runs[name] = nil
  }

  mutating func finish() -> [Mark] {
    for (name, run) in runs { close(name, run) }
    return marks.sorted {
      $0.name == $1.name
        ? $0.start < $1.start : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
  }
}
