extension OpSet {
  /// Takes over the rows of a document chunk after checking that they stand in document order and
  /// fit the objects they are on (format.md 4.4, 5.5, 8.2).
  ///
  /// One pass: the order of a list is checked with a stack of the elements that the one before
  /// descends from, without building the list.
  init(_ document: DocumentChunk) throws(FormatError) {
    func error(_ fact: FormatError.Fact) -> FormatError {
      FormatError(fact, at: document.operationsOffset)
    }
    let rows = document.operations
    var made: [Object] = [Object(id: .root, kind: .map, rows: 0..<0)]
    for operation in rows {
      guard operation.action != .delete else { throw error(.deleteInDocument) }
      if let kind = operation.action.madeObject {
        guard operation.object < operation.id else { throw error(.objectFromTheFuture) }
        made.append(Object(id: operation.id, kind: kind, rows: rows.count..<rows.count))
      }
    }
    made.sort { $0.id < $1.id }
    for index in made.indices.dropFirst() where made[index - 1].id == made[index].id {
      throw error(.duplicateOperation)
    }

    var next = 0
    var row = 0
    while row < rows.count {
      let id = rows[row].object
      while next < made.count, made[next].id < id {
        made[next].rows = row..<row
        next += 1
      }
      guard next < made.count, made[next].id == id else {
        // Objects ascend, so an earlier one that comes again is out of order, not unknown.
        throw error(made.index(ofObject: id) == nil ? .unknownObject : .operationsOutOfOrder)
      }
      var end = row + 1
      while end < rows.count, rows[end].object == id { end += 1 }
      made[next].rows = row..<end
      let fact =
        made[next].kind.isSequence
        ? Self.defect(inSequence: rows, row..<end, of: made[next].kind)
        : Self.defect(inMap: rows, row..<end, pool: document.pool)
      if let fact { throw error(fact) }
      row = end
      next += 1
    }
    while next < made.count {
      made[next].rows = row..<row
      next += 1
    }
    self.init(
      operations: rows, successors: document.successors, pool: document.pool, objects: made)
  }

  /// Keys ascend by bytes, operations of a key by id.
  private static func defect(
    inMap operations: [Operation], _ rows: Range<Int>, pool: [UInt8]
  ) -> FormatError.Fact? {
    for row in rows {
      let operation = operations[row]
      guard operation.isMapOperation, !operation.isInsert else { return .wrongObjectKind }
      guard operation.object < operation.id else { return .objectFromTheFuture }
      guard row > rows.lowerBound else { continue }
      let last = operations[row - 1]
      let order = pool.compare(last.key.range, to: pool, operation.key.range)
      guard order < 0 || (order == 0 && last.id < operation.id) else {
        return order == 0 && last.id == operation.id ? .duplicateOperation : .operationsOutOfOrder
      }
    }
    return nil
  }

  /// Each insert comes after its reference element, separated from it only by elements that descend
  /// from the reference through siblings with greater ids; what was done to an element follows it.
  private static func defect(
    inSequence operations: [Operation], _ rows: Range<Int>, of kind: ObjectKind
  ) -> FormatError.Fact? {
    var ancestors: [OpID] = []
    var last = OpID.root
    for row in rows {
      let operation = operations[row]
      guard !operation.isMapOperation, operation.action != .mark || kind == .text else {
        return .wrongObjectKind
      }
      guard operation.object < operation.id else { return .objectFromTheFuture }
      if operation.isInsert {
        guard operation.element < operation.id else { return .objectFromTheFuture }
        var sibling = OpID.root
        while let ancestor = ancestors.last, ancestor != operation.element {
          sibling = ancestor
          ancestors.removeLast()
        }
        guard !ancestors.isEmpty || operation.element.isRoot else { return .unknownElement }
        guard sibling.isRoot || operation.id < sibling else { return .operationsOutOfOrder }
        ancestors.append(operation.id)
      } else {
        guard let element = ancestors.last, operation.element == element else {
          return .unknownElement
        }
        guard last < operation.id else { return .operationsOutOfOrder }
      }
      last = operation.id
    }
    return nil
  }
}
