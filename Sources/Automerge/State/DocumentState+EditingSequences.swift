extension DocumentState {
  // MARK: Elements

  /// Replaces the values of the element that an index falls on.
  @discardableResult
  mutating func put(
    _ object: OpID, index: Int, _ value: NewValue, by author: ActorId
  ) throws(DocError) -> OpID? {
    let group = try element(of: object, at: index)
    return try replace(
      group, key: .empty, in: object, operations.objects.kind(of: object) ?? .list, by: value,
      author)
  }

  /// Adds to the counters of the element that an index falls on.
  mutating func increment(
    _ object: OpID, index: Int, by amount: Int64, author: ActorId
  ) throws(DocError) {
    let group = try element(of: object, at: index)
    try increment(group, key: .empty, in: object, .list, by: amount, author)
  }

  /// Inserts values one after another so that the first gets the given index.
  ///
  /// - Returns: the operation that inserted the last of them; nil for none.
  @discardableResult
  mutating func insert(
    _ object: OpID, index: Int, _ values: [NewValue], by author: ActorId
  ) throws(DocError) -> OpID? {
    var rows = try makeRows(values, in: object)
    return try insert(&rows, in: object, index: index, by: author)
  }

  private mutating func insert(
    _ rows: inout [Operation], in object: OpID, index: Int, by author: ActorId
  ) throws(DocError) -> OpID? {
    guard !rows.isEmpty else { return nil }
    let (reference, place) = try insertionPoint(in: object, at: index)
    return try insert(&rows, after: reference, at: place, by: author)
  }

  private mutating func makeRows(
    _ values: [NewValue], in object: OpID
  ) throws(DocError) -> [Operation] {
    let kind = operations.objects.kind(of: object) ?? .list
    var rows: [Operation] = []
    rows.reserveCapacity(values.count)
    for value in values {
      var row = try make(value, in: object)
      row.width = operations.width(of: row, in: kind)
      rows.append(row)
    }
    return rows
  }

  /// Deletes elements and inserts values in their place.
  ///
  /// - Parameter count: how many to delete from `index` on; a negative number deletes backwards.
  mutating func splice(
    _ object: OpID, index: Int, delete count: Int, _ values: [NewValue], by author: ActorId
  ) throws(DocError) {
    let range = try spliceRange(index: index, delete: count)
    // A value that cannot be stored must not cost what it was to replace.
    var rows = try makeRows(values, in: object)
    try delete(object, index: range.lowerBound, count: range.count, by: author)
    _ = try insert(&rows, in: object, index: range.lowerBound, by: author)
  }

  /// Deletes the elements that lie in so many units from an index on; stops at the end.
  mutating func delete(
    _ object: OpID, index: Int, count: Int, by author: ActorId
  ) throws(DocError) {
    var rest = count
    while rest > 0, let (place, _) = operations.winner(at: index, of: object) {
      let group = operations.group(around: place)
      rest -= Int(operations[place].width)
      try begin(by: author, operations: 1)
      var operation = Operation(id: nextID, object: object, action: .delete)
      operation.element = operations[group.start].id
      follow(group, operations.visiblePlaces(in: group, at: nil), with: operation)
    }
  }

  /// Returns the units that a splice deletes, which may go beyond the end, or lie there: what is not
  /// there need not be deleted. Only an insert has to be where there is something before it.
  func spliceRange(index: Int, delete count: Int) throws(DocError) -> Range<Int> {
    guard index >= 0, count >= -index else { throw DocError(reason: .indexOutOfRange) }
    let start = count < 0 ? index + count : index
    // Deleting stops at the end by itself.
    return start..<start + min(Int(clamping: count.magnitude), Int.max - start)
  }

  // MARK: Places

  private func element(of object: OpID, at index: Int) throws(DocError) -> OpSet.Group {
    guard let (place, _) = operations.winner(at: index, of: object) else {
      throw DocError(reason: .indexOutOfRange)
    }
    return operations.group(around: place)
  }

  /// Returns what an insert at an index refers to, and where its row goes (format.md 5.6).
  func insertionPoint(
    in object: OpID, at index: Int
  ) throws(DocError) -> (reference: OpID, place: OpSet.Place) {
    if index == 0 { return insertionPoint(in: object, after: nil) }
    guard let (place, _) = operations.winner(at: index - 1, of: object) else {
      throw DocError(reason: .indexOutOfRange)
    }
    return insertionPoint(in: object, after: operations.group(around: place))
  }

  /// Puts a row that still lacks an id and a reference into the open transaction and its place.
  @discardableResult
  mutating func insert(
    _ row: inout Operation, after reference: OpID, at place: OpSet.Place
  ) -> OpSet.Place {
    row.id = nextID
    row.element = reference
    transaction?.append(row)
    return operations.insert(row, at: place)
  }

  /// Puts rows that still lack ids and references one after another.
  mutating func insert(
    _ rows: inout [Operation], after reference: OpID, at place: OpSet.Place, by author: ActorId
  ) throws(DocError) -> OpID? {
    try begin(by: author, operations: rows.count)
    var reference = reference
    for index in rows.indices {
      rows[index].id = nextID
      rows[index].element = reference
      rows[index].flags.insert(.insert)
      transaction?.append(rows[index])
      if rows[index].isValue { rows[index].flags.formUnion([.visible, .winner]) }
      operations.objects.insert(madeBy: rows[index])
      reference = rows[index].id
    }
    operations.insert(rows, at: place)
    return reference
  }
}
