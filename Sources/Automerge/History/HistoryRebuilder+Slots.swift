/// The place of each operation among those of its change.
extension HistoryRebuilder {
  mutating func indexChanges() throws(FormatError) {
    for (row, change) in document.changes.enumerated() {
      let actor = Int(change.actor)
      guard change.sequence == rowsOfActor.count(of: actor) + 1 else {
        throw document.error(.changesOutOfOrder)
      }
      if let last = rowsOfActor.last(of: actor),
        document.changes[Int(last)].maxCounter > change.maxCounter
      {
        throw document.error(.maxCounterDecreases)
      }
      rowsOfActor.append(UInt32(row), of: actor)
    }
  }

  /// Returns the row of the change an operation belongs to: its author's first whose greatest
  /// counter reaches it.
  @inline(__always)
  func change(of id: OpID) throws(FormatError) -> Int {
    let row = rowsOfActor.first(of: id.actor, reaching: id.counter) {
      document.changes[Int($0)].maxCounter
    }
    guard let row else { throw document.error(.operationWithoutChange) }
    return Int(row)
  }

  /// An operation of which it is known to which change it belongs: so do those after it up to the
  /// change's last.
  private struct Placed {
    var id = OpID.root
    var change = 0
    var maxCounter: UInt32 = 0

    @inline(__always)
    func isFollowed(by id: OpID) -> Bool {
      id.raw == self.id.next.raw && id.counter <= maxCounter
    }
  }

  /// Finds the smallest counter of each change, over its rows and its deletes.
  mutating func findStarts() throws(FormatError) {
    startCounters = document.changes.map { $0.maxCounter &+ 1 }
    var mentions = [Int](repeating: 0, count: document.changes.count)
    for page in pages {
      var last = Placed()
      for operation in page.rows {
        if last.isFollowed(by: operation.id) {
          mentions[last.change] += 1
        } else {
          last.change = try mention(operation.id, &mentions)
          last.maxCounter = document.changes[last.change].maxCounter
        }
        last.id = operation.id
      }
      for successor in page.successors { try mention(successor, &mentions) }
    }
    try countSlots(mentions)
  }

  /// Takes in that there is an operation; returns its change.
  @discardableResult @inline(__always)
  mutating func mention(_ id: OpID, _ mentions: inout [Int]) throws(FormatError) -> Int {
    let row = try change(of: id)
    startCounters[row] = min(startCounters[row], id.counter)
    mentions[row] += 1
    return row
  }

  /// Gives every change but the first `knownCount` so many slots as it has operations.
  mutating func countSlots(_ mentions: [Int], besides knownCount: Int = 0) throws(FormatError) {
    firstSlots = [Int](repeating: 0, count: knownCount)
    firstSlots.reserveCapacity(document.changes.count + 1)
    var slotCount = 0
    for (row, change) in document.changes.enumerated().dropFirst(knownCount) {
      firstSlots.append(slotCount)
      guard change.maxCounter < UInt32.max else { throw document.error(.counterOutOfRange) }
      let count = Int(change.maxCounter + 1 - startCounters[row])
      // Every operation is mentioned at least once, so slots cannot outgrow the input.
      guard count <= mentions[row] else { throw document.error(.missingOperations) }
      guard startCounters[row] > 0 else { throw document.error(.startCounterZero) }
      slotCount += count
    }
    firstSlots.append(slotCount)
  }

  @inline(__always)
  func slot(of id: OpID) throws(FormatError) -> Int {
    let row = try change(of: id)
    return firstSlots[row] + Int(id.counter - startCounters[row])
  }

  mutating func fillSlots() throws(FormatError) {
    slots = [Int32](repeating: Self.vacant, count: firstSlots.last ?? 0)
    var row: Int32 = 0
    for page in pages {
      var last = Placed()
      var slot = 0
      for operation in page.rows {
        if last.isFollowed(by: operation.id) {
          slot += 1
        } else {
          last.change = try change(of: operation.id)
          last.maxCounter = document.changes[last.change].maxCounter
          slot = firstSlots[last.change] + Int(operation.id.counter - startCounters[last.change])
        }
        last.id = operation.id
        guard slots[slot] == Self.vacant else { throw document.error(.duplicateOperation) }
        slots[slot] = row
        row += 1
      }
    }
    if successorCount > 0 { try fillDeletes() }
    guard !slots.contains(Self.vacant) else { throw document.error(.missingOperations) }
  }

  /// Gives slots to deletes, which are known as successors only, and counts predecessors.
  private mutating func fillDeletes() throws(FormatError) {
    var counts = [UInt32](repeating: 0, count: slots.count + 1)
    for row in 0..<rowCount {
      let (page, place) = Self.place(of: row)
      let operation = pages[page].rows[place]
      guard operation.relatedCount > 0 else { continue }
      var last = operation.id
      for index in operation.related {
        let successor = pages[page].successors[index]
        guard last.raw < successor.raw else {
          throw document.error(
            last == operation.id ? .objectFromTheFuture : .predecessorsNotAscending)
        }
        last = successor
        try noteReplaced(row, by: successor, &counts)
      }
    }
    for slot in counts.indices.dropFirst() { counts[slot] += counts[slot - 1] }
    predecessorStarts = counts
  }

  /// Takes in that the operation of a row was replaced, if by none that has a row then by a delete;
  /// `counts` counts for each slot what it replaced, one place further on.
  @inline(__always)
  mutating func noteReplaced(
    _ row: Int, by successor: OpID, _ counts: inout [UInt32]
  ) throws(FormatError) {
    let slot = try slot(of: successor)
    counts[slot + 1] += 1
    if slots[slot] == Self.vacant {
      slots[slot] = ~Int32(row)
    } else {
      let other = self.row(Int(slots[slot] < 0 ? ~slots[slot] : slots[slot]))
      guard self.row(row).isOnSameKey(as: other, pool: document.pool) else {
        throw document.error(.unknownPredecessor)
      }
    }
  }

  /// Turns successors around. Rows of one key ascend by id, so the lists come out in order.
  mutating func collectPredecessors() throws(FormatError) {
    guard successorCount > 0 else { return }
    predecessors = [OpID](repeating: .root, count: successorCount)
    var next = predecessorStarts
    for page in pages where !page.successors.isEmpty {
      for operation in page.rows {
        for index in operation.related {
          let slot = try slot(of: page.successors[index])
          predecessors[Int(next[slot])] = operation.id
          next[slot] += 1
        }
      }
    }
  }
}
