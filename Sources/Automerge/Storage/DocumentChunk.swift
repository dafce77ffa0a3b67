/// A document chunk taken apart, before anything is known about how its parts fit together
/// (format.md 4.1 to 4.3).
struct DocumentChunk {
  struct ChangeRow {
    let actor: UInt32
    let sequence: UInt32
    let maxCounter: UInt32
    let time: Int64
    /// In `pool`, like `extra`; nil for none, which documents tell from an empty one.
    let message: PoolRange?
    let extra: PoolRange
    let dependencies: Range<Int>
  }

  private(set) var actors = ActorTable()
  private(set) var heads: [ChangeHash] = []
  private(set) var changes: [ChangeRow] = []
  private(set) var dependencyRows: [UInt32] = []
  /// Each but the last has `OperationPage.loadedCount` rows.
  private(set) var pages: [OperationPage] = []
  private(set) var pool: [UInt8] = []
  /// How many bytes keys and the names of marks have, each as often as it is used.
  private(set) var nameByteCount = 0

  /// Where the chunk's body and its operation columns start in the input.
  let bodyOffset: Int
  private(set) var operationsOffset = 0

  /// Parses the body of a document chunk.
  ///
  /// - Parameter isTailNeeded: whether what follows the columns must be whole. Nothing in it is
  ///   needed to rebuild the changes.
  init(
    _ header: ChunkHeader, budget: inout LoadBudget, isTailNeeded: Bool = true
  ) throws(FormatError) {
    let limits = budget.limits
    var body = header.body
    bodyOffset = body.offset
    let actorsStart = body
    guard let actors = ActorTable(ascending: try body.readActors(limits: limits)) else {
      throw actorsStart.error(.actorsNotAscending)
    }
    self.actors = actors
    try budget.spend(actors.count, LoadBudget.Cost.actor, at: bodyOffset)
    heads = try body.readHashes(limits: limits)
    let changeLayout = try ColumnLayout(&body, allowsDeflate: true)
    let operationLayout = try ColumnLayout(&body, allowsDeflate: true)
    var changeColumns = try changeLayout.readData(&body, budget: &budget)
    operationsOffset = body.offset
    var operationColumns = try operationLayout.readData(&body, budget: &budget)

    try readChanges(&changeColumns, budget: &budget)
    try readOperations(&operationColumns, budget: &budget)

    guard isTailNeeded else { return }
    // Very old files lack the head indexes; nobody needs their values.
    if !body.isAtEnd {
      for _ in heads { _ = try body.readULEB() }
    }
    try body.expectEnd()
  }

  // MARK: Changes

  private mutating func readChanges(
    _ columns: inout ColumnData, budget: inout LoadBudget
  ) throws(FormatError) {
    guard let actorColumn = columns.takeOptional(.changeActor) else {
      try columns.expectNoneLeft()
      return
    }
    var actor = RunLengthDecoder<UInt64>(actorColumn, column: .changeActor)
    let count = try actor.countRows(
      limit: min(
        budget.limits.changeCount, budget.operationCount, budget.count(of: LoadBudget.Cost.change)))
    try budget.spend(count, LoadBudget.Cost.change, at: actorColumn.offset)
    let dependencyLimit = min(
      budget.operationCount, budget.count(of: LoadBudget.Cost.dependency))
    var sequence = DeltaDecoder(
      try columns.takeRequired(.changeSequence), column: .changeSequence)
    var maxCounter = DeltaDecoder(
      try columns.takeRequired(.changeMaxCounter), column: .changeMaxCounter)
    var time = DeltaDecoder(try columns.takeRequired(.changeTime), column: .changeTime)
    let messages = columns.takeOptional(.changeMessage)
    var message = messages.map { RunLengthDecoder<PoolRange>($0, column: .changeMessage) }
    let messageShift = appendToPool(messages)
    var group = RunLengthDecoder<UInt64>(
      try columns.takeRequired(.dependencyGroup), column: .dependencyGroup)
    var index = DeltaDecoder(columns.take(.dependencyIndex), column: .dependencyIndex)
    let extraMetadata = columns.takeOptional(.extraMetadata)
    var metadata = extraMetadata.map { RunLengthDecoder<UInt64>($0, column: .extraMetadata) }
    var extra = columns.take(.extraData)
    let extraShift = appendToPool(extra)
    try columns.expectNoneLeft()

    changes.reserveCapacity(count)
    for row in 0..<count {
      let actorIndex = try actor.nextValue()
      guard actorIndex < UInt64(actors.count) else {
        throw actorColumn.error(.unknownActor(actorIndex))
      }
      let sequenceNumber = try sequence.nextCounter()
      let maxCounterValue = try maxCounter.nextCounter()
      let timeValue = try time.nextWrapping()
      let messageRange = try message?.next() ?? nil
      let firstDependency = dependencyRows.count
      let dependencyCount = try group.nextValue()
      guard dependencyCount <= UInt64(dependencyLimit - dependencyRows.count) else {
        throw FormatError(
          .limitExceeded(.dependencies, UInt64(dependencyLimit)), at: group.offset)
      }
      for _ in 0..<dependencyCount {
        let dependency = try index.nextCounter()
        guard dependency < row else { throw FormatError(.dependencyOutOfRange, at: group.offset) }
        dependencyRows.append(dependency)
      }
      var extraRange = PoolRange.empty
      if let value = try metadata?.nextValue() {
        guard value & 15 == UInt64(ValueType.bytes.code), let length = Int(exactly: value >> 4)
        else { throw extra.error(.invalidValue(typeCode: UInt8(value & 15))) }
        extraRange = PoolRange(try extra.readRange(length)).moved(by: extraShift)
      }
      changes.append(
        ChangeRow(
          actor: UInt32(actorIndex), sequence: sequenceNumber, maxCounter: maxCounterValue,
          time: timeValue, message: messageRange?.moved(by: messageShift),
          extra: extraRange, dependencies: firstDependency..<dependencyRows.count))
    }
    try sequence.expectEnd()
    try maxCounter.expectEnd()
    try time.expectEnd()
    try message?.expectEnd()
    try group.expectEnd()
    try index.expectEnd()
    try metadata?.expectEnd()
    try extra.expectEnd()
    try budget.spend(dependencyRows.count, LoadBudget.Cost.dependency, at: actorColumn.offset)
  }

  /// Copies a column to the pool and returns how far ranges in it have to move.
  private mutating func appendToPool(_ column: ByteReader?) -> Int {
    guard let column else { return 0 }
    let shift = pool.count - column.position
    pool.append(from: column.bytes, column.position..<column.end)
    return shift
  }

  // MARK: Operations

  private mutating func readOperations(
    _ columns: inout ColumnData, budget: inout LoadBudget
  ) throws(FormatError) {
    guard !columns.isEmpty else { return }
    var decoder = try OperationDecoder(
      .document, &columns, actors: (0..<UInt32(actors.count)).map { $0 },
      rowLimit: try operationBound(
        limit: min(
          budget.operationCount, budget.count(of: LoadBudget.Cost.documentOperation))),
      pool: &pool, budget: budget)
    var rest = decoder.rowCount
    pages.reserveCapacity(rest / OperationPage.loadedCount + 1)
    while rest > 0 {
      var page = OperationPage()
      let count = min(rest, OperationPage.loadedCount)
      page.rows.reserveCapacity(count)
      while page.count < count {
        page.rows.append(try decoder.nextRow(related: &page.successors, pool: &pool))
        let row = page.rows[page.count - 1]
        try decoder.readFollowers(of: row, limit: count - page.count, into: &page.rows)
      }
      rest -= page.count
      pages.append(page)
    }
    try decoder.expectEnd()
    nameByteCount = decoder.nameByteCount
    try budget.spendOperations(
      decoder.rowCount, LoadBudget.Cost.documentOperation, related: decoder.relatedTotal,
      at: operationsOffset)
    try budget.spend(nameByteCount, LoadBudget.Cost.nameByte, at: operationsOffset)
  }

  /// Hands the pages over, so that they can be changed without a copy.
  mutating func takePages() -> [OperationPage] {
    defer { pages = [] }
    return pages
  }

  /// Returns the most operations the changes leave room for.
  private func operationBound(limit: Int) throws(FormatError) -> Int {
    var last = [UInt32](repeating: 0, count: actors.count)
    var bound = 0
    for change in changes {
      let actor = Int(change.actor)
      guard change.maxCounter >= last[actor] else {
        throw FormatError(.maxCounterDecreases, at: bodyOffset)
      }
      bound += Int(change.maxCounter - last[actor])
      last[actor] = change.maxCounter
      if bound >= limit { return limit }
    }
    return bound
  }
}

/// Assembles a document chunk (format.md 4.1, 4.7).
enum DocumentWriter {
  static func write(
    actors: [ActorId], heads: [(hash: ChangeHash, row: Int)], changes: inout ColumnWriter,
    operations: inout ColumnWriter, to output: inout [UInt8]
  ) {
    var front: [UInt8] = []
    front.appendULEB(actors.count)
    for actor in actors { front.appendPrefixed(actor) }
    front.appendHashes(heads.map(\.hash))
    changes.writeLayout(to: &front)
    operations.writeLayout(to: &front)
    var rows: [UInt8] = []
    for head in heads { rows.appendULEB(head.row) }
    let bodyCount = front.count + changes.dataByteCount + operations.dataByteCount + rows.count

    // Straight into the output: the document of a month has ten megabytes.
    output.reserveCapacity(output.count + bodyCount + ChunkHeader.mostByteCount)
    let checksumIndex = ChunkHeader.appendFrame(to: &output)
    let start = output.count
    ChunkHeader.appendDescription(.document, bodyByteCount: bodyCount, to: &output)
    output.append(contentsOf: front)
    changes.moveData(to: &output)
    operations.moveData(to: &output)
    output.append(contentsOf: rows)
    let hash = ChangeHash(sha256Of: output, in: start..<output.count)
    ChunkHeader.setChecksum(hash.checksum, at: checksumIndex, of: &output)
  }
}
