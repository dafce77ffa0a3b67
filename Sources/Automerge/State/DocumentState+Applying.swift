extension DocumentState {
  /// Applies the changes of a batch whose dependencies are here, queues the others and ignores
  /// what is known already (format.md 6.5).
  ///
  /// All or nothing: when a change does not fit, the document stays as it was.
  ///
  /// - Returns: the number of changes that were applied, earlier queued ones included.
  @discardableResult
  package mutating func apply(_ batch: ChangeBatch) throws(FormatError) -> Int {
    var refusal: FormatError?
    return try apply(batch, refusal: &refusal)
  }

  /// - Parameter refusal: is set to why a change that had waited does not fit what it builds on, if
  ///   one does not: it is dropped.
  @discardableResult
  mutating func apply(
    _ batch: ChangeBatch, refusal: inout FormatError?
  ) throws(FormatError) -> Int {
    commit()
    var count = try applyAtOnce(batch)
    while true {
      let released = queue.takeReleased(by: history)
      guard !released.isEmpty else { return count }
      count += applyReleased(released[...], &refusal)
    }
  }

  /// Applies changes that have waited. They were never checked against what they build on, so one
  /// that does not fit is dropped, and must not keep out those that are sound.
  private mutating func applyReleased(
    _ chunks: ArraySlice<[UInt8]>, _ refusal: inout FormatError?
  ) -> Int {
    do throws(FormatError) {
      var batch = ChangeBatch()
      try batch.append(parsing: Array(chunks.joined()), limits: .none)
      return try applyAtOnce(batch)
    } catch {
      guard chunks.count > 1 else {
        // It fits nowhere, here or elsewhere.
        refusal = refusal ?? error
        return 0
      }
      // The one at fault is found by halves. What builds on the other half waits for it again.
      let middle = chunks.startIndex + chunks.count / 2
      return applyReleased(chunks[..<middle], &refusal) + applyReleased(chunks[middle...], &refusal)
    }
  }

  private mutating func applyAtOnce(_ batch: ChangeBatch) throws(FormatError) -> Int {
    let plan = try ApplicationPlan(batch, history: history, actors: actors)
    guard !plan.placed.isEmpty else {
      queue.append(batch, entries: plan.waiting, history: history)
      return 0
    }
    // The op set is the last that can refuse.
    let checkpoint = operations.checkpoint
    operations.actors.insert(
      Set(plan.placed.map { batch.entries[$0].author }).map { batch.actors[Int($0)] })
    let indexes = batch.actors.map { actor in
      actors.index(of: actor).map(UInt32.init) ?? OpSet.unknownActor
    }
    do throws(Misfit) {
      try operations.apply(batch, entries: plan.placed, actors: indexes)
    } catch {
      operations.restore(checkpoint)
      throw FormatError(error.fact, at: batch.offset(of: error.operation, in: plan, indexes))
    }
    history.setActors(count: actors.count)
    append(batch, plan, indexes)
    queue.append(batch, entries: plan.waiting, history: history)
    return plan.placed.count
  }

  /// Returns the heads, ascending, and the greatest operation counter that applying a batch would
  /// lead to, without applying it.
  package func outlook(
    applying batch: ChangeBatch
  ) throws(FormatError) -> (heads: [ChangeHash], maxCounter: UInt32) {
    var batch = batch
    // What waits may be released.
    if !queue.isEmpty { try batch.append(parsing: queue.chunks, limits: .none) }
    let plan = try ApplicationPlan(batch, history: history, actors: actors)
    var isDependedOn = Set<UInt32>()
    for rows in plan.dependencyRows { isDependedOn.formUnion(rows) }
    var heads = history.headRows.filter { !isDependedOn.contains(UInt32($0)) }
      .map { history.changes[$0].hash }
    var maxCounter = history.maxCounter
    for (place, index) in plan.placed.enumerated() {
      maxCounter = max(maxCounter, batch.entries[index].maxCounter)
      if !isDependedOn.contains(UInt32(history.count + place)) {
        heads.append(batch.entries[index].hash)
      }
    }
    return (heads.sorted(), maxCounter)
  }

  private mutating func append(_ batch: ChangeBatch, _ plan: ApplicationPlan, _ actors: [UInt32]) {
    let isWhole = plan.placed.count == batch.count
    history.reserveCapacity(
      changes: plan.placed.count, chunkBytes: isWhole ? 0 : batch.chunks.count)
    let wholeShift = isWhole ? history.appendChunks(batch.chunks) : 0
    for (index, dependencies) in zip(plan.placed, plan.dependencyRows) {
      let entry = batch.entries[index]
      // Taking all chunks over at once is one copy; otherwise only what was placed.
      let shift =
        isWhole
        ? wholeShift
        : history.appendChunks([UInt8](batch.chunks[entry.chunk.range])) - Int(entry.chunk.start)
      history.append(
        hash: entry.hash, actor: actors[Int(entry.author)], sequence: entry.sequence,
        startCounter: entry.startCounter, operationCount: entry.operations.count,
        time: entry.time, message: entry.message.count > 0 ? entry.message.moved(by: shift) : nil,
        extra: entry.extra.moved(by: shift), chunk: History.Chunk(entry.chunk.moved(by: shift)),
        dependencies: dependencies)
    }
  }
}

extension ChangeBatch {
  /// Returns where the change with an operation begins in the input.
  fileprivate func offset(
    of operation: OpID, in plan: ApplicationPlan, _ actors: [UInt32]
  ) -> Int {
    let index = plan.placed.first { index in
      let entry = entries[index]
      return actors[Int(entry.author)] == operation.actor
        && entry.startCounter <= operation.counter && operation.counter <= entry.maxCounter
    }
    return index.map { entries[$0].offset } ?? 0
  }
}
