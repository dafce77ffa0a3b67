/// What can still be read of a damaged file.
///
/// Changes that verify are applied as ever. Of everything else the operations are read one by one,
/// put in the order that all replicas agree on, and added where what they are on is there; they are
/// values somebody may have written, and nothing proves it. So the result is for reading: it has
/// lost its identity, and its history holds the changes that verify only.
package struct SalvagedDocument: Sendable {
  /// The document as it can be read. Only its changes that verify are in its history.
  package private(set) var state: DocumentState
  /// The file, stretch by stretch.
  package private(set) var pieces: [SalvagedPiece]
  /// Changes that are named and not there.
  package private(set) var missingChanges: [ChangeHash]
  /// The keys and elements whose last value could not be read.
  package private(set) var lostValues: [LostValue] = []
  /// The operations that were added without proof.
  package private(set) var readableCount = 0
  /// The operations that were there and could not be read or are on nothing that is there.
  package private(set) var lostCount = 0
  /// The deletions of values that verify, by operations that do not: they were not followed.
  package private(set) var ignoredDeletionCount = 0
  /// Whether overwritten and deleted values may be among those that readers see.
  package private(set) var lacksSuccessors: Bool

  /// A key or an element whose value could not be read.
  package struct LostValue: Hashable, Sendable {
    package let object: OpID
    /// The bytes of the key; nil in a list or text.
    package let key: [UInt8]?
  }

  /// Limits for files that are known to be damaged: what they claim is worth less.
  package static let limits: LoadLimits = {
    var limits = LoadLimits.standard
    limits.operationCount = 8_000_000
    limits.baseOperationCount = 100_000
    limits.operationsPerByte = 8
    limits.inflatedByteCount = 1 << 28
    // What is found is written again, read again and compared.
    limits.memoryByteCount = 80 << 20
    return limits
  }()

  /// Reads what can be read of `bytes`; always ends, with nothing at worst.
  ///
  /// - Parameter labels: what authors may be derived with. A change with such an author proves
  ///   itself and what it builds on.
  package init(
    salvaging bytes: [UInt8], labels: [StaticString], limits: LoadLimits = limits
  ) {
    var search = ChunkSearch(bytes, labels: labels, limits: limits)
    search.run()
    pieces = search.pieces
    state = search.state
    missingChanges = search.missingChanges
    lacksSuccessors = search.loose.lacksSuccessors
    lostCount = search.loose.unreadCount
    add(search.loose)
  }

  /// Whether the change that made an operation verifies.
  package func isVerified(_ id: OpID) -> Bool { state.history.holds(id) }

  /// Whether everything in the file verifies and nothing is missing.
  package var isWhole: Bool {
    missingChanges.isEmpty && readableCount == 0 && lostCount == 0 && ignoredDeletionCount == 0
      && pieces.allSatisfy { $0.outcome == .verified }
  }

  // MARK: Operations without proof

  private mutating func add(_ loose: LooseOperations) {
    guard !loose.operations.isEmpty || !loose.withoutValue.isEmpty else { return }
    let numbers = state.insertActors(loose.actors)
    let shift = state.operations.pool.count
    guard shift + loose.pool.count <= Int(UInt32.max) else {
      lostCount += loose.operations.count
      return
    }
    state.operations.pool.append(contentsOf: loose.pool)
    let ranks = state.actors.ranks
    let ids = loose.operations.map { $0.id.renumbered(numbers) }
    var order = Array(ids.indices)
    // Of two operations with one name the first to be read stays.
    order.sort { ids[$0] == ids[$1] ? $0 < $1 : ids[$0].precedes(ids[$1], ranks) }
    var last = OpID.root
    for index in order where ids[index] != last {
      last = ids[index]
      guard !state.history.holds(last) else { continue }
      let original = loose.operations[index]
      var operation = original
      operation.id = last
      operation.object = original.object.renumbered(numbers)
      operation.element = original.element.renumbered(numbers)
      operation.name = original.name.moved(by: shift)
      operation.value = original.value.moved(by: shift)
      operation.flags.subtract([.visible, .winner])
      operation.relatedStart = 0
      operation.relatedCount = 0
      var predecessors = original.related.map { loose.predecessors[$0].renumbered(numbers) }
      if index < loose.credibleStart, operation.action != .increment {
        // What may be garbage must not hide what verifies: both are there to be seen.
        predecessors.removeAll { state.history.holds($0) }
        if operation.action == .delete, predecessors.isEmpty, original.relatedCount > 0 {
          ignoredDeletionCount += 1
          continue
        }
      }
      // An increment that never named a counter has no effect that could be lost.
      let needsTarget =
        operation.action == .delete
        || operation.action == .increment && (original.relatedCount > 0 || loose.lacksSuccessors)
      if state.operations.applyReadable(
        operation, predecessors: predecessors, needsTarget: needsTarget)
      {
        readableCount += 1
      } else {
        lostCount += 1
      }
    }
    for operation in loose.withoutValue {
      let id = operation.id.renumbered(numbers)
      if state.history.holds(id) {
        lostCount -= 1
        continue
      }
      lostValues.append(
        LostValue(
          object: operation.object.renumbered(numbers),
          key: operation.isMapOperation ? [UInt8](loose.pool[operation.name.range]) : nil))
    }
  }
}

extension DocumentState {
  /// Makes actors known and returns their numbers.
  fileprivate mutating func insertActors(_ others: [ActorId]) -> [UInt32] {
    operations.actors.insert(others)
    history.setActors(count: actors.count)
    return others.map { UInt32(truncatingIfNeeded: actors.index(of: $0) ?? 0) }
  }
}

extension History {
  /// Whether an operation belongs to a change that is here. Logarithmic.
  func holds(_ id: OpID) -> Bool {
    guard id.actor < rowsOfActor.count else { return false }
    let row = rowsOfActor.first(of: id.actor, reaching: id.counter) { changes[Int($0)].maxCounter }
    return row.map { changes[Int($0)].startCounter <= id.counter } ?? false
  }
}
