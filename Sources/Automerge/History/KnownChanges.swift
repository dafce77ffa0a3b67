/// A document of which every hash was recomputed: its changes, and what they did.
struct KnownDocument {
  let history: History
  let actors: ActorTable
  /// Its operations, and the bytes that they name.
  let pages: [OperationPage]
  let pool: [UInt8]
}

/// The first changes of a document chunk, where they are the first ones of a known document.
///
/// A change is hashed over its row, its operations and what these replace. Where all that is the same,
/// the hash is, so that only the others have to be encoded. It is mostly so with a document that was
/// written a moment ago, with a few changes more than the one it was made of, and with copies.
struct KnownChanges {
  /// What is known of them.
  let history: History
  /// How many they are.
  let count: Int
  /// The rows of operations that other changes made, ascending.
  private(set) var newRows: [Int32] = []
  /// What other changes did to operations: the row of each, ascending, and the successor it got.
  private(set) var newSuccessors: [(row: Int32, id: OpID)] = []

  /// Compares a chunk with a document; nil if less than half of the chunk is as in that.
  ///
  /// - Parameters:
  ///   - pages: the operations of the chunk as they were loaded.
  ///   - needsChunks: whether the bytes of the changes are asked for, too.
  init?(
    of document: DocumentChunk, _ pages: [OperationPage], in known: KnownDocument,
    needsChunks: Bool
  ) {
    history = known.history
    let actors = document.actors.ids.map { known.actors.index(of: $0) }
    let most = min(history.count, document.changes.count)
    var count = 0
    while count < most,
      document.hasChange(count, of: history, actors, needsChunk: needsChunks)
    {
      count += 1
    }
    self.count = count
    guard count > 0, count >= document.changes.count / 2 else { return nil }
    let numbers = KnownNumbers(actors, known, changeCount: count)
    guard haveSameOperations(document, pages, known, numbers) else { return nil }
  }

  /// Goes through the operations of both in their order, which is the same but for those that are new, and
  /// notes these.
  private mutating func haveSameOperations(
    _ document: DocumentChunk, _ pages: [OperationPage], _ known: KnownDocument,
    _ numbers: KnownNumbers
  ) -> Bool {
    let (pool, knownPool) = (document.pool, known.pool)
    var old = KnownRows(known, numbers)
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
        guard let same = old.next(), numbers.areSame(operation, same, pool, knownPool),
          haveSameSuccessors(
            newPage.successors[operation.related], old.successors, of: operation.id, row, numbers)
        else { return false }
        row += 1
      }
    }
    return old.next() == nil
  }

  private mutating func haveSameSuccessors(
    _ successors: ArraySlice<OpID>, _ known: ArraySlice<OpID>, of id: OpID, _ row: Int32,
    _ numbers: KnownNumbers
  ) -> Bool {
    if successors.isEmpty, known.isEmpty { return true }
    var last = id
    var left = known.lazy.filter(numbers.isOfKnown)[...]
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

extension DocumentChunk {
  /// Whether a change has the same row as in a history; its operations are in no row.
  ///
  /// - Parameters:
  ///   - actors: for each actor its number there.
  ///   - needsChunk: whether the history is to have the bytes of the change.
  fileprivate func hasChange(
    _ row: Int, of history: History, _ actors: [Int?], needsChunk: Bool
  ) -> Bool {
    let (new, old) = (changes[row], history.changes[row])
    return actors[Int(new.actor)] == Int(old.actor) && new.sequence == old.sequence
      && new.maxCounter == old.maxCounter && new.time == old.time
      && dependencyRows[new.dependencies] == history.dependencyRows[old.dependencies]
      && (new.message == nil) == (old.message == nil)
      && pool.areEqual(new.message ?? .empty, old.message ?? .empty, in: history.chunks)
      && pool.areEqual(new.extra, old.extra, in: history.chunks)
      && (!needsChunk || history.keepsChunk(of: row))
  }
}

/// The operations of known changes in a document, in its order.
private struct KnownRows {
  private let pages: [OperationPage]
  private let numbers: KnownNumbers
  private var page = 0
  private var slot = -1

  init(_ known: KnownDocument, _ numbers: KnownNumbers) {
    pages = known.pages
    self.numbers = numbers
  }

  mutating func next() -> Operation? {
    while page < pages.count {
      slot += 1
      if slot == pages[page].count {
        (page, slot) = (page + 1, -1)
      } else if numbers.isOfKnown(pages[page].rows[slot].id) {
        return pages[page].rows[slot]
      }
    }
    return nil
  }

  /// What came after the last one, of changes that are not known, too.
  var successors: ArraySlice<OpID> {
    pages[page].hasSuccessors ? pages[page].successors(of: slot) : []
  }
}

/// The numbers that the actors of a chunk have in a document, and what is known of each.
private struct KnownNumbers {
  /// For each actor of the chunk its number in the document; beyond all for those that it does not have.
  private let actors: [Int]
  /// For each actor of the chunk the greatest counter of its known operations; 0 for none.
  private let counters: [UInt32]
  /// The same for each actor of the document.
  private let knownCounters: [UInt32]

  init(_ actors: [Int?], _ known: KnownDocument, changeCount: Int) {
    var counters = [UInt32](repeating: 0, count: known.actors.count)
    for change in known.history.changes.prefix(changeCount) {
      let actor = Int(change.actor)
      counters[actor] = max(counters[actor], change.maxCounter)
    }
    self.actors = actors.map { $0 ?? .max }
    self.counters = actors.map { $0.map { counters[$0] } ?? 0 }
    knownCounters = counters
  }

  /// Whether an operation of the chunk is one of a known change.
  @inline(__always)
  func isKnown(_ id: OpID) -> Bool { id.counter <= counters[id.actor] }

  /// Whether an operation of the document is one.
  @inline(__always)
  func isOfKnown(_ id: OpID) -> Bool { id.counter <= knownCounters[id.actor] }

  @inline(__always)
  func areSame(_ new: OpID, _ known: OpID) -> Bool {
    if new.isRoot || known.isRoot { return new == known }
    return new.counter == known.counter && actors[new.actor] == known.actor
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
