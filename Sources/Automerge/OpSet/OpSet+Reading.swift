extension OpSet {
  /// Calls `body` with the rows of each key of a map, ascending by the keys' bytes.
  func forEachKey<E>(
    in rows: Range<Int>, _ body: (Range<Int>) throws(E) -> Void
  ) throws(E) {
    var row = rows.lowerBound
    while row < rows.upperBound {
      var end = row + 1
      let key = operations[row].key.range
      while end < rows.upperBound, pool.areEqual(operations[end].key.range, key) { end += 1 }
      try body(row..<end)
      row = end
    }
  }

  /// Calls `body` with the rows of each element of a list or text, present or not, marks included.
  func forEachElement<E>(
    in rows: Range<Int>, _ body: (Range<Int>) throws(E) -> Void
  ) throws(E) {
    var row = rows.lowerBound
    while row < rows.upperBound {
      var end = row + 1
      while end < rows.upperBound, !operations[end].isInsert { end += 1 }
      try body(row..<end)
      row = end
    }
  }

  /// Returns the rows of a key, empty if no operation ever touched it. Logarithmic.
  func rows(of key: [UInt8], in object: Object) -> Range<Int> {
    let whole = 0..<key.count
    let start = firstRow(in: object.rows) { pool.compare($0.key.range, to: key, whole) }
    var end = start
    while end < object.rows.upperBound,
      pool.compare(operations[end].key.range, to: key, whole) == 0
    { end += 1 }
    return start..<end
  }

  /// Whether a row is a value that readers see at `clock`, or now (format.md 5.3).
  ///
  /// - Parameter group: the rows of its key or element, among which its increments are.
  func isVisible(_ row: Int, in group: Range<Int>, at clock: Clock?) -> Bool {
    let operation = operations[row]
    switch operation.action {
    case .increment, .delete, .mark: return false
    case .set, .makeMap, .makeList, .makeText, .makeTable: break
    }
    if let clock, !clock.covers(operation.id) { return false }
    guard operation.relatedCount > 0 else { return true }
    let isCounter = operation.action == .set && operation.valueType == .counter
    for index in operation.related {
      let successor = successors[index]
      if let clock, !clock.covers(successor) { continue }
      guard isCounter, increment(successor, in: group) != nil else { return false }
    }
    return true
  }

  /// Returns the rows in a group that readers see, ascending by id: the last one wins.
  func visibleRows(in group: Range<Int>, at clock: Clock?) -> [Int] {
    var visible: [Int] = []
    for row in group where isVisible(row, in: group, at: clock) { visible.append(row) }
    return visible
  }

  /// Returns the row that reads see, if any.
  func winner(in group: Range<Int>, at clock: Clock?) -> Int? {
    for row in group.reversed() where isVisible(row, in: group, at: clock) { return row }
    return nil
  }

  /// Returns a counter's start plus its increments, wrapping as the reference does.
  func counterValue(_ row: Int, in group: Range<Int>, at clock: Clock?) -> Int64 {
    var total = pool.signed(at: operations[row].value)
    for index in operations[row].related {
      let successor = successors[index]
      if let clock, !clock.covers(successor) { continue }
      guard let increment = increment(successor, in: group) else { continue }
      let amount = operations[increment]
      total &+=
        amount.valueType == .uint
        ? Int64(truncatingIfNeeded: pool.unsigned(at: amount.value))
        : pool.signed(at: amount.value)
    }
    return total
  }

  /// Returns the row of an increment with this id.
  private func increment(_ id: OpID, in group: Range<Int>) -> Int? {
    let row = firstRow(in: group) { $0.id < id ? -1 : 0 }
    guard row < group.upperBound, operations[row].id == id, operations[row].action == .increment
    else { return nil }
    return row
  }
}

/// Values whose bytes were checked when they came in.
extension [UInt8] {
  func signed(at range: PoolRange) -> Int64 {
    var reader = ByteReader(self, range.range)
    // Checked when the value was read, so nothing can be thrown.
    return (try? reader.readSLEB()) ?? 0
  }

  func unsigned(at range: PoolRange) -> UInt64 {
    var reader = ByteReader(self, range.range)
    // As above.
    return (try? reader.readULEB()) ?? 0
  }

  func double(at range: PoolRange) -> Double {
    var pattern: UInt64 = 0
    for index in range.range.reversed() { pattern = pattern &<< 8 | UInt64(self[index]) }
    return Double(bitPattern: pattern)
  }
}
