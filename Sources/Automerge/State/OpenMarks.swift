/// The marks whose begin has been passed and whose end has not.
///
/// Any number may be open at once, of one name or of as many names, so a begin or an end costs the
/// logarithm of those of its name.
struct OpenMarks {
  /// The open marks of one name, the youngest of which decides.
  fileprivate struct Name {
    /// A heap whose first is the youngest; some may have ended.
    var begins: [(id: OpID, value: ScalarValue)] = []
  }

  private var names: [Int: Name] = [:]
  private var nameOfOpen: [OpID: Int] = [:]
  /// Changes with each begin and end.
  private(set) var generation = 0
  /// The values that hold, by the numbers of the marks' names.
  private(set) var values: [Int: ScalarValue] = [:]
  /// The names of which marks have begun or ended since somebody took them.
  private var touched: [Int] = []

  init() {}

  /// Takes note of a begin or an end, if it had happened at `view`.
  mutating func note(
    _ row: Operation, in document: DocumentState, at view: HistoricalView?,
    _ numbers: inout MarkNames
  ) {
    guard view?.clock.covers(row.id) ?? true else { return }
    generation += 1
    let ranks = document.operations.ranks
    if row.flags.contains(.markName) {
      let value = document.scalar(
        ScalarPlace(
          type: row.valueType, range: row.value.range,
          counter: row.valueType == .counter ? document.pool.signed(at: row.value) : 0))
      let name = numbers.number(of: row.name, in: document.pool)
      nameOfOpen[row.id] = name
      names[name, default: Name()].append((row.id, value), ranks)
      decide(name, ranks)
    } else if row.id.counter > 0 {
      let begin = OpID(counter: row.id.counter - 1, actor: UInt32(row.id.actor))
      guard let name = nameOfOpen.removeValue(forKey: begin) else { return }
      decide(name, ranks)
    }
  }

  private mutating func decide(_ name: Int, _ ranks: [UInt32]) {
    touched.append(name)
    while let first = names[name]?.begins.first, nameOfOpen[first.id] == nil {
      names[name]?.removeFirst(ranks)
    }
    let value = names[name]?.begins.first?.value
    values[name] = value == .Null ? nil : value
    if value == nil { names[name] = nil }
  }

  /// Returns the names of which marks have begun or ended since the last call, some perhaps twice.
  mutating func takeTouched() -> [Int] {
    defer { touched = [] }
    return touched
  }
}

extension OpenMarks.Name {
  fileprivate mutating func append(_ begin: (id: OpID, value: ScalarValue), _ ranks: [UInt32]) {
    begins.append(begin)
    var place = begins.count - 1
    while place > 0, begins[(place - 1) / 2].id.precedes(begins[place].id, ranks) {
      begins.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  fileprivate mutating func removeFirst(_ ranks: [UInt32]) {
    begins.swapAt(0, begins.count - 1)
    begins.removeLast()
    var place = 0
    while 2 * place + 1 < begins.count {
      var child = 2 * place + 1
      if child + 1 < begins.count, begins[child].id.precedes(begins[child + 1].id, ranks) {
        child += 1
      }
      guard begins[place].id.precedes(begins[child].id, ranks) else { return }
      begins.swapAt(place, child)
      place = child
    }
  }
}
