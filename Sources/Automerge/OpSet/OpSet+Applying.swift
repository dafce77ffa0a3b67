extension OpSet {
  /// The number that stands for an actor without changes in the document.
  static let unknownActor = UInt32.max

  /// Adds the operations of some changes of a batch, one after another (format.md 6.5).
  ///
  /// An operation that does not fit ends it half done: take a checkpoint before.
  ///
  /// - Parameters:
  ///   - entries: which changes of the batch, in causal order.
  ///   - actors: the document's number for each actor of the batch, or `unknownActor`.
  mutating func apply(
    _ batch: ChangeBatch, entries: [Int], actors: [UInt32]
  ) throws(Misfit) {
    guard pool.count + batch.pool.count <= Int(UInt32.max) else {
      throw Misfit(.limitExceeded(.poolByteCount, UInt64(UInt32.max)), .root)
    }
    let shift = pool.count
    if pool.isEmpty { pool = batch.pool } else { pool.append(contentsOf: batch.pool) }
    for entry in entries {
      for index in batch.entries[entry].operations {
        let original = batch.operations[index]
        let id = OpID(counter: original.id.counter, actor: actors[original.id.actor])
        var operation = original
        operation.id = id
        operation.object = try Self.renumber(original.object, actors, for: id)
        operation.element = try Self.renumber(original.element, actors, for: id)
        operation.name = original.name.moved(by: shift)
        operation.value = original.value.moved(by: shift)
        let group = try place(operation)
        for related in original.related {
          let target = try Self.renumber(batch.predecessors[related], actors, for: id)
          guard let place = self.place(of: target, in: group.rows) else {
            throw Misfit(.unknownPredecessor, id)
          }
          guard precedes(target, id) else { throw Misfit(.objectFromTheFuture, id) }
          link(id, operation.action, to: place)
        }
        add(&operation, to: group.rows, at: group.insertion, in: group.kind)
      }
    }
  }

  /// Adds an operation that was read without proof, if the key or element it is on is here; its
  /// strings are in the pool already. Predecessors that are missing are passed over.
  ///
  /// - Parameter needsTarget: whether the operation means nothing without one of its predecessors.
  /// - Returns: whether it was added.
  mutating func applyReadable(
    _ operation: Operation, predecessors: [OpID], needsTarget: Bool
  ) -> Bool {
    // What does not fit is told by the result.
    guard let home = try? place(operation) else { return false }
    let targets = predecessors.compactMap { predecessor in
      precedes(predecessor, operation.id) ? place(of: predecessor, in: home.rows) : nil
    }
    guard !needsTarget || !targets.isEmpty else { return false }
    for target in targets { link(operation.id, operation.action, to: target) }
    var operation = operation
    add(&operation, to: home.rows, at: home.insertion, in: home.kind)
    return true
  }

  @inline(__always)
  private static func renumber(
    _ id: OpID, _ actors: [UInt32], for operation: OpID
  ) throws(Misfit) -> OpID {
    guard !id.isRoot else { return id }
    let actor = actors[id.actor]
    guard actor != unknownActor else { throw Misfit(.unknownPredecessor, operation) }
    return OpID(counter: id.counter, actor: actor)
  }

  /// Where an operation belongs.
  private struct Home {
    /// What was done to its key or element before; empty for an insert.
    let rows: Group
    let insertion: Place
    let kind: ObjectKind
  }

  private mutating func place(_ operation: Operation) throws(Misfit) -> Home {
    let id = operation.id
    guard precedes(operation.object, id), precedes(operation.element, id) else {
      throw Misfit(.objectFromTheFuture, id)
    }
    guard let object = objects[operation.object] else { throw Misfit(.unknownObject, id) }
    guard object.kind.isSequence != operation.isMapOperation,
      operation.action != .mark || object.kind == .text
    else { throw Misfit(.wrongObjectKind, id) }
    if operation.isMapOperation {
      let rows = group(of: operation.object, key: operation.name.range, in: pool)
      return Home(rows: rows, insertion: insertionPlace(for: id, in: rows), kind: object.kind)
    }
    if operation.isInsert {
      let insertion = try insertionPlace(ofInsert: operation)
      return Home(
        rows: Group(start: insertion, end: insertion), insertion: insertion, kind: object.kind)
    }
    guard let element = place(ofElement: operation.element, in: operation.object) else {
      throw Misfit(.unknownElement, id)
    }
    let rows = group(from: element)
    return Home(rows: rows, insertion: insertionPlace(for: id, in: rows), kind: object.kind)
  }

  /// Returns where an insert goes: behind its reference and all that was inserted there later
  /// (format.md 5.5).
  private mutating func insertionPlace(
    ofInsert operation: Operation
  ) throws(Misfit) -> Place {
    var place: Place
    if operation.element.isRoot {
      place = start(of: operation.object)
    } else {
      guard let reference = self.place(ofElement: operation.element, in: operation.object) else {
        throw Misfit(.unknownElement, operation.id)
      }
      place = group(from: reference).end
    }
    while place.page < directory.count {
      if place.slot == 0 {
        place.page = directory.page(
          from: place.page, of: operation.object, withInsertUpTo: operation.id, ranks)
      }
      let row = self[place]
      guard row.object == operation.object, !row.isInsert || precedes(operation.id, row.id) else {
        break
      }
      place = after(place)
    }
    return place
  }

  /// Puts an operation whose predecessors are linked into its group and lets readers see what they
  /// now should.
  private mutating func add(
    _ operation: inout Operation, to group: Group, at place: Place, in kind: ObjectKind
  ) {
    operation.flags.subtract([.visible, .winner])
    let winner = winner(in: group)
    if operation.isValue {
      operation.width = width(of: operation, in: kind)
      let isLast = winner.map { precedes(self[$0].id, operation.id) } ?? true
      operation.flags.formUnion(isLast ? [.visible, .winner] : .visible)
    }
    if let winner { setVisible(winner, isWinner: !operation.isWinner) }
    guard operation.action != .delete else { return }
    insert(operation, at: place)
    objects.insert(madeBy: operation)
  }
}
