/// Neighbouring rows of a document's operations together with their successors.
///
/// Pages are what is copied when a shared document is changed, so they are small.
struct OperationPage: Sendable {
  /// The most rows a page holds: about 7 KiB; in tests so few that short documents have many pages.
  #if INTERNAL_CHECKS || SHORT_PAGES
    static let capacity = 8
  #else
    static let capacity = 128
  #endif
  /// How many rows a loaded page holds, so that a few more need no second page.
  static let loadedCount = capacity / 8 * 7

  /// More successors of one row than this do not stand among those of the others.
  private static let shortCount = 32

  var rows: [Operation]
  /// The successors of all rows but those with a long list, in the order of the rows; those of one row
  /// ascend.
  var successors: [OpID]
  /// The successors of rows that have got very many. Such a row has none in `successors`.
  private var longLists: [SuccessorList] = []
  /// For each row with a long list which of them it is.
  private var longPlaces = OpIDTable()

  init() {
    rows = []
    successors = []
  }

  @inline(__always)
  var count: Int { rows.count }

  /// Whether any row may have successors.
  @inline(__always)
  var hasSuccessors: Bool { !successors.isEmpty || !longLists.isEmpty }

  /// Returns the successors of a row.
  @inline(__always)
  func successors(of slot: Int) -> ArraySlice<OpID> {
    if let place = longPlaces[rows[slot].id] { return longLists[Int(place)].flat[...] }
    return successors[rows[slot].related]
  }

  /// The same page with all successors where the rows say.
  var flat: OperationPage {
    guard !longLists.isEmpty else { return self }
    var page = OperationPage()
    for slot in rows.indices { page.append(rows[slot], successors: successors(of: slot)) }
    return page
  }

  mutating func reserveCapacity() { rows.reserveCapacity(Self.capacity) }

  /// Appends a row that has the given successors, ascending.
  mutating func append(_ operation: Operation, successors: ArraySlice<OpID>) {
    var row = operation
    row.relatedStart = UInt32(truncatingIfNeeded: self.successors.count)
    row.relatedCount = UInt32(truncatingIfNeeded: successors.count)
    if !successors.isEmpty { self.successors.append(contentsOf: successors) }
    rows.append(row)
  }

  /// Inserts a row that has no successors yet.
  mutating func insert(_ operation: Operation, at slot: Int) {
    var row = operation
    row.relatedStart =
      slot < rows.count ? rows[slot].relatedStart : UInt32(truncatingIfNeeded: successors.count)
    row.relatedCount = 0
    if rows.capacity < Self.capacity { rows.reserveCapacity(Self.capacity) }
    rows.insert(row, at: slot)
  }

  /// Adds an operation to the successors of a row.
  mutating func addSuccessor(_ id: OpID, to slot: Int, _ ranks: [UInt32]) {
    // Among many of one row, which were loaded, room for one more would have to be made again and
    // again.
    if successors.count > Self.capacity * Self.shortCount {
      separateLongLists()
    } else if rows[slot].relatedCount >= Self.shortCount {
      separateLongList(of: slot)
    }
    if let place = longPlaces[rows[slot].id] { return longLists[Int(place)].insert(id, ranks) }
    let related = rows[slot].related
    var index = related.upperBound
    while index > related.lowerBound, id.precedes(successors[index - 1], ranks) { index -= 1 }
    successors.insert(id, at: index)
    rows[slot].relatedCount &+= 1
    for later in slot + 1..<rows.count { rows[later].relatedStart &+= 1 }
  }

  private mutating func separateLongLists() {
    for slot in rows.indices where rows[slot].relatedCount >= Self.shortCount {
      separateLongList(of: slot)
    }
  }

  private mutating func separateLongList(of slot: Int) {
    let related = rows[slot].related
    append(SuccessorList(successors[related]), of: rows[slot].id)
    successors.removeSubrange(related)
    rows[slot].relatedCount = 0
    for later in slot + 1..<rows.count {
      rows[later].relatedStart &-= UInt32(truncatingIfNeeded: related.count)
    }
  }

  private mutating func append(_ list: SuccessorList, of row: OpID) {
    longPlaces.set(row, UInt32(truncatingIfNeeded: longLists.count))
    longLists.append(list)
  }

  mutating func setFlags(_ flags: Operation.Flags, of slot: Int) { rows[slot].flags = flags }

  /// Takes the rows from `slot` on out of the page and returns them as a page of their own.
  mutating func split(at slot: Int) -> OperationPage {
    var tail = OperationPage()
    tail.reserveCapacity()
    for index in slot..<rows.count {
      let row = rows[index]
      tail.append(row, successors: successors[row.related])
    }
    if slot < rows.count {
      let rest = Int(rows[slot].relatedStart)
      successors.removeSubrange(rest...)
      rows.removeSubrange(slot...)
    }
    if !longLists.isEmpty { divideLongLists(with: &tail) }
    return tail
  }

  /// Gives each of two pages the long lists of its rows; all of them are here.
  private mutating func divideLongLists(with tail: inout OperationPage) {
    let (lists, places) = (longLists, longPlaces)
    (longLists, longPlaces) = ([], OpIDTable())
    for row in rows { if let place = places[row.id] { append(lists[Int(place)], of: row.id) } }
    for row in tail.rows {
      if let place = places[row.id] { tail.append(lists[Int(place)], of: row.id) }
    }
  }
}
