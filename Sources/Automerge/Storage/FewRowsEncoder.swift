extension Operation {
  /// Whether the operation replaces nothing and marks nothing, so that the columns of related
  /// operations and of marks say nothing of it.
  @inline(__always)
  var isPlain: Bool { relatedCount == 0 && flags.isDisjoint(with: [.expand, .markName]) }
}

/// Writes the columns of a change of a few plain operations, one column after the other over all rows
/// (format.md 2.3, 3.3).
///
/// Nearly all changes of an import are such. So few rows need no encoder that waits for the next row in
/// each of the columns, most of which stay empty.
struct FewRowsEncoder: Sendable {
  /// The most rows: so few that the length of each run is one byte.
  static let capacity = 16

  private var rows: [Operation] = []
  private var data: [UInt8] = []
  private var columnCount: UInt8 = 0

  init() {}

  /// What was taken.
  var operations: [Operation] { rows }

  mutating func reset() { rows.removeAll(keepingCapacity: true) }

  /// Takes the next row, unless it is not plain or one too many.
  @inline(__always)
  mutating func take(_ operation: borrowing Operation) -> Bool {
    guard rows.count < Self.capacity, operation.isPlain else { return false }
    rows.append(copy operation)
    return true
  }

  /// Appends the layout of the columns and their data.
  ///
  /// - Parameter actors: the number to write for each actor index.
  mutating func write(pool: [UInt8], actors: [UInt32], to body: inout [UInt8]) {
    let rows = rows
    data.removeAll(keepingCapacity: true)
    columnCount = 0
    // A change has fourteen columns at most, so that their number is one byte.
    let start = body.count
    body.append(0)
    appendNumbers(.objectActor, to: &body) { row in
      rows[row].object.isRoot ? nil : UInt64(actors[rows[row].object.actor])
    }
    appendNumbers(.objectCounter, to: &body) { row in
      rows[row].object.isRoot ? nil : UInt64(rows[row].object.counter)
    }
    appendKeys(of: rows, pool, actors, to: &body)
    appendInserts(of: rows, to: &body)
    appendNumbers(.action, to: &body) { UInt64(rows[$0].action.rawValue) }
    appendNumbers(.valueMetadata, to: &body) { rows[$0].valueMetadata }
    let values = data.count
    for row in rows where row.value.count > 0 { data.append(from: pool, row.value.range) }
    if data.count > values { describe(.value, from: values, to: &body) }
    appendNumbers(.predecessorGroup, to: &body) { _ in 0 }
    body[start] = columnCount
    body.append(from: data, 0..<data.count)
  }

  private mutating func appendKeys(
    of rows: [Operation], _ pool: [UInt8], _ actors: [UInt32], to body: inout [UInt8]
  ) {
    var hasElements = false
    for row in rows where !row.isMapOperation { hasElements = true }
    if hasElements {
      appendNumbers(.keyActor, to: &body) { row in
        rows[row].isMapOperation || rows[row].element.isRoot
          ? nil : UInt64(actors[rows[row].element.actor])
      }
      appendRuns(.keyCounter, to: &body) { row in
        rows[row].isMapOperation
      } areEqual: { row, other in
        Self.difference(at: row, in: rows) == Self.difference(at: other, in: rows)
      } write: { row, output in
        output.appendSLEB(Self.difference(at: row, in: rows))
      }
    }
    appendRuns(.keyString, to: &body) { row in
      !rows[row].isMapOperation
    } areEqual: { row, other in
      pool.areEqual(rows[row].name.range, rows[other].name.range)
    } write: { row, output in
      PoolRange.append(rows[row].name, from: pool, to: &output)
    }
  }

  /// Returns how much greater the counter of an element is than that of the row before that has one
  /// (format.md 2.4).
  private static func difference(at row: Int, in rows: [Operation]) -> Int64 {
    let before = rows[..<row].last { !$0.isMapOperation }
    return counter(of: rows[row].element) - (before.map { counter(of: $0.element) } ?? 0)
  }

  private static func counter(of element: OpID) -> Int64 {
    element.isRoot ? 0 : Int64(element.counter)
  }

  /// Appends how many rows insert nothing, then how many do, and so on (format.md 2.5).
  private mutating func appendInserts(of rows: [Operation], to body: inout [UInt8]) {
    let start = data.count
    var (isInsert, count): (Bool, UInt8) = (false, 0)
    for row in rows {
      if row.isInsert != isInsert {
        data.append(count)
        (isInsert, count) = (row.isInsert, 0)
      }
      count += 1
    }
    data.append(count)
    describe(.insert, from: start, to: &body)
  }

  @inline(__always)
  private mutating func appendNumbers(
    _ spec: ColumnSpec, to body: inout [UInt8], _ number: (Int) -> UInt64?
  ) {
    appendRuns(spec, to: &body) { row in
      number(row) == nil
    } areEqual: { row, other in
      number(row) == number(other)
    } write: { row, output in
      if let number = number(row) { output.appendULEB(number) }
    }
  }

  /// Appends a column in its canonical form; nothing if all rows of it are null.
  @inline(__always)
  private mutating func appendRuns(
    _ spec: ColumnSpec, to body: inout [UInt8], isNull: (Int) -> Bool,
    areEqual: (Int, Int) -> Bool, write: (Int, inout [UInt8]) -> Void
  ) {
    let start = data.count
    let count = rows.count
    var (row, literals, literalCount): (Int, Int, UInt8) = (0, 0, 0)
    while row < count {
      let isGap = isNull(row)
      var end = row + 1
      while end < count, isNull(end) == isGap, isGap || areEqual(row, end) { end += 1 }
      let length = UInt8(truncatingIfNeeded: end - row)
      if isGap, length == count { return }
      if !isGap, length == 1 {
        if literalCount == 0 {
          literals = data.count
          data.append(0)
        }
        literalCount += 1
        // The length of a run of literals is negative.
        data[literals] = 0x80 - literalCount
        write(row, &data)
      } else {
        literalCount = 0
        if isGap { data.append(0) }
        data.append(length)
        if !isGap { write(row, &data) }
      }
      row = end
    }
    describe(spec, from: start, to: &body)
  }

  private mutating func describe(_ spec: ColumnSpec, from start: Int, to body: inout [UInt8]) {
    columnCount += 1
    body.appendULEB(UInt64(spec.raw))
    body.appendULEB(data.count - start)
  }
}
