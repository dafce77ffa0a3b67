/// Reads the operation columns of a change or a document that does not hold together, each column
/// for itself: a row is as good as what its columns still say.
struct LooseOperationReader {
  private let table: OperationDecoder.Table
  private let actors: LooseActors
  private let limit: Int

  private var objectActor: LooseColumn<RunLengthDecoder<UInt64>>
  private var objectCounter: LooseColumn<RunLengthDecoder<UInt64>>
  private var keyActor: LooseColumn<RunLengthDecoder<UInt64>>
  private var keyCounter: LooseColumn<DeltaDecoder>
  private var keyString: LooseColumn<RunLengthDecoder<PoolRange>>
  private let keyBytes: [UInt8]
  private var idActor: LooseColumn<RunLengthDecoder<UInt64>>
  private var idCounter: LooseColumn<DeltaDecoder>
  private var insert: LooseColumn<BooleanDecoder>
  private var action: LooseColumn<RunLengthDecoder<UInt64>>
  private var valueMetadata: LooseColumn<RunLengthDecoder<UInt64>>
  private var value: ByteReader
  private var isValueLost = false
  private var relatedGroup: LooseColumn<RunLengthDecoder<UInt64>>
  private var relatedActor: LooseColumn<RunLengthDecoder<UInt64>>
  private var relatedCounter: LooseColumn<DeltaDecoder>
  private var expand: LooseColumn<BooleanDecoder>
  private var markName: LooseColumn<RunLengthDecoder<PoolRange>>
  private let markNameBytes: [UInt8]
  private let rowCount: Int
  private var relatedTotal = 0
  /// Whether a column ended that no row can do without.
  private var hasEnded = false

  /// - Parameter limit: the most rows, and the most related operations, to read.
  init(_ table: OperationDecoder.Table, _ columns: LooseColumns, actors: LooseActors, limit: Int) {
    self.table = table
    self.actors = actors
    self.limit = limit
    objectActor = columns.runs(.objectActor)
    objectCounter = columns.runs(.objectCounter)
    keyActor = columns.runs(.keyActor)
    keyCounter = columns.deltas(.keyCounter)
    keyString = columns.runs(.keyString)
    keyBytes = columns[.keyString]?.bytes ?? []
    idActor = columns.runs(.idActor)
    idCounter = columns.deltas(.idCounter)
    insert = columns.flags(.insert)
    action = columns.runs(.action)
    valueMetadata = columns.runs(.valueMetadata)
    value = columns[.value] ?? ByteReader([])
    let isChange = table == .change
    relatedGroup = columns.runs(isChange ? .predecessorGroup : .successorGroup)
    relatedActor = columns.runs(isChange ? .predecessorActor : .successorActor)
    relatedCounter = columns.deltas(isChange ? .predecessorCounter : .successorCounter)
    expand = columns.flags(.expand)
    markName = columns.runs(.markName)
    markNameBytes = columns[.markName]?.bytes ?? []
    // A column that breaks has fewer rows; the longest says best how many there were.
    let idCount = columns[.idCounter] == nil ? 0 : idCounter.count(limit: limit)
    let actionCount = columns[.action] == nil ? 0 : action.count(limit: limit)
    rowCount = isChange ? actionCount : max(actionCount, idCount)
  }

  /// Whether the columns that have a value in each row have as many rows as one another.
  func isConsistent(limit: Int) -> Bool {
    rowCount > 0 && idActor.count(limit: limit) == rowCount
      && idCounter.count(limit: limit) == rowCount && action.count(limit: limit) == rowCount
      && valueMetadata.count(limit: limit) == rowCount
      && relatedGroup.count(limit: limit) == rowCount
  }

  /// What the columns say about one row.
  private struct Row {
    var operation: Operation
    var key: Range<Int>? = nil
    var markName: Range<Int>? = nil
    var value: Range<Int>? = nil
    var related: [OpID]
    var knowsRelated: Bool
  }

  /// Appends the operations of a change, whose ids are implied.
  mutating func readChange(
    author: UInt32, startCounter: UInt32, into loose: inout LooseOperations
  ) {
    for index in 0..<rowCount {
      let (counter, overflow) = startCounter.addingReportingOverflow(UInt32(index))
      guard !overflow, counter < UInt32.max else { return }
      guard let row = nextRow(id: OpID(counter: counter, actor: author), &loose) else {
        loose.unreadCount += hasEnded ? rowCount - index : 1
        if hasEnded { return }
        continue
      }
      append(row, predecessors: row.related, to: &loose)
    }
  }

  /// Appends the operations of a document, the deletes that rows name included.
  mutating func readDocument(into loose: inout LooseOperations) {
    /// What each operation followed, from what each was followed by.
    var predecessors: [OpID: [OpID]] = [:]
    var followed: [OpID: Operation] = [:]
    let first = loose.operations.count
    for index in 0..<rowCount {
      guard case .value(let actor) = idActor.next(), case .value(let counter) = idCounter.next(),
        let number = actors.number(actor, &loose), let counter = UInt32(exactly: counter),
        counter > 0, counter < UInt32.max
      else {
        // Rows have no name from here on.
        loose.unreadCount += rowCount - index
        break
      }
      guard let row = nextRow(id: OpID(counter: counter, actor: number), &loose) else {
        loose.unreadCount += hasEnded ? rowCount - index : 1
        if hasEnded { break }
        continue
      }
      if !row.knowsRelated { loose.lacksSuccessors = true }
      let place = loose.operations.count
      append(row, predecessors: [], to: &loose)
      guard place < loose.operations.count else { continue }
      for successor in row.related {
        predecessors[successor, default: []].append(row.operation.id)
        followed[successor] = loose.operations[place]
      }
    }
    for place in first..<loose.operations.count {
      let id = loose.operations[place].id
      guard let related = predecessors.removeValue(forKey: id) else { continue }
      loose.setPredecessors(related, of: place)
    }
    // What has no row but is named by what it followed is a delete.
    for (id, related) in predecessors {
      if let target = followed[id] { loose.appendDelete(id, of: target, predecessors: related) }
    }
  }

  private func append(
    _ row: Row, predecessors: [OpID], to loose: inout LooseOperations
  ) {
    let name =
      row.key.map { (bytes: keyBytes, range: $0) }
      ?? row.markName.map { (bytes: markNameBytes, range: $0) }
    let needsValue = row.operation.action == .set || row.operation.action == .increment
    guard !needsValue || row.value != nil else {
      loose.unreadCount += 1
      return loose.appendWithoutValue(row.operation, name: name)
    }
    loose.append(
      row.operation, name: name, value: row.value.map { (bytes: value.bytes, range: $0) },
      predecessors: predecessors)
  }

  // MARK: The parts of a row

  /// Reads the next row; nil when it makes no sense, or none does from here on.
  private mutating func nextRow(id: OpID, _ loose: inout LooseOperations) -> Row? {
    let object = nextObject(&loose)
    let key = nextKey(&loose)
    let insert = insert.next()
    let action = action.next()
    let (type, bytes) = nextValue()
    let related = nextRelated(&loose)
    let expand = expand.next()
    let markName = markName.next()
    guard let object, let key else { return nil }
    guard case .value(let code) = action else {
      // What was done is lost; that something was done to a key is worth knowing.
      if case .name(let range) = key {
        var operation = Operation(id: id, object: object, action: .set)
        operation.flags = .mapKey
        loose.appendWithoutValue(operation, name: (keyBytes, range))
      }
      return nil
    }
    guard let kind = UInt8(exactly: code).flatMap(Action.init(rawValue:)) else { return nil }
    var operation = Operation(id: id, object: object, action: kind)
    var row = Row(operation: operation, related: related ?? [], knowsRelated: related != nil)
    if case .value(true) = insert { operation.flags.insert(.insert) }
    switch key {
    case .name(let range):
      operation.flags.insert(.mapKey)
      row.key = range
    case .element(let element):
      if case .lost = insert { return nil }
      operation.element = element
    }
    if kind == .mark {
      if case .value(true) = expand { operation.flags.insert(.expand) }
      if case .value(let range) = markName {
        operation.flags.insert(.markName)
        row.markName = range.range
      }
    }
    if kind == .set || kind == .increment || kind == .mark {
      operation.valueType = type ?? .null
      row.value = bytes
    }
    guard operation.hasReadableShape else { return nil }
    row.operation = operation
    return row
  }

  private mutating func nextObject(_ loose: inout LooseOperations) -> OpID? {
    switch (objectActor.next(), objectCounter.next()) {
    case (.null, .null):
      return .root
    case (.value, .value(0)):
      return .root
    case (.value(let actor), .value(let counter)):
      return id(actor, Int64(exactly: counter), &loose)
    case (.lost, _), (_, .lost):
      hasEnded = true
      return nil
    default:
      return nil
    }
  }

  private enum Key {
    case name(Range<Int>)
    case element(OpID)
  }

  private mutating func nextKey(_ loose: inout LooseOperations) -> Key? {
    switch (keyString.next(), keyActor.next(), keyCounter.next()) {
    case (.value(let range), .null, .null):
      return .name(range.range)
    case (.null, .null, .value(0)):
      return .element(.root)
    case (.null, .value(let actor), .value(let counter)):
      return id(actor, counter, &loose).map { .element($0) }
    case (.lost, _, _), (_, .lost, _), (_, _, .lost):
      hasEnded = true
      return nil
    default:
      return nil
    }
  }

  private func id(
    _ actor: UInt64, _ counter: Int64?, _ loose: inout LooseOperations
  ) -> OpID? {
    guard let counter = counter.flatMap({ UInt32(exactly: $0) }), counter > 0,
      let number = actors.number(actor, &loose)
    else { return nil }
    return OpID(counter: counter, actor: number)
  }

  /// Returns the type of the next value and where it stands; nil where it makes no sense.
  private mutating func nextValue() -> (ValueType?, Range<Int>?) {
    guard case .value(let metadata) = valueMetadata.next() else {
      // Without its length nobody knows where the next value starts.
      isValueLost = true
      return (nil, nil)
    }
    let type = ValueType(code: UInt8(truncatingIfNeeded: metadata & 15))
    guard !isValueLost, let length = Int(exactly: metadata &>> 4), length <= value.remaining else {
      isValueLost = true
      return (type, nil)
    }
    var reader = value
    // Both fit: what remains was compared above.
    _ = try? value.readRange(length)
    return (type, try? reader.readValue(type, length))
  }

  /// Returns the related operations of the next row; nil where they are lost.
  private mutating func nextRelated(_ loose: inout LooseOperations) -> [OpID]? {
    guard case .value(let count) = relatedGroup.next(), count <= UInt64(limit - relatedTotal) else {
      relatedTotal = limit
      return nil
    }
    relatedTotal += Int(count)
    var related: [OpID] = []
    for _ in 0..<count {
      guard case .value(let actor) = relatedActor.next(),
        case .value(let counter) = relatedCounter.next(), let id = id(actor, counter, &loose)
      else {
        relatedTotal = limit
        return nil
      }
      related.append(id)
    }
    return related
  }
}

extension Operation {
  /// Whether the parts fit one another well enough to find a place for the operation
  /// (format.md 5.2).
  fileprivate var hasReadableShape: Bool {
    if isInsert { return !isMapOperation && action != .delete && action != .increment }
    guard action != .increment || valueType == .int || valueType == .uint else { return false }
    return action != .mark && (isMapOperation || !element.isRoot)
  }
}
