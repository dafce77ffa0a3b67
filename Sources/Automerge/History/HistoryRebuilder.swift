/// Rebuilds every change of a document chunk from its operation rows, so that each can be hashed
/// and the heads compared (format.md 4.6).
///
/// Linear: the operations of a change have consecutive counters, so once the smallest counter of
/// each change is known, every operation has its slot and nothing has to be sorted. Deletes have no
/// rows; they are known only as successors.
struct HistoryRebuilder {
  let document: DocumentChunk
  let pages: [OperationPage]
  let rowCount: Int
  let successorCount: Int
  var rowsOfActor: ActorRows
  /// The first changes, if they need not be rebuilt.
  private let known: KnownChanges?
  /// Per change: the counter of its first operation and the slot of that operation.
  var startCounters: [UInt32] = []
  var firstSlots: [Int] = []
  /// Per operation: the row it stands in, or `~row` of one it deletes, or nothing yet.
  var slots: [Int32] = []
  var predecessorStarts: [UInt32] = []
  var predecessors: [OpID] = []

  static let vacant = Int32.min

  /// Checks the change rows and finds each operation's place.
  ///
  /// - Parameters:
  ///   - pages: the document's operations as they were loaded.
  ///   - known: its first changes, if they were found to be those of another document. Their operations
  ///     get no places.
  init(
    _ document: DocumentChunk, _ pages: [OperationPage], besides known: KnownChanges? = nil
  ) throws(FormatError) {
    self.document = document
    self.pages = pages
    self.known = known
    rowCount = pages.reduce(0) { $0 + $1.count }
    successorCount = pages.reduce(0) { $0 + $1.successors.count }
    rowsOfActor = ActorRows(actorCount: document.actors.count)
    guard rowCount < Int32.max else {
      throw document.error(.limitExceeded(.operations, UInt64(Int32.max)))
    }
    try indexChanges()
    if let known {
      try findStarts(besides: known)
      try fillSlots(besides: known)
      return
    }
    try findStarts()
    try fillSlots()
    try collectPredecessors()
  }

  /// Encodes and hashes every change.
  ///
  /// - Parameters:
  ///   - comparesHeads: whether the heads must be the stored ones, without which nothing is proven.
  ///   - kept: the changes whose bytes the history is to hold.
  func rebuild(
    budget: inout LoadBudget, comparesHeads: Bool = true, keeping kept: KeptChunks = .all
  ) throws(FormatError) -> History {
    var history = History()
    history.setRows(ofActors: rowsOfActor)
    history.reserveCapacity(
      changes: document.changes.count, chunkBytes: likelyChunkByteCount(keeping: kept))
    var encoder = ChangeEncoder()
    var named = NamedActors(count: document.actors.count)
    var past = CausalPast(after: History())
    var runs: [FollowerRun] = []
    var header = ChangeHeader(author: ActorId(bytes: []), sequence: 1, startCounter: 1)
    for (row, change) in document.changes.enumerated() {
      if let known, row < known.count {
        past.append(dependencies: known.history.dependencies(of: row))
        history.append(
          known: known.history, row: row, actor: change.actor, keepsChunk: kept != .none)
        continue
      }
      let author = Int(change.actor)
      let slots = firstSlots[row]..<firstSlots[row + 1]

      findRuns(in: slots, &runs)
      named.begin(change: row, of: author)
      forEachReference(in: slots, besides: runs) { named.note($0) }
      named.end()

      let great = kept == .all ? nil : greatChange(of: slots)
      if let great { encoder.begin(besides: great.absent) } else { encoder.begin() }
      var previous: Operation?
      var (slot, run) = (slots.lowerBound, 0)
      while slot < slots.upperBound {
        let operation = operation(at: slot, author: change.actor, change: row)
        try operation.checkShape(
          predecessors: predecessors, actors: document.actors.ids, at: document.operationsOffset)
        if let last = previous, operation.follows(last) {
          encoder.appendFollower(operation, pool: document.pool, actors: named.localIndexes)
          previous = operation
        } else {
          previous = operation
          encoder.append(
            operation, related: predecessors, pool: document.pool, actors: named.localIndexes)
        }
        slot += 1
        guard run < runs.count, runs[run].first == slot else { continue }
        let (page, place) = Self.place(of: Int(self.slots[slot]))
        for row in pages[page].rows[place..<place + runs[run].count] {
          encoder.appendFollower(row, pool: document.pool, actors: named.localIndexes)
          previous = row
        }
        slot += runs[run].count
        run += 1
      }
      let dependencies = document.dependencyRows[change.dependencies]
      for dependency in dependencies
      where history.changes[Int(dependency)].maxCounter >= startCounters[row] {
        throw document.error(.startCounterNotAfterDependencies)
      }
      // A change that does not build on its author's last one could not be applied anywhere else.
      if change.sequence > 1 {
        let last = rowsOfActor.row(of: author, at: Int(change.sequence) - 2)
        // Mostly an author goes on from where it was.
        if !dependencies.contains(last) {
          guard
            try past.includes(
              last, of: rowsOfActor[author], under: dependencies,
              at: document.operationsOffset, dependenciesOf: { history.dependencies(of: Int($0)) })
          else { throw document.error(.ownHistoryNotInDependencies) }
        }
      }
      if !named.others.isEmpty {
        try checkReferences(to: named, dependencies, before: row, &past) {
          history.dependencies(of: Int($0))
        }
      }
      past.append(dependencies: dependencies)
      // One header serves all changes, so that its arrays are allocated once.
      header.dependencies.removeAll(keepingCapacity: true)
      for dependency in dependencies {
        header.dependencies.append(history.changes[Int(dependency)].hash)
      }
      header.author = document.actors[author]
      header.sequence = change.sequence
      header.startCounter = startCounters[row]
      header.time = change.time
      header.message.removeAll(keepingCapacity: true)
      header.message.append(from: document.pool, (change.message ?? .empty).range)
      header.otherActors.removeAll(keepingCapacity: true)
      for actor in named.others { header.otherActors.append(document.actors[actor]) }
      header.extra.removeAll(keepingCapacity: true)
      header.extra.append(from: document.pool, change.extra.range)
      let content: History.Content
      if let great {
        let (hash, byteCount) = encoder.hash(header, pool: document.pool) { column, hash in
          self.append(column, of: great, to: &hash)
        }
        try charge(for: byteCount, in: history, &budget)
        content = history.leaveOut(encoder, hash: hash, byteCount: byteCount)
      } else {
        encoder.finish(
          header, hasOperations: !slots.isEmpty, pool: document.pool, actors: named.localIndexes)
        try charge(for: encoder.body.count, in: history, &budget)
        content = history.take(&encoder, keepsChunk: kept != .none)
      }
      history.append(
        hash: content.hash, actor: change.actor, sequence: change.sequence,
        startCounter: startCounters[row], operationCount: slots.count, time: change.time,
        message: change.message.map { _ in content.message }, extra: content.extra,
        chunk: content.chunk,
        dependencies: dependencies, isListed: true)
    }
    guard !comparesHeads || Set(history.heads) == Set(document.heads) else {
      throw document.error(.headsMismatch)
    }
    return history
  }

  /// Spends what a change costs; throws, too, where all of them have more bytes than ranges reach.
  private func charge(
    for byteCount: Int, in history: History, _ budget: inout LoadBudget
  ) throws(FormatError) {
    let offset = document.operationsOffset
    try budget.spend(byteCount, LoadBudget.Cost.chunkByte, at: offset)
    let sum = history.chunkByteCount + byteCount + ChunkHeader.mostByteCount
    guard sum <= Int(UInt32.max) else {
      throw FormatError(.limitExceeded(.poolByteCount, UInt64(UInt32.max)), at: offset)
    }
  }

  /// About how many bytes the chunks have that are kept: an array that grows is for a moment there
  /// twice, and what is not written to costs nothing. Where some may be left out it is not known, and 0.
  private func likelyChunkByteCount(keeping kept: KeptChunks) -> Int {
    if kept == .none { return 0 }
    if kept == .allButGreat {
      let counts = zip(firstSlots.dropFirst(), firstSlots).lazy.map { $0 - $1 }
      if counts.contains(where: { $0 >= KeptChunks.greatOperationCount }) { return 0 }
    }
    let contentByteCount = document.pool.count + document.nameByteCount
    return contentByteCount + 128 * document.changes.count + 4 * rowCount
  }

  /// Throws if a change names an operation that its author cannot have seen.
  ///
  /// - Parameters:
  ///   - named: the other actors that it names operations of.
  ///   - count: the number of the change, and of those that were rebuilt.
  private func checkReferences(
    to named: NamedActors, _ dependencies: ArraySlice<UInt32>, before count: Int,
    _ past: inout CausalPast, dependenciesOf: (UInt32) -> ArraySlice<UInt32>
  ) throws(FormatError) {
    guard !past.isWhole(under: dependencies) else { return }
    for actor in named.others where named.youngest[actor] > 0 {
      let id = OpID(counter: named.youngest[actor], actor: UInt32(truncatingIfNeeded: actor))
      let row = UInt32(try change(of: id))
      // A change still to come is as unknown as one on another branch.
      guard row < count,
        try past.includes(
          row, of: rowsOfActor[actor], under: dependencies, at: document.operationsOffset,
          dependenciesOf: dependenciesOf)
      else {
        throw document.error(.operationOutsidePast)
      }
    }
  }

  /// The other actors whose operations a change names, for one change after the other.
  private struct NamedActors {
    /// Their numbers in the document, ascending.
    private(set) var others: [Int] = []
    /// Of what a change names of each of them, the greatest counter. An author's changes build on one
    /// another, so that this one decides.
    private(set) var youngest: [UInt32]
    /// The numbers that actors have in the change, where they have one.
    private(set) var localIndexes: [UInt32]
    /// The change that named each actor last.
    private var lastSeen: [Int]
    private var (change, author) = (-1, -1)

    init(count: Int) {
      youngest = Array(repeating: 0, count: count)
      localIndexes = Array(repeating: 0, count: count)
      lastSeen = Array(repeating: -1, count: count)
    }

    mutating func begin(change: Int, of author: Int) {
      others.removeAll(keepingCapacity: true)
      localIndexes[author] = 0
      (self.change, self.author) = (change, author)
    }

    @inline(__always)
    mutating func note(_ id: OpID) {
      guard id.actor != author else { return }
      if lastSeen[id.actor] != change {
        lastSeen[id.actor] = change
        others.append(id.actor)
        youngest[id.actor] = id.counter
      } else if youngest[id.actor] < id.counter {
        youngest[id.actor] = id.counter
      }
    }

    mutating func end() {
      if others.count > 1 { others.sort() }
      for (index, actor) in others.enumerated() { localIndexes[actor] = UInt32(index + 1) }
    }
  }

  // MARK: Operations

  @inline(__always)
  static func place(of row: Int) -> (page: Int, slot: Int) {
    (row / OperationPage.loadedCount, row % OperationPage.loadedCount)
  }

  @inline(__always)
  func row(_ row: Int) -> Operation {
    let (page, slot) = Self.place(of: row)
    return pages[page].rows[slot]
  }

  /// Returns the operation in a slot as its change has it, with predecessors.
  @inline(__always)
  private func operation(at slot: Int, author: UInt32, change: Int) -> Operation {
    let row = slots[slot]
    var operation: Operation
    if row >= 0 {
      operation = self.row(Int(row))
    } else {
      let deleted = self.row(Int(~row))
      let counter = startCounters[change] + UInt32(slot - firstSlots[change])
      operation = Operation(
        id: OpID(counter: counter, actor: author), object: deleted.object, action: .delete)
      if deleted.isMapOperation {
        operation.name = deleted.name
        operation.flags = .mapKey
      } else {
        operation.element = deleted.ownElement
      }
    }
    let predecessors = predecessorRange(of: slot)
    operation.relatedStart = predecessors.lowerBound
    operation.relatedCount = predecessors.upperBound - predecessors.lowerBound
    return operation
  }

  @inline(__always)
  private func predecessorRange(of slot: Int) -> Range<UInt32> {
    predecessorStarts.isEmpty ? 0..<0 : predecessorStarts[slot]..<predecessorStarts[slot + 1]
  }

  /// Slots whose operations follow each the one in the slot before (`Operation.follows(_:)`), and whose
  /// rows stand one behind the other in a page: so it is with nearly all of a text. Such inserts have the
  /// shape they should have.
  private struct FollowerRun {
    let first: Int
    let count: Int
  }

  /// Finds such runs among the operations of one change.
  @inline(__always)
  private func findRuns(in slots: Range<Int>, _ runs: inout [FollowerRun]) {
    if !runs.isEmpty { runs.removeAll(keepingCapacity: true) }
    var first = slots.lowerBound + 1
    while first < slots.upperBound {
      let count = followerCount(from: first, to: slots.upperBound)
      if count > 0 { runs.append(FollowerRun(first: first, count: count)) }
      first += count + 1
    }
  }

  @inline(__always)
  private func followerCount(from first: Int, to end: Int) -> Int {
    let before = slots[first - 1]
    guard before >= 0, slots[first] == before + 1 else { return 0 }
    let (page, place) = Self.place(of: Int(before) + 1)
    guard place > 0, pages[page].rows[place].canBeFollowed else { return 0 }
    return followerCount(from: first, to: end, rowsFrom: Int(before) + 1)
  }

  /// Counts them where there may be some; apart, as to hold a page's rows costs every operation.
  @inline(never)
  private func followerCount(from first: Int, to end: Int, rowsFrom firstRow: Int) -> Int {
    let (page, place) = Self.place(of: firstRow)
    let rows = pages[page].rows
    let limit = min(end - first, rows.count - place)
    var count = 0
    while count < limit, Int(slots[first + count]) == firstRow + count,
      rows[place + count].follows(rows[place + count - 1]),
      predecessorRange(of: first + count).isEmpty
    {
      count += 1
    }
    return count
  }

  /// Calls `body` with every operation that the operations in `slots` name, those of one change.
  ///
  /// - Parameter runs: those of them that follow others. They name what these name, and these.
  @inline(__always)
  private func forEachReference(
    in slots: Range<Int>, besides runs: [FollowerRun], _ body: (OpID) -> Void
  ) {
    var (slot, run) = (slots.lowerBound, 0)
    while slot < slots.upperBound {
      let row = self.slots[slot]
      let operation = self.row(Int(row >= 0 ? row : ~row))
      if !operation.object.isRoot { body(operation.object) }
      let element = row >= 0 ? operation.element : operation.ownElement
      if !operation.isMapOperation, !element.isRoot { body(element) }
      for index in predecessorRange(of: slot) {
        body(predecessors[Int(index)])
      }
      slot += 1
      if run < runs.count, runs[run].first == slot {
        slot += runs[run].count
        run += 1
      }
    }
  }
}

extension DocumentChunk {
  func error(_ fact: FormatError.Fact) -> FormatError {
    FormatError(fact, at: operationsOffset)
  }
}

extension Operation {
  /// Whether both are on the same key of the same map or the same element of the same list.
  func isOnSameKey(as other: Operation, pool: [UInt8]) -> Bool {
    guard object == other.object, isMapOperation == other.isMapOperation else { return false }
    return isMapOperation
      ? pool.areEqual(name.range, other.name.range) : ownElement == other.ownElement
  }
}
