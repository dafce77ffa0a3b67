extension OpSet {
  /// Calls `body` with each key of a map, or each element of a list or text, that any operation
  /// ever touched, marks included; in order.
  @inline(__always)
  func forEachGroup<E>(of object: OpID, _ body: (Group) throws(E) -> Void) throws(E) {
    var place = start(of: object)
    while let group = group(at: place, of: object) {
      try body(group)
      place = group.end
    }
  }

  /// Returns the group of an object that begins at a place; nil behind its last.
  @inline(__always)
  func group(at place: Place, of object: OpID) -> Group? {
    place.page < directory.count && self[place].object == object ? group(from: place) : nil
  }

  /// Whether a row is a value that readers see at `clock`, or now (format.md 5.3).
  ///
  /// - Parameter group: the rows of its key or element, among which its increments are.
  func isVisible(_ place: Place, in group: Group, at clock: Clock?) -> Bool {
    let row = self[place]
    guard let clock else { return row.isVisible }
    guard row.isValue, clock.covers(row.id) else { return false }
    for successor in directory.pages[place.page].successors(of: place.slot)
    where clock.covers(successor) {
      guard row.isCounter, increment(successor, in: group) != nil else { return false }
    }
    return true
  }

  /// Calls `body` with the rows of a group that readers see, ascending by id: the last one wins.
  @inline(__always)
  func forEachVisible(in group: Group, at clock: Clock?, _ body: (Place) -> Void) {
    guard clock != nil else { return forEachVisible(in: group, body) }
    var place = group.start
    while place < group.end {
      if isVisible(place, in: group, at: clock) { body(place) }
      place = after(place)
    }
  }

  /// Returns the rows of a group that readers see, ascending by id.
  func visiblePlaces(in group: Group, at clock: Clock?) -> [Place] {
    var visible: [Place] = []
    forEachVisible(in: group, at: clock) { visible.append($0) }
    return visible
  }

  /// Returns the row that reads see, if any.
  @inline(__always)
  func winner(in group: Group, at clock: Clock?) -> Place? {
    guard clock != nil else { return winner(in: group) }
    var winner: Place?
    forEachVisible(in: group, at: clock) { winner = $0 }
    return winner
  }

  /// Returns the UTF-8 of what readers see of a text now (format.md 5.7).
  func textBytes(of text: OpID) -> [UInt8] {
    var bytes: [UInt8] = []
    // The values of elements that came in one after another stand one behind the other in the pool.
    var values = 0..<0
    var place = start(of: text)
    while place.page < directory.count {
      let row = self[place]
      guard row.object == text else { break }
      place = after(place)
      guard row.isWinner else { continue }
      let value = row.value.range
      if row.isString, value.lowerBound == values.upperBound {
        values = values.lowerBound..<value.upperBound
        continue
      }
      bytes.append(from: pool, values)
      values = row.isString ? value : 0..<0
      if !row.isString { bytes.append(contentsOf: Self.placeholder) }
    }
    bytes.append(from: pool, values)
    return bytes
  }

  /// U+FFFC, which stands in a text for what is no string.
  private static let placeholder: [UInt8] = [0xef, 0xbf, 0xbc]

  /// Appends what an element of a text contributes to it: its string, else U+FFFC (format.md 5.7).
  @inline(__always)
  func appendText(of winner: Place, to bytes: inout [UInt8]) {
    let row = self[winner]
    guard row.isString else {
      return bytes.append(contentsOf: Self.placeholder)
    }
    // Nearly every element is one character, and nearly every character one byte.
    if row.value.count == 1 {
      bytes.append(pool[row.value.range.lowerBound])
    } else {
      bytes.append(from: pool, row.value.range)
    }
  }

  /// Returns a counter's start plus its increments, wrapping as the reference does.
  func counterValue(_ place: Place, in group: Group, at clock: Clock?) -> Int64 {
    var total = pool.signed(at: self[place].value)
    // Both the rows of a group and the successors of a row ascend by id.
    var rest = Group(start: after(place), end: group.end)
    for successor in directory.pages[place.page].successors(of: place.slot) {
      guard !rest.isEmpty else { break }
      // Mostly they are neighbours; but thousands of counters may have one increment in common.
      if self[rest.start].id != successor {
        rest.start = self.place(reaching: successor, in: rest)
        guard !rest.isEmpty, self[rest.start].id == successor else { continue }
      }
      let row = self[rest.start]
      if row.action == .increment, clock?.covers(row.id) ?? true { total &+= amount(of: row) }
      rest.start = after(rest.start)
    }
    return total
  }

  /// Returns what an increment adds.
  func amount(of increment: Operation) -> Int64 {
    increment.valueType == .uint
      ? Int64(truncatingIfNeeded: pool.unsigned(at: increment.value))
      : pool.signed(at: increment.value)
  }

  /// Returns the row of an increment with this id.
  private func increment(_ id: OpID, in group: Group) -> Place? {
    place(of: id, in: group).flatMap { self[$0].action == .increment ? $0 : nil }
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
