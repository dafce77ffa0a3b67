extension DocumentState {
  /// Opens a transaction if none is open.
  ///
  /// To be called when an operation is certain to be made: a change without operations is no change,
  /// and its author may be new.
  ///
  /// - Throws: `DocError` when the counters have no room for `count` operations.
  mutating func begin(by author: ActorId, operations count: Int) throws(DocError) {
    let startCounter = history.maxCounter &+ 1
    let room = transaction?.capacity ?? Int(UInt32.max - startCounter)
    guard count <= room else { throw DocError(reason: .tooLarge) }
    guard transaction == nil else { return }
    if actors.index(of: author) == nil {
      operations.actors.insert([author])
      history.setActors(count: actors.count)
    }
    let actor = actors.index(of: author) ?? 0
    transaction = Transaction(
      actor: UInt32(actor), sequence: UInt32(history.rowsOfActor.count(of: actor) + 1),
      startCounter: startCounter)
  }

  /// Closes the open transaction, if there is one, and makes its operations a change.
  ///
  /// - Parameters:
  ///   - time: seconds since 1970; 0 for not given.
  ///   - message: empty for none.
  mutating func commit(time: Int64 = 0, message: String = "") {
    guard let transaction else { return }
    self.transaction = nil
    var dependencies = history.headRows
    if let last = history.rowsOfActor.last(of: Int(transaction.actor)),
      !dependencies.contains(Int(last))
    {
      dependencies.append(Int(last))
    }
    dependencies.sort { history.changes[$0].hash < history.changes[$1].hash }

    var localIndexes = [UInt32](repeating: 0, count: actors.count)
    let others = transaction.otherActors(actors.ranks)
    for (index, actor) in others.enumerated() { localIndexes[actor] = UInt32(index + 1) }

    encoder.begin()
    for operation in transaction.operations {
      encoder.append(
        operation, related: transaction.predecessors, pool: operations.pool, actors: localIndexes)
    }
    encoder.finish(
      ChangeHeader(
        dependencies: dependencies.map { history.changes[$0].hash },
        author: actors[Int(transaction.actor)], sequence: transaction.sequence,
        startCounter: transaction.startCounter, time: time, message: [UInt8](message.utf8),
        otherActors: others.map { actors[$0] }),
      hasOperations: true, pool: operations.pool, actors: localIndexes)
    let content = history.take(&encoder, keepsChunk: true)
    history.append(
      hash: content.hash, actor: transaction.actor,
      sequence: transaction.sequence, startCounter: transaction.startCounter,
      operationCount: transaction.operations.count, time: time,
      message: message.isEmpty ? nil : content.message, extra: .empty, chunk: content.chunk,
      dependencies: dependencies.map { UInt32($0) })
    // A waiting change of this author with the sequence number just taken can never be applied.
    if !queue.isEmpty { queue.removeChanges(by: actors[Int(transaction.actor)]) }
  }
}

extension Transaction {
  /// Returns the actors that the operations name besides the author, ascending by their ids.
  func otherActors(_ ranks: [UInt32]) -> [Int] {
    var isNamed = [Bool](repeating: false, count: ranks.count)
    var named: [Int] = []
    isNamed[Int(actor)] = true
    func note(_ id: OpID) {
      guard !id.isRoot, !isNamed[id.actor] else { return }
      isNamed[id.actor] = true
      named.append(id.actor)
    }
    for operation in operations {
      note(operation.object)
      note(operation.element)
    }
    for predecessor in predecessors { note(predecessor) }
    if named.count > 1 { named.sort { ranks[$0] < ranks[$1] } }
    return named
  }
}
