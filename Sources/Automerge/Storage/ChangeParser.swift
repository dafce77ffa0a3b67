/// Parses change chunks into a batch and refuses every change that would not come out of a save as
/// it went in (format.md 3, 8.2).
struct ChangeParser {
  /// What the input may still cost, for others who read parts of it, too.
  var budget: LoadBudget
  private var encoder = ChangeEncoder()
  /// The index inside the change of each actor of the batch; only those of the change at hand hold.
  private var localIndexes: [UInt32] = []
  private var isUsed: [Bool] = []

  init(limits: LoadLimits, inputByteCount: Int) {
    self.init(LoadBudget(limits, inputByteCount: inputByteCount))
  }

  /// Makes a parser for a part of an input of which others were read.
  init(_ budget: LoadBudget) { self.budget = budget }

  private var limits: LoadLimits { budget.limits }

  /// Parses the change in `header`'s body and appends it to `batch`, which a bad change leaves as
  /// it was.
  ///
  /// - Parameter isChecksumNeeded: whether the checksum must be that of the change; without it the
  ///   change proves nothing.
  mutating func parse(
    _ header: ChunkHeader, in bytes: [UInt8], into batch: inout ChangeBatch,
    isChecksumNeeded: Bool = true
  ) throws(FormatError) {
    var body = header.body
    if header.kind == .compressedChange {
      let inflated = try Compression.inflate(header.body, budget: &budget)
      body = ByteReader(inflated, standingAt: header.body.offset)
    }
    guard batch.count < limits.changeCount else {
      throw body.error(.limitExceeded(.changes, UInt64(limits.changeCount)))
    }
    guard batch.chunks.count + body.remaining + 16 <= Int(UInt32.max) else {
      throw body.error(.limitExceeded(.poolByteCount, UInt64(UInt32.max)))
    }
    let start = body.position
    try budget.spend(1, LoadBudget.Cost.change, at: header.offset)
    var change = try readHeader(&body, limits: limits)
    let message = try readMessage(&body)
    change.message = [UInt8](body.bytes[message])
    change.otherActors = try readOtherActors(&body, author: change.author)

    try budget.spend(
      change.dependencies.count, LoadBudget.Cost.dependency, at: header.offset)
    try budget.spend(change.otherActors.count, LoadBudget.Cost.actor, at: header.offset)
    let listed = [change.author] + change.otherActors
    let actors = listed.map { batch.intern($0) }
    let layout = try ColumnLayout(&body, allowsDeflate: false)
    let operationsStart = body
    var columns = try layout.readData(&body, budget: &budget)
    let extra = body.position..<body.end
    change.extra = [UInt8](body.bytes[extra])

    let limit = min(
      budget.operationCount, budget.count(of: LoadBudget.Cost.changeOperation))
    let startCounter = change.startCounter
    var (rowCount, relatedCount, nameByteCount) = (0, 0, 0)
    let operations = try batch.appendOperations {
      (operations, predecessors, pool) throws(FormatError) in
      guard !layout.columns.isEmpty else { return }
      var decoder = try OperationDecoder(
        .change, &columns, actors: actors, rowLimit: limit, pool: &pool, budget: budget)
      // The last operation's counter must fit 32 bits.
      guard decoder.rowCount <= Int(UInt32.max - startCounter) else {
        throw operationsStart.error(.counterOutOfRange)
      }
      for row in 0..<UInt32(decoder.rowCount) {
        let id = OpID(counter: startCounter + row, actor: actors[0])
        operations.append(try decoder.next(id: id, related: &predecessors, pool: &pool))
      }
      try decoder.expectEnd()
      (rowCount, relatedCount) = (decoder.rowCount, decoder.relatedTotal)
      nameByteCount = decoder.nameByteCount
    }
    do {
      try budget.spendOperations(
        rowCount, LoadBudget.Cost.changeOperation, related: relatedCount, at: header.offset)
      try budget.spend(nameByteCount, LoadBudget.Cost.nameByte, at: header.offset)
      try checkCanonical(
        change, operations, actors, in: batch, expecting: body.bytes, start..<body.end,
        at: operationsStart)
    } catch {
      batch.removeOperations(from: operations.lowerBound)
      throw error
    }

    let chunk = batch.appendChunk(body: body.bytes, start..<body.end)
    let hash = ChangeHash(sha256Of: batch.chunks, in: chunk.range)
    let shift = chunk.range.upperBound - body.end
    batch.appendEntry(
      ChangeBatch.Entry(
        hash: hash, author: actors[0], sequence: change.sequence, startCounter: startCounter,
        time: change.time, message: PoolRange(message).moved(by: shift),
        extra: PoolRange(extra).moved(by: shift), chunk: chunk,
        dependencies: batch.appendDependencies(change.dependencies), operations: operations,
        offset: header.offset))
    guard isChecksumNeeded else { return }
    // Last, as the reference does: a malformed body is reported before a wrong checksum.
    do {
      try header.verifyChecksum(of: hash)
    } catch {
      batch.removeLastEntry()
      throw error
    }
  }

  // MARK: Header fields

  func readHeader(
    _ body: inout ByteReader, limits: LoadLimits
  ) throws(FormatError) -> ChangeHeader {
    let dependencies = try body.readHashes(limits: limits)
    return try readHeader(&body, after: dependencies, limits: limits)
  }

  /// Reads what follows the dependencies.
  func readHeader(
    _ body: inout ByteReader, after dependencies: [ChangeHash], limits: LoadLimits
  ) throws(FormatError) -> ChangeHeader {
    let author = try body.readActor(limits: limits)
    let sequenceReader = body
    let sequence = try body.readUInt32()
    guard sequence > 0 else { throw sequenceReader.error(.sequenceZero) }
    let startReader = body
    let startCounter = try body.readUInt32()
    guard startCounter > 0 else { throw startReader.error(.startCounterZero) }
    return ChangeHeader(
      dependencies: dependencies, author: author, sequence: sequence, startCounter: startCounter,
      time: try body.readSLEB())
  }

  func readMessage(_ body: inout ByteReader) throws(FormatError) -> Range<Int> {
    let message = try body.readPrefixedRange()
    try body.validateUTF8(message)
    return message
  }

  func readOtherActors(
    _ body: inout ByteReader, author: ActorId
  ) throws(FormatError) -> [ActorId] {
    let start = body
    let others = try body.readActors(limits: limits)
    for (index, actor) in others.enumerated() {
      guard actor != author, index == 0 || others[index - 1] < actor else {
        throw start.error(.actorsNotAscending)
      }
    }
    return others
  }

  // MARK: Checks

  /// Throws unless the change means something and encodes to exactly the bytes it came as.
  private mutating func checkCanonical(
    _ change: ChangeHeader, _ operations: Range<Int>, _ actors: [UInt32], in batch: ChangeBatch,
    expecting bytes: [UInt8], _ range: Range<Int>, at reader: ByteReader
  ) throws(FormatError) {
    if localIndexes.count < batch.actors.count {
      localIndexes += [UInt32](repeating: 0, count: batch.actors.count - localIndexes.count)
    }
    for (local, actor) in actors.enumerated() { localIndexes[Int(actor)] = UInt32(local) }
    isUsed.removeAll(keepingCapacity: true)
    isUsed.append(contentsOf: repeatElement(false, count: actors.count))
    isUsed[0] = true

    encoder.begin()
    for index in operations {
      let operation = batch.operations[index]
      try operation.checkShape(
        predecessors: batch.predecessors, actors: batch.actors, at: reader.offset)
      markUsed(operation.object)
      markUsed(operation.element)
      for related in operation.related { markUsed(batch.predecessors[related]) }
      encoder.append(
        operation, related: batch.predecessors, pool: batch.pool, actors: localIndexes)
    }
    guard !isUsed.contains(false) else { throw reader.error(.unusedActor) }
    encoder.finish(
      change, hasOperations: !operations.isEmpty, pool: batch.pool, actors: localIndexes)
    guard bytes.compare(range, to: encoder.body, 0..<encoder.body.count) == 0 else {
      throw reader.error(.notCanonical)
    }
  }

  private mutating func markUsed(_ id: OpID) {
    guard !id.isRoot else { return }
    isUsed[Int(localIndexes[id.actor])] = true
  }
}

extension Operation {
  /// Throws unless the parts of the operation fit one another, as far as one change can tell
  /// (format.md 5.2, 8.2). Whether they fit the document is seen when the change is applied.
  func checkShape(
    predecessors: [OpID], actors: [ActorId], at offset: Int
  ) throws(FormatError) {
    if isInsert {
      guard !isMapOperation, action != .delete, action != .increment else {
        throw FormatError(.wrongObjectKind, at: offset)
      }
      guard relatedCount == 0 else { throw FormatError(.insertWithPredecessors, at: offset) }
    } else {
      guard action != .mark, isMapOperation || !element.isRoot else {
        throw FormatError(.wrongObjectKind, at: offset)
      }
    }
    guard action == .mark || !flags.contains(.expand) else {
      throw FormatError(.strayMarkContent, at: offset)
    }
    if action == .delete {
      // An increment may name none: it has a row of its own, and no effect.
      guard relatedCount > 0 else { throw FormatError(.deleteWithoutPredecessor, at: offset) }
      // Documents have no row for a delete, so nothing but what it deletes would be saved.
      guard valueType == .null else {
        throw FormatError(.deleteWithContent, at: offset)
      }
    }
    switch valueType {
    case .null, .boolFalse, .boolTrue:
      guard value.count == 0 || action.madeObject != nil else {
        throw FormatError(.invalidValue(typeCode: valueType.code), at: offset)
      }
    default:
      break
    }
    for index in related.dropFirst() {
      let (left, right) = (predecessors[index - 1], predecessors[index])
      let isAscending =
        left.counter != right.counter
        ? left.counter < right.counter : actors[left.actor] < actors[right.actor]
      guard isAscending else { throw FormatError(.predecessorsNotAscending, at: offset) }
    }
  }
}
