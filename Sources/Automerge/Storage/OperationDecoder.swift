/// Reads the operation columns of a change or a document row by row (format.md 3.3, 4.3).
///
/// Values and mark names are copied to a pool column by column, never one by one; so are the keys of a
/// change. Of those of a document, which has the same few for each record, the pool gets each once.
struct OperationDecoder {
  /// Which of the two tables is read.
  enum Table {
    /// Ids are implied, related operations are predecessors.
    case change
    /// Ids are columns, related operations are successors.
    case document
  }

  private let table: Table
  private let actors: [UInt32]
  private let relatedLimit: Int
  private let nameLimit: Int

  /// How many predecessors or successors, and bytes of keys and mark names, were read.
  private(set) var relatedTotal = 0
  private(set) var nameByteCount = 0

  private var objectActor: RunLengthDecoder<UInt64>?
  private var objectCounter: RunLengthDecoder<UInt64>?
  private var keyActor: RunLengthDecoder<UInt64>?
  private var keyCounter: DeltaDecoder?
  private var keyString: RunLengthDecoder<UncheckedString>?
  private let keyShift: Int
  /// The keys of a document that the pool has.
  private var keys = KeyCache()
  private let keyColumn: ByteReader?
  private var idActor: RunLengthDecoder<UInt64>?
  private var idCounter: DeltaDecoder?
  private var insert: BooleanDecoder
  private var action: RunLengthDecoder<UInt64>
  private var valueMetadata: RunLengthDecoder<UInt64>
  private var value: ByteReader
  private let valueShift: Int
  private var relatedGroup: RunLengthDecoder<UInt64>
  private var relatedActor: RunLengthDecoder<UInt64>
  private var relatedCounter: DeltaDecoder
  private var expand: BooleanDecoder?
  private var markName: RunLengthDecoder<PoolRange>?
  private let markNameShift: Int

  /// The number of rows, from the column that every row has an entry in.
  let rowCount: Int

  /// - Parameters:
  ///   - actors: what to store for each actor index of the columns.
  ///   - rowLimit: the most rows to accept.
  ///   - budget: what bounds the rows, what they name, and the bytes of their names.
  init(
    _ table: Table, _ data: inout ColumnData, actors: [UInt32], rowLimit: Int,
    pool: inout [UInt8], budget: LoadBudget
  ) throws(FormatError) {
    self.table = table
    self.actors = actors
    relatedLimit = min(budget.relatedCount, budget.count(of: LoadBudget.Cost.predecessor))
    nameLimit = budget.count(of: LoadBudget.Cost.nameByte)

    objectActor = data.takeOptional(.objectActor).map { .init($0, column: .objectActor) }
    objectCounter = data.takeOptional(.objectCounter).map { .init($0, column: .objectCounter) }
    keyActor = data.takeOptional(.keyActor).map { .init($0, column: .keyActor) }
    keyCounter = data.takeOptional(.keyCounter).map { .init($0, column: .keyCounter) }
    let keys = data.takeOptional(.keyString)
    switch table {
    case .change:
      keyShift = try Self.copyToPool(keys, &pool)
    case .document:
      // A little more, so that the first edits do not move all of it.
      let count = (keys?.remaining ?? 0) + data.byteCount(of: .value)
      pool.reserveCapacity(pool.count + count + count / 16)
      keyShift = 0
    }
    keyColumn = keys
    keyString = keys.map { .init($0, column: .keyString) }

    let actions = RunLengthDecoder<UInt64>(try data.takeRequired(.action), column: .action)
    rowCount = try actions.countRows(limit: rowLimit)
    action = actions
    insert = BooleanDecoder(try data.takeRequired(.insert), column: .insert)
    valueMetadata = .init(try data.takeRequired(.valueMetadata), column: .valueMetadata)
    value = data.take(.value)
    valueShift = try Self.copyToPool(value, &pool)

    switch table {
    case .change:
      relatedGroup = .init(
        try data.takeRequired(.predecessorGroup), column: .predecessorGroup)
      relatedActor = .init(data.take(.predecessorActor), column: .predecessorActor)
      relatedCounter = .init(data.take(.predecessorCounter), column: .predecessorCounter)
    case .document:
      idActor = .init(try data.takeRequired(.idActor), column: .idActor)
      idCounter = .init(try data.takeRequired(.idCounter), column: .idCounter)
      relatedGroup = .init(try data.takeRequired(.successorGroup), column: .successorGroup)
      relatedActor = .init(data.take(.successorActor), column: .successorActor)
      relatedCounter = .init(data.take(.successorCounter), column: .successorCounter)
    }
    expand = data.takeOptional(.expand).map { .init($0, column: .expand) }
    let names = data.takeOptional(.markName)
    markNameShift = try Self.copyToPool(names, &pool)
    markName = names.map { .init($0, column: .markName) }
    // Whatever is put once only, it is no more than all of it.
    if table == .document { try Self.checkPool(for: keys, in: pool) }
    try data.expectNoneLeft()
  }

  /// Reads the next row of a document, whose ids are columns.
  mutating func nextRow(
    related: inout [OpID], pool: inout [UInt8]
  ) throws(FormatError) -> Operation {
    guard let actor = try idActor?.nextValue(), let counter = try idCounter?.nextCounter() else {
      throw FormatError(.missingColumn(ColumnSpec.idActor.raw), at: value.offset)
    }
    guard counter > 0 else { throw FormatError(.counterOutOfRange, at: value.offset) }
    let id = OpID(counter: counter, actor: try self.actor(actor))
    return try next(id: id, related: &related, pool: &pool)
  }

  /// Reads the next row and appends its predecessors or successors to `related`.
  mutating func next(
    id: OpID, related: inout [OpID], pool: inout [UInt8]
  ) throws(FormatError) -> Operation {
    let object = try nextObject()
    let offset = action.offset
    let code = try action.nextValue()
    guard let kind = UInt8(exactly: code).flatMap(Action.init(rawValue:)) else {
      throw FormatError(.unknownAction(code), at: offset)
    }
    var operation = Operation(id: id, object: object, action: kind)
    if try insert.next() { operation.flags.insert(.insert) }
    try readKey(into: &operation, &pool)
    try readValue(into: &operation)
    try readRelated(into: &operation, &related)
    if try expand?.next() ?? false { operation.flags.insert(.expand) }
    if let name = try markName?.next() {
      guard kind == .mark else { throw FormatError(.strayMarkContent, at: offset) }
      operation.flags.insert(.markName)
      operation.name = name.moved(by: markNameShift)
      try count(nameOf: operation)
    }
    return operation
  }

  /// Reads rows of a document behind the one that was read last as long as each follows the one before
  /// (`Operation.follows(_:)`) and the columns say so by runs: of such rows only the values are read one
  /// by one. Nearly all rows of a text are such.
  ///
  /// - Parameter limit: the most rows to read.
  @inline(__always)
  mutating func readFollowers(
    of row: Operation, limit: Int, into rows: inout [Operation]
  ) throws(FormatError) {
    guard row.element.next == row.id, row.canBeFollowed, !row.element.isRoot else { return }
    try readRun(after: row, limit: limit, into: &rows)
  }

  private mutating func readRun(
    after row: Operation, limit: Int, into rows: inout [Operation]
  ) throws(FormatError) {
    let count = min(limit, followerCount, Int(UInt32.max - row.id.counter))
    guard count > 0 else { return }
    objectActor?.skipRepeats(count)
    objectCounter?.skipRepeats(count)
    keyString?.skipRepeats(count)
    keyActor?.skipRepeats(count)
    keyCounter?.skipAscending(count)
    idActor?.skipRepeats(count)
    idCounter?.skipAscending(count)
    insert.skipRepeats(count)
    action.skipRepeats(count)
    relatedGroup.skipRepeats(count)
    expand?.skipRepeats(count)
    markName?.skipRepeats(count)
    var next = row
    for _ in 0..<count {
      next.element = next.id
      next.id = next.id.next
      let offset = valueMetadata.offset
      let metadata = try valueMetadata.nextValue()
      if metadata == Self.oneByteString, let position = value.skipASCII() {
        // Nearly all are one letter.
        next.valueType = .string
        next.value = PoolRange(position..<position + 1).moved(by: valueShift)
      } else {
        try readValue(metadata, at: offset, into: &next)
      }
      rows.append(next)
    }
  }

  /// How many rows say the same as the last one, and of ids and elements one more, in every column but
  /// those of values.
  private var followerCount: Int {
    var count = min(insert.repeatCount, action.repeatCount, relatedGroup.repeatCount)
    count = min(count, objectActor?.repeatCount ?? 0, objectCounter?.repeatCount ?? 0)
    count = min(count, keyActor?.repeatCount ?? 0, keyCounter?.ascendingCount ?? 0)
    count = min(count, idActor?.repeatCount ?? 0, idCounter?.ascendingCount ?? 0)
    count = min(count, keyString?.repeatCount ?? count, expand?.repeatCount ?? count)
    return min(count, markName?.repeatCount ?? count)
  }

  @inline(__always)
  private mutating func count(nameOf operation: Operation) throws(FormatError) {
    nameByteCount &+= Int(operation.name.count)
    guard nameByteCount <= nameLimit else {
      throw FormatError(.limitExceeded(.nameByteCount, UInt64(nameLimit)), at: action.offset)
    }
  }

  /// Throws unless every column ended with the last row.
  func expectEnd() throws(FormatError) {
    try objectActor?.expectEnd()
    try objectCounter?.expectEnd()
    try keyActor?.expectEnd()
    try keyCounter?.expectEnd()
    try keyString?.expectEnd()
    try idActor?.expectEnd()
    try idCounter?.expectEnd()
    try insert.expectEnd()
    try action.expectEnd()
    try valueMetadata.expectEnd()
    guard value.isAtEnd else { throw value.error(.columnTooLong(ColumnSpec.value.raw)) }
    try relatedGroup.expectEnd()
    try relatedActor.expectEnd()
    try relatedCounter.expectEnd()
    try expand?.expectEnd()
    try markName?.expectEnd()
  }

  // MARK: The parts of a row

  @inline(__always)
  private func actor(_ index: UInt64) throws(FormatError) -> UInt32 {
    guard index < UInt64(actors.count) else {
      throw FormatError(.unknownActor(index), at: action.offset)
    }
    return actors[Int(index)]
  }

  private mutating func nextObject() throws(FormatError) -> OpID {
    let actor = try objectActor?.next() ?? nil
    let counter = try objectCounter?.next() ?? nil
    switch (actor, counter) {
    case (nil, nil):
      return .root
    case (let actor?, let counter?):
      if counter == 0 { return .root }
      guard let counter = UInt32(exactly: counter) else {
        throw FormatError(.counterOutOfRange, at: action.offset)
      }
      return OpID(counter: counter, actor: try self.actor(actor))
    default:
      throw FormatError(.invalidObject, at: action.offset)
    }
  }

  private mutating func readKey(
    into operation: inout Operation, _ pool: inout [UInt8]
  ) throws(FormatError) {
    let name = try nextName(&pool)
    let actor = try keyActor?.next() ?? nil
    let counter = try keyCounter?.next() ?? nil
    switch (name, actor, counter) {
    case (let name?, nil, nil):
      operation.flags.insert(.mapKey)
      operation.name = name
      try count(nameOf: operation)
    case (nil, nil, 0?):
      operation.element = .root
    case (nil, let actor?, let counter?):
      guard let counter = UInt32(exactly: counter), counter > 0 else {
        throw FormatError(.counterOutOfRange, at: action.offset)
      }
      operation.element = OpID(counter: counter, actor: try self.actor(actor))
    default:
      throw FormatError(.invalidKey, at: action.offset)
    }
  }

  @inline(__always)
  private mutating func nextName(_ pool: inout [UInt8]) throws(FormatError) -> PoolRange? {
    guard let keyColumn, let string = try keyString?.next() else { return nil }
    if table == .document {
      return try keys.range(of: string.range, in: keyColumn, pool: &pool)
    }
    try keyColumn.validateUTF8(string.range)
    return PoolRange(string.range).moved(by: keyShift)
  }

  private static let oneByteString = UInt64(ValueType.string.code) | 1 << 4

  private mutating func readValue(into operation: inout Operation) throws(FormatError) {
    let offset = valueMetadata.offset
    try readValue(try valueMetadata.nextValue(), at: offset, into: &operation)
  }

  @inline(__always)
  private mutating func readValue(
    _ metadata: UInt64, at offset: Int, into operation: inout Operation
  ) throws(FormatError) {
    guard let length = Int(exactly: metadata &>> 4) else {
      throw FormatError(.columnTooShort(ColumnSpec.value.raw), at: offset)
    }
    let type = ValueType(code: UInt8(truncatingIfNeeded: metadata & 15))
    let start = value.offset
    operation.valueType = type
    operation.value = PoolRange(try value.readValue(type, length)).moved(by: valueShift)
    if operation.action == .increment {
      guard type == .int || type == .uint else {
        throw FormatError(.invalidValue(typeCode: type.code), at: start)
      }
    }
  }

  private mutating func readRelated(
    into operation: inout Operation, _ related: inout [OpID]
  ) throws(FormatError) {
    let count = try relatedGroup.nextValue()
    operation.relatedStart = UInt32(truncatingIfNeeded: related.count)
    guard count > 0 else { return }
    guard count <= UInt64(relatedLimit - relatedTotal) else {
      throw FormatError(
        .limitExceeded(.operations, UInt64(relatedLimit)), at: relatedGroup.offset)
    }
    relatedTotal += Int(count)
    operation.relatedCount = UInt32(truncatingIfNeeded: count)
    for _ in 0..<count {
      let actor = try relatedActor.nextValue()
      let counter = try relatedCounter.nextCounter()
      guard counter > 0 else { throw FormatError(.counterOutOfRange, at: relatedGroup.offset) }
      related.append(OpID(counter: counter, actor: try self.actor(actor)))
    }
  }

  // MARK: Values and pools

  private static func checkPool(
    for column: ByteReader?, in pool: [UInt8]
  ) throws(FormatError) {
    guard let column, pool.count + column.remaining > Int(UInt32.max) else { return }
    throw column.error(.limitExceeded(.poolByteCount, UInt64(UInt32.max)))
  }

  /// Appends a column's bytes to the pool and returns how far ranges in the column have to move.
  private static func copyToPool(
    _ column: ByteReader?, _ pool: inout [UInt8]
  ) throws(FormatError) -> Int {
    guard let column else { return 0 }
    try checkPool(for: column, in: pool)
    let shift = pool.count - column.position
    pool.append(from: column.bytes, column.position..<column.end)
    return shift
  }
}
