/// The first changes of a document chunk, where they are all changes of a document of which every hash
/// was recomputed.
///
/// A change is hashed over its row, its operations and what these replace. Where all that is the same,
/// the hash is, so that only the others have to be encoded. It is mostly so with a document that was
/// written a moment ago, with a few changes more than the one it was made of.
struct KnownChanges {
  /// What is known of them.
  let history: History
  /// The rows of operations that other changes made, ascending.
  private(set) var newRows: [Int32] = []
  /// What other changes did to operations: the row of each, ascending, and the successor it got.
  private(set) var newSuccessors: [(row: Int32, id: OpID)] = []

  var count: Int { history.count }

  /// Compares a chunk with a document; nil if that is not how the chunk begins.
  ///
  /// - Parameter pages: the operations of the chunk as they were loaded.
  init?(of document: DocumentChunk, _ pages: [OperationPage], in known: DocumentState) {
    history = known.history
    guard history.count > 0, history.count <= document.changes.count else { return nil }
    let numbers = KnownNumbers(of: document.actors, in: known)
    guard haveSameRows(document, numbers), haveSameOperations(document, pages, known, numbers)
    else { return nil }
  }

  private func haveSameRows(_ document: DocumentChunk, _ numbers: KnownNumbers) -> Bool {
    for (new, old) in zip(document.changes, history.changes) {
      guard numbers.actors[Int(new.actor)] == old.actor, new.sequence == old.sequence,
        new.maxCounter == old.maxCounter, new.time == old.time,
        document.dependencyRows[new.dependencies]
          == history.dependencyRows[old.dependencies],
        (new.message == nil) == (old.message == nil),
        document.pool.areEqual(
          new.message ?? .empty, old.message ?? .empty, in: history.chunks),
        document.pool.areEqual(new.extra, old.extra, in: history.chunks)
      else { return false }
    }
    return true
  }

  /// Goes through the operations of both in their order, which is the same but for those that are new.
  private mutating func haveSameOperations(
    _ document: DocumentChunk, _ pages: [OperationPage], _ known: DocumentState,
    _ numbers: KnownNumbers
  ) -> Bool {
    let (pool, knownPool) = (document.pool, known.operations.pool)
    let knownPages = known.operations.directory.pages
    var (page, slot) = (0, 0)
    var row: Int32 = 0
    for newPage in pages {
      for operation in newPage.rows {
        guard numbers.isKnown(operation.id) else {
          // What is new is replaced by what is new.
          guard
            haveSameSuccessors(
              newPage.successors[operation.related], [], of: operation.id, row, numbers)
          else { return false }
          newRows.append(row)
          row += 1
          continue
        }
        guard page < knownPages.count,
          numbers.areSame(operation, knownPages[page].rows[slot], pool, knownPool)
        else { return false }
        if operation.relatedCount > 0 || knownPages[page].hasSuccessors {
          guard
            haveSameSuccessors(
              newPage.successors[operation.related], knownPages[page].successors(of: slot),
              of: operation.id, row, numbers)
          else { return false }
        }
        row += 1
        slot += 1
        if slot == knownPages[page].count { (page, slot) = (page + 1, 0) }
      }
    }
    return page == knownPages.count
  }

  private mutating func haveSameSuccessors(
    _ successors: ArraySlice<OpID>, _ known: ArraySlice<OpID>, of id: OpID, _ row: Int32,
    _ numbers: KnownNumbers
  ) -> Bool {
    var last = id
    var left = known
    for successor in successors {
      // Chunks number their actors in ascending order.
      guard last.raw < successor.raw else { return false }
      last = successor
      if numbers.isKnown(successor) {
        guard let next = left.popFirst(), numbers.areSame(successor, next) else { return false }
      } else {
        newSuccessors.append((row, successor))
      }
    }
    return left.isEmpty
  }
}

/// The numbers that the actors of a chunk have in a document, and what the document has of each.
private struct KnownNumbers {
  /// For each actor of the chunk its number in the document.
  let actors: [UInt32?]
  /// For each actor of the chunk the greatest counter of its known operations; 0 for none.
  private let counters: [UInt32]

  init(of actors: ActorTable, in known: DocumentState) {
    var knownCounters = [UInt32](repeating: 0, count: known.actors.count)
    for change in known.history.changes {
      let actor = Int(change.actor)
      knownCounters[actor] = max(knownCounters[actor], change.maxCounter)
    }
    let numbers = actors.ids.map { known.actors.index(of: $0) }
    self.actors = numbers.map { $0.map { UInt32($0) } }
    counters = numbers.map { $0.map { knownCounters[$0] } ?? 0 }
  }

  /// Whether an operation of the chunk is one of a known change.
  @inline(__always)
  func isKnown(_ id: OpID) -> Bool { id.counter <= counters[id.actor] }

  @inline(__always)
  func areSame(_ new: OpID, _ known: OpID) -> Bool {
    if new.isRoot || known.isRoot { return new == known }
    return new.counter == known.counter && actors[new.actor] == UInt32(known.actor)
  }

  @inline(__always)
  func areSame(
    _ new: Operation, _ known: Operation, _ pool: [UInt8], _ knownPool: [UInt8]
  ) -> Bool {
    areSame(new.id, known.id) && areSame(new.object, known.object)
      && areSame(new.element, known.element) && new.action == known.action
      && new.valueType == known.valueType
      && new.flags.intersection(.encoded) == known.flags.intersection(.encoded)
      && pool.areEqual(new.name, known.name, in: knownPool)
      && pool.areEqual(new.value, known.value, in: knownPool)
  }
}

extension Operation.Flags {
  /// Those that are part of the change.
  fileprivate static let encoded: Operation.Flags = [.insert, .mapKey, .expand, .markName]
}

extension [UInt8] {
  @inline(__always)
  fileprivate func areEqual(_ range: PoolRange, _ other: PoolRange, in bytes: [UInt8]) -> Bool {
    range.count == other.count && compare(range.range, to: bytes, other.range) == 0
  }
}

// MARK: Rebuilding the others

extension HistoryRebuilder {
  /// Finds the smallest counter of each change, as for all of them.
  mutating func findStarts(besides known: KnownChanges) throws(FormatError) {
    startCounters = document.changes.map { $0.maxCounter &+ 1 }
    for row in 0..<known.count { startCounters[row] = known.history.changes[row].startCounter }
    var mentions = [Int](repeating: 0, count: document.changes.count)
    for row in known.newRows { try mention(self.row(Int(row)).id, &mentions) }
    for successor in known.newSuccessors { try mention(successor.id, &mentions) }
    try countSlots(mentions, besides: known.count)
  }

  /// Finds the place of each operation of the others, and what it replaced.
  mutating func fillSlots(besides known: KnownChanges) throws(FormatError) {
    slots = [Int32](repeating: Self.vacant, count: firstSlots.last ?? 0)
    for row in known.newRows {
      let slot = try slot(of: self.row(Int(row)).id)
      guard slots[slot] == Self.vacant else { throw document.error(.duplicateOperation) }
      slots[slot] = row
    }
    var counts = [UInt32](repeating: 0, count: slots.count + 1)
    for successor in known.newSuccessors {
      try noteReplaced(Int(successor.row), by: successor.id, &counts)
    }
    guard !slots.contains(Self.vacant) else { throw document.error(.missingOperations) }
    for slot in counts.indices.dropFirst() { counts[slot] += counts[slot - 1] }
    predecessorStarts = counts
    predecessors = [OpID](repeating: .root, count: known.newSuccessors.count)
    for successor in known.newSuccessors {
      let slot = try slot(of: successor.id)
      predecessors[Int(counts[slot])] = row(Int(successor.row)).id
      counts[slot] += 1
    }
  }
}

extension History {
  /// Appends a change that another history has, without its chunk.
  ///
  /// - Parameters:
  ///   - row: its row there.
  ///   - actor: its author's number here.
  mutating func append(known history: History, row: Int, actor: UInt32) {
    let change = history.changes[row]
    let (message, extra) = appendDetails(
      of: history.chunks, message: change.message ?? .empty, extra: change.extra)
    append(
      hash: change.hash, actor: actor, sequence: change.sequence,
      startCounter: change.startCounter, operationCount: Int(change.operationCount),
      time: change.time, message: change.message.map { _ in message }, extra: extra,
      chunk: .empty, dependencies: history.dependencies(of: row), isListed: true)
  }
}
