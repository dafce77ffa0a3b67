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

/// The names of marks, numbered in the order in which they turned up.
///
/// A text may have as many names as it has letters, each of which is looked up a dozen times while
/// the text is read: by its number, and by its bytes only once. Two names may be equal as strings.
struct MarkNames {
  /// Where each name is in the pool of its document.
  private var ranges: [PoolRange] = []
  private var index = RowIndex()

  init() {}

  /// Returns the number of the name at a range of the pool.
  mutating func number(of name: PoolRange, in pool: [UInt8]) -> Int {
    let known = index.row(Self.word(name, pool)) {
      pool.areEqual(ranges[Int($0)].range, name.range)
    }
    if let known { return Int(known) }
    let number = ranges.count
    ranges.append(name)
    index.insert(UInt32(number)) { [ranges] in Self.word(ranges[Int($0)], pool) }
    return number
  }

  /// Whoever writes a document chooses its names, so they are hashed with a key.
  private static func word(_ name: PoolRange, _ pool: [UInt8]) -> UInt64 {
    var hasher = Hasher()
    pool.combine(name.range, into: &hasher)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  /// Returns the name with a number.
  func string(_ number: Int, in pool: [UInt8]) -> String {
    String(decoding: pool[ranges[number].range], as: UTF8.self)
  }

  /// Returns for each name its place in the order of their bytes.
  func ranks(in pool: [UInt8]) -> [Int] {
    var ranks = [Int](repeating: 0, count: ranges.count)
    let order = ranges.indices.sorted {
      pool.compare(ranges[$0].range, to: pool, ranges[$1].range) < 0
    }
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    return ranks
  }
}

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

/// Marks from name to name and from left to right, each as long as its value stays.
struct MarkRuns {
  private var open: [Int: (start: Int, value: ScalarValue)] = [:]
  private var closed: [(name: Int, start: Int, end: Int, value: ScalarValue)] = []

  init() {}

  /// From `position` on exactly these values hold, by the numbers of the names.
  mutating func set(_ values: [Int: ScalarValue], at position: Int) {
    for name in Array(open.keys) where values[name] == nil { set(name, nil, at: position) }
    for (name, value) in values { set(name, value, at: position) }
  }

  /// From `position` on a name has this value, or none.
  mutating func set(_ name: Int, _ value: ScalarValue?, at position: Int) {
    if let run = open[name] {
      if let value, value.isIdentical(to: run.value) { return }
      open[name] = nil
      if run.start < position { closed.append((name, run.start, position, run.value)) }
    }
    if let value { open[name] = (position, value) }
  }

  /// Ends all marks at `position` and returns them by the bytes of their names, then by start.
  mutating func finish(at position: Int, _ names: MarkNames, in pool: [UInt8]) -> [Mark] {
    set([:], at: position)
    let ranks = names.ranks(in: pool)
    return closed.sorted { (ranks[$0.name], $0.start) < (ranks[$1.name], $1.start) }.map {
      Mark(
        start: UInt64($0.start), end: UInt64($0.end), name: names.string($0.name, in: pool),
        value: $0.value)
    }
  }
}
