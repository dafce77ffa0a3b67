extension OpSet {
  /// Returns the op set with the operations of some changes added (format.md 6.5).
  ///
  /// Made for many changes at once: the objects touched are merged, everything else is copied.
  ///
  /// - Parameters:
  ///   - entries: which changes of the batch, in causal order.
  ///   - renumbering: new indexes for the actors here, nil if they keep theirs.
  ///   - actors: the index for each actor of the batch; `ActorIndex.unknown` for one that wrote
  ///     nothing here.
  func applying(
    _ batch: ChangeBatch, entries: [Int], renumbering: [UInt32]?, actors: [UInt32]
  ) throws(Misfit) -> OpSet {
    var added = AddedOperations(batch, entries: entries, actors: actors, poolShift: pool.count)
    try added.collect()

    var merged = renumbered(renumbering, reserving: added.operations.count)
    if merged.pool.isEmpty {
      merged.pool = batch.pool
    } else {
      guard merged.pool.count + batch.pool.count <= Int(UInt32.max) else {
        throw Misfit(.limitExceeded(.poolByteCount, UInt64(UInt32.max)), .root)
      }
      merged.pool.append(contentsOf: batch.pool)
    }
    try merged.merge(&added)
    if !added.links.isEmpty { try merged.link(added.links) }
    return merged
  }

  /// Returns a copy that numbers the actors anew.
  private func renumbered(_ indexes: [UInt32]?, reserving count: Int) -> OpSet {
    var copy = self
    guard let indexes else { return copy }
    copy.operations = []
    copy.operations.reserveCapacity(operations.count + count)
    for operation in operations {
      var moved = operation
      moved.id = operation.id.renumbered(indexes)
      moved.object = operation.object.renumbered(indexes)
      moved.element = operation.element.renumbered(indexes)
      copy.operations.append(moved)
    }
    copy.successors = successors.map { $0.renumbered(indexes) }
    copy.objects = objects.map {
      Object(id: $0.id.renumbered(indexes), kind: $0.kind, rows: $0.rows)
    }
    return copy
  }

  /// Puts the added rows where they belong.
  private mutating func merge(_ added: inout AddedOperations) throws(Misfit) {
    added.runs.sort { $0.object == $1.object ? $0.rows.lowerBound < $1.rows.lowerBound : $0 < $1 }
    added.objects.sort { $0.id < $1.id }
    var objects: [Object] = []
    objects.reserveCapacity(self.objects.count + added.objects.count)
    var rows: [Operation] = []
    rows.reserveCapacity(operations.count + added.operations.count)
    var gathered: [Operation] = []
    var old = 0
    var new = 0
    var run = 0
    while old < self.objects.count || new < added.objects.count {
      var object: Object
      if new >= added.objects.count
        || (old < self.objects.count && self.objects[old].id < added.objects[new].id)
      {
        object = self.objects[old]
        old += 1
      } else {
        object = added.objects[new]
        guard old >= self.objects.count || self.objects[old].id != object.id else {
          throw Misfit(.duplicateOperation, object.id)
        }
        new += 1
      }
      let start = rows.count
      if run < added.runs.count, added.runs[run].object < object.id {
        throw Misfit(.unknownObject, added.operations[added.runs[run].rows.lowerBound].id)
      }
      if run < added.runs.count, added.runs[run].object == object.id {
        gathered.removeAll(keepingCapacity: true)
        while run < added.runs.count, added.runs[run].object == object.id {
          gathered.append(contentsOf: added.operations[added.runs[run].rows])
          run += 1
        }
        if object.kind.isSequence {
          var merger = SequenceMerger(operations, object.rows, kind: object.kind)
          try merger.merge(gathered, into: &rows)
        } else {
          try mergeMap(object.rows, &gathered, into: &rows)
        }
      } else {
        rows.append(contentsOf: operations[object.rows])
      }
      object.rows = start..<rows.count
      objects.append(object)
    }
    guard run == added.runs.count else {
      throw Misfit(.unknownObject, added.operations[added.runs[run].rows.lowerBound].id)
    }
    operations = rows
    self.objects = objects
  }

  private func mergeMap(
    _ old: Range<Int>, _ added: inout [Operation], into rows: inout [Operation]
  ) throws(Misfit) {
    for operation in added where !operation.isMapOperation {
      throw Misfit(.wrongObjectKind, operation.id)
    }
    let pool = self.pool
    func precedes(_ left: Operation, _ right: Operation) -> Bool {
      let order = pool.compare(left.key.range, to: pool, right.key.range)
      return order != 0 ? order < 0 : left.id < right.id
    }
    if added.count > 16 {
      added.sort(by: precedes)
    } else {
      added.sortByInsertion(by: precedes)
    }
    var next = old.lowerBound
    for operation in added {
      while next < old.upperBound, precedes(operations[next], operation) {
        rows.append(operations[next])
        next += 1
      }
      rows.append(operation)
    }
    rows.append(contentsOf: operations[next..<old.upperBound])
  }

  // MARK: Successors

  /// Adds each link's source to the successors of its target.
  private mutating func link(_ links: [AddedOperations.Link]) throws(Misfit) {
    var found: [(row: Int, source: OpID)] = []
    found.reserveCapacity(links.count)
    var elements = ElementIndex()
    for link in links {
      guard let row = row(of: link, &elements) else {
        throw Misfit(.unknownPredecessor, link.source)
      }
      guard link.target < link.source else { throw Misfit(.objectFromTheFuture, link.source) }
      found.append((row, link.source))
    }
    found.sort { $0.row == $1.row ? $0.source < $1.source : $0.row < $1.row }

    var linked: [OpID] = []
    linked.reserveCapacity(successors.count + found.count)
    var next = 0
    for row in operations.indices {
      let start = linked.count
      for index in operations[row].related {
        while next < found.count, found[next].row == row, found[next].source < successors[index] {
          linked.append(found[next].source)
          next += 1
        }
        linked.append(successors[index])
      }
      while next < found.count, found[next].row == row {
        linked.append(found[next].source)
        next += 1
      }
      operations[row].relatedStart = UInt32(truncatingIfNeeded: start)
      operations[row].relatedCount = UInt32(truncatingIfNeeded: linked.count - start)
    }
    successors = linked
  }

  /// Returns the row a link's target stands in, if it is on the link's key. The operations of a key
  /// or element ascend by id, so this is logarithmic.
  private func row(of link: AddedOperations.Link, _ elements: inout ElementIndex) -> Int? {
    guard let object = object(link.object), object.kind.isSequence != link.isMapOperation else {
      return nil
    }
    let row: Int
    if link.isMapOperation {
      row = firstRow(in: object.rows) { operation in
        let order = pool.compare(operation.key.range, to: pool, link.key.range)
        return order != 0 ? order : operation.id < link.target ? -1 : 0
      }
    } else {
      guard let rows = elements.rows(of: link.element, in: object, operations) else { return nil }
      row = firstRow(in: rows) { $0.id < link.target ? -1 : 0 }
    }
    guard row < object.rows.upperBound, operations[row].id == link.target else { return nil }
    let isSame =
      link.isMapOperation
      ? pool.areEqual(operations[row].key.range, link.key.range)
      : operations[row].ownElement == link.element
    return isSame ? row : nil
  }

  /// Returns the first row for which `order` is not negative.
  @inline(__always)
  func firstRow(in rows: Range<Int>, where order: (Operation) -> Int) -> Int {
    var low = rows.lowerBound
    var high = rows.upperBound
    while low < high {
      let middle = (low &+ high) >> 1
      if order(operations[middle]) < 0 { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}

/// The rows of the elements of the lists at hand, found for a list when it is first asked for.
private struct ElementIndex {
  private var rows: [OpID: [OpID: Range<Int>]] = [:]

  mutating func rows(
    of element: OpID, in object: OpSet.Object, _ operations: [Operation]
  ) -> Range<Int>? {
    if let known = rows[object.id] { return known[element] }
    var index: [OpID: Range<Int>] = [:]
    var row = object.rows.lowerBound
    while row < object.rows.upperBound {
      var end = row + 1
      while end < object.rows.upperBound, !operations[end].isInsert { end += 1 }
      index[operations[row].id] = row..<end
      row = end
    }
    rows[object.id] = index
    return index[element]
  }
}

extension [Operation] {
  /// Sorts a few operations in place; most objects have no more.
  fileprivate mutating func sortByInsertion(by precedes: (Operation, Operation) -> Bool) {
    var end = 1
    while end < count {
      let operation = self[end]
      var place = end
      while place > 0, precedes(operation, self[place - 1]) {
        self[place] = self[place - 1]
        place -= 1
      }
      self[place] = operation
      end += 1
    }
  }
}
