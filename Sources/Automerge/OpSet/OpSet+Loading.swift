extension OpSet {
  /// Takes over the rows of a document chunk after checking that they stand in document order and
  /// fit the objects they are on (format.md 4.4, 5.5, 8.2).
  ///
  /// The actors of a chunk are in ascending order, so ids compare by their raw words.
  init(_ document: DocumentChunk, textEncoding: TextEncoding) throws(FormatError) {
    self.init(textEncoding: textEncoding)
    var loader = RowLoader(document, textEncoding: textEncoding)
    if let fact = loader.defect() { throw FormatError(fact, at: document.operationsOffset) }
    objects = loader.objects
    pool = document.pool
    ranks = document.actors.ranks

    let rows = loader.rows
    let capacity = OperationPage.capacity
    directory.reserveCapacity(rows.count / capacity + 1)
    var next = 0
    while next < rows.count {
      var page = OperationPage()
      page.reserveCapacity()
      for row in rows[next..<min(next + capacity, rows.count)] {
        page.append(row, successors: document.successors[row.related])
      }
      directory.append(page)
      next += capacity
    }
  }
}

/// Checks the rows of a document chunk and finds out what readers see of each, in one pass.
private struct RowLoader {
  private(set) var rows: [Operation]
  private(set) var objects: ObjectTable
  private let document: DocumentChunk
  private let widths: OpSet

  init(_ document: DocumentChunk, textEncoding: TextEncoding) {
    self.document = document
    rows = document.operations
    objects = ObjectTable()
    var widths = OpSet(textEncoding: textEncoding)
    widths.pool = document.pool
    self.widths = widths
  }

  mutating func defect() -> FormatError.Fact? {
    for operation in rows {
      guard operation.action != .delete else { return .deleteInDocument }
      guard operation.action.madeObject != nil else { continue }
      guard operation.object.raw < operation.id.raw else { return .objectFromTheFuture }
      guard !objects.contains(operation.id) else { return .duplicateOperation }
      objects.insert(madeBy: operation)
    }
    var row = 0
    var last: OpID?
    while row < rows.count {
      let id = rows[row].object
      if let last, id.raw < last.raw {
        // Objects ascend, so an earlier one that comes again is out of order, not unknown.
        return objects.contains(id) ? .operationsOutOfOrder : .unknownObject
      }
      guard let object = objects[id] else { return .unknownObject }
      var end = row + 1
      while end < rows.count, rows[end].object == id { end += 1 }
      let fact =
        object.kind.isSequence
        ? defect(inSequence: row..<end, of: object.kind) : defect(inMap: row..<end)
      if let fact { return fact }
      last = id
      row = end
    }
    return nil
  }

  /// Keys ascend by bytes, operations of a key by id.
  private mutating func defect(inMap range: Range<Int>) -> FormatError.Fact? {
    var start = range.lowerBound
    for row in range {
      let operation = rows[row]
      guard operation.isMapOperation, !operation.isInsert else { return .wrongObjectKind }
      guard operation.object.raw < operation.id.raw else { return .objectFromTheFuture }
      guard row > range.lowerBound else { continue }
      let last = rows[row - 1]
      let order = document.pool.compare(last.key.range, to: document.pool, operation.key.range)
      guard order < 0 || (order == 0 && last.id.raw < operation.id.raw) else {
        return order == 0 && last.id == operation.id ? .duplicateOperation : .operationsOutOfOrder
      }
      if order < 0 {
        settle(start..<row, in: .map)
        start = row
      }
    }
    settle(start..<range.upperBound, in: .map)
    return nil
  }

  /// Each insert comes after its reference element, separated from it only by elements that descend
  /// from the reference through siblings with greater ids; what was done to an element follows it.
  /// A stack of the elements that the one before descends from tells, without building the list.
  private mutating func defect(
    inSequence range: Range<Int>, of kind: ObjectKind
  ) -> FormatError.Fact? {
    var ancestors: [OpID] = []
    var last = OpID.root
    var start = range.lowerBound
    for row in range {
      let operation = rows[row]
      guard !operation.isMapOperation, operation.action != .mark || kind == .text else {
        return .wrongObjectKind
      }
      guard operation.object.raw < operation.id.raw else { return .objectFromTheFuture }
      if operation.isInsert {
        guard operation.element.raw < operation.id.raw else { return .objectFromTheFuture }
        var sibling = OpID.root
        while let ancestor = ancestors.last, ancestor != operation.element {
          sibling = ancestor
          ancestors.removeLast()
        }
        guard !ancestors.isEmpty || operation.element.isRoot else { return .unknownElement }
        guard sibling.isRoot || operation.id.raw < sibling.raw else { return .operationsOutOfOrder }
        ancestors.append(operation.id)
        settle(start..<row, in: kind)
        start = row
      } else {
        guard let element = ancestors.last, operation.element == element else {
          return .unknownElement
        }
        guard last.raw < operation.id.raw else { return .operationsOutOfOrder }
      }
      last = operation.id
    }
    settle(start..<range.upperBound, in: kind)
    return nil
  }

  /// Notes what readers see of the operations on one key or element.
  @inline(__always)
  private mutating func settle(_ group: Range<Int>, in kind: ObjectKind) {
    var isWon = false
    for row in group.reversed() {
      guard rows[row].isValue else { continue }
      rows[row].width = widths.width(of: rows[row], in: kind)
      guard rows[row].relatedCount == 0 || isIncrementedOnly(row, in: group) else { continue }
      rows[row].flags.insert(isWon ? .visible : [.visible, .winner])
      isWon = true
    }
  }

  /// Whether a row is a counter that nothing but increments has followed (format.md 5.3). Both its
  /// successors and the rows of a group ascend.
  private func isIncrementedOnly(_ row: Int, in group: Range<Int>) -> Bool {
    guard rows[row].isCounter else { return false }
    var candidate = row + 1
    for successor in document.successors[rows[row].related] {
      while candidate < group.upperBound, rows[candidate].id.raw < successor.raw { candidate += 1 }
      guard candidate < group.upperBound, rows[candidate].id == successor,
        rows[candidate].action == .increment
      else { return false }
    }
    return true
  }
}
