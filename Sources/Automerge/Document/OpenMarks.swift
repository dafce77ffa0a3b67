/// The marks whose begin has been passed and whose end has not.
struct OpenMarks {
  private struct Begin {
    let id: OpID
    let name: [UInt8]
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
      let name = [UInt8](document.pool[row.name.range])
      // Ascending by id, so that the last of a name decides.
      let place = begins.firstIndex { document.operations.precedes(row.id, $0.id) }
      begins.insert(Begin(id: row.id, name: name, value: value), at: place ?? begins.count)
    } else {
      begins.removeAll { $0.id.isBegin(ofMarkEndingAt: row.id) }
    }
  }

  /// The values that hold, by the bytes of the marks' names; two names may be equal as strings.
  var values: [[UInt8]: ScalarValue] {
    var deciding: [[UInt8]: ScalarValue] = [:]
    for begin in begins { deciding[begin.name] = begin.value }
    return deciding.filter { $0.value != .Null }
  }
}
