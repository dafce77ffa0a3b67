/// Writes operation columns in their canonical form, one row at a time, without an object per
/// operation (format.md 3.3, 4.3). One encoder serves change after change.
struct OperationEncoder: Sendable {
  private var objectActor = RunLengthEncoder<UInt64>()
  private var objectCounter = RunLengthEncoder<UInt64>()
  private var keyActor = RunLengthEncoder<UInt64>()
  private var keyCounter = DeltaEncoder()
  private var keyString = RunLengthEncoder<PoolRange>()
  private var idActor = RunLengthEncoder<UInt64>()
  private var idCounter = DeltaEncoder()
  private var insert = BooleanEncoder()
  private var action = RunLengthEncoder<UInt64>()
  private var valueMetadata = RunLengthEncoder<UInt64>()
  private var value: [UInt8] = []
  /// The columns that whoever hashes the change has, and that are not written.
  private var absent: AbsentColumns?
  private var relatedGroup = RunLengthEncoder<UInt64>()
  private var relatedActor = RunLengthEncoder<UInt64>()
  private var relatedCounter = DeltaEncoder()
  private var expand = BooleanEncoder()
  private var markName = RunLengthEncoder<PoolRange>()
  /// Whether rows have ids, as those of documents do.
  private var hasIDs = false

  /// The rows behind the last one that follow it one by one: of most columns they say nothing new.
  private var followers = Followers()

  private struct Followers {
    var count = 0
    /// What the first of them stands behind, and the number to write for its author.
    var element = OpID.root
    var actor: UInt64 = 0
    /// Where their values stand in the pool, one behind the other.
    var values = 0..<0
  }

  init() {}

  /// How long the columns of keys and values are, which are most of a great change.
  struct AbsentColumns {
    let keyByteCount: Int
    let valueByteCount: Int
  }

  mutating func reset(besides absent: AbsentColumns? = nil) {
    self.absent = absent
    objectActor.reset()
    objectCounter.reset()
    keyActor.reset()
    keyCounter.reset()
    keyString.reset()
    idActor.reset()
    idCounter.reset()
    insert.reset()
    action.reset()
    valueMetadata.reset()
    value.removeAll(keepingCapacity: true)
    relatedGroup.reset()
    relatedActor.reset()
    relatedCounter.reset()
    expand.reset()
    markName.reset()
    hasIDs = false
    followers.count = 0
  }

  /// Appends a row that follows the one that was appended last (`Operation.follows(_:)`); of a
  /// document, its id along with it.
  @inline(__always)
  mutating func appendFollower(
    _ operation: borrowing Operation, pool: [UInt8], actors: [UInt32]
  ) {
    let values = operation.value.range
    if followers.count == 0 {
      followers.element = operation.element
      followers.actor = UInt64(actors[operation.element.actor])
      followers.values = values
    } else if followers.values.upperBound == values.lowerBound {
      followers.values = followers.values.lowerBound..<values.upperBound
    } else {
      append(values: followers.values, pool: pool)
      followers.values = values
    }
    followers.count &+= 1
    valueMetadata.append(operation.valueMetadata)
  }

  @inline(__always)
  private mutating func append(values: Range<Int>, pool: [UInt8]) {
    if absent == nil { value.append(from: pool, values) }
  }

  /// Completes the columns of the rows that followed.
  private mutating func settleFollowers(pool: [UInt8]) {
    let count = Int64(followers.count)
    guard count > 0 else { return }
    followers.count = 0
    objectActor.repeatLast(count)
    objectCounter.repeatLast(count)
    keyActor.append(followers.actor, count: count, from: [])
    keyCounter.appendAscending(from: Int64(followers.element.counter), count: count)
    keyString.appendNulls(UInt64(count), from: pool)
    if hasIDs {
      idActor.repeatLast(count)
      idCounter.appendAscending(from: Int64(followers.element.counter) + 1, count: count)
    }
    insert.append(true, count: UInt64(count))
    action.repeatLast(count)
    append(values: followers.values, pool: pool)
    relatedGroup.append(0, count: count, from: [])
    expand.append(false, count: UInt64(count))
    markName.appendNulls(UInt64(count), from: pool)
  }

  /// Appends a row.
  ///
  /// - Parameters:
  ///   - related: the array that `operation.related` is a range of.
  ///   - actors: the number to write for each actor index.
  @inline(__always)
  mutating func append(
    _ operation: borrowing Operation, related: [OpID], pool: [UInt8], actors: [UInt32]
  ) {
    if followers.count > 0 { settleFollowers(pool: pool) }
    if operation.object.isRoot {
      objectActor.appendNull()
      objectCounter.appendNull()
    } else {
      objectActor.append(UInt64(actors[operation.object.actor]))
      objectCounter.append(UInt64(operation.object.counter))
    }
    if operation.isMapOperation {
      keyActor.appendNull()
      keyCounter.appendNull()
      if absent == nil { keyString.append(operation.name, from: pool) }
    } else if operation.element.isRoot {
      keyActor.appendNull()
      keyCounter.append(0)
      keyString.appendNull(from: pool)
    } else {
      keyActor.append(UInt64(actors[operation.element.actor]))
      keyCounter.append(Int64(operation.element.counter))
      keyString.appendNull(from: pool)
    }
    insert.append(operation.isInsert)
    action.append(UInt64(operation.action.rawValue))
    valueMetadata.append(operation.valueMetadata)
    append(values: operation.value.range, pool: pool)
    relatedGroup.append(UInt64(operation.relatedCount))
    for index in operation.related {
      relatedActor.append(UInt64(actors[related[index].actor]))
      relatedCounter.append(Int64(related[index].counter))
    }
    expand.append(operation.flags.contains(.expand))
    if operation.flags.contains(.markName) {
      markName.append(operation.name, from: pool)
    } else {
      markName.appendNull(from: pool)
    }
  }

  /// Appends the id of the row just appended, which only documents store.
  @inline(__always)
  mutating func appendID(_ id: OpID, actors: [UInt32]) {
    hasIDs = true
    idActor.append(UInt64(actors[id.actor]))
    idCounter.append(Int64(id.counter))
  }

  /// Completes the columns.
  mutating func finish(
    _ table: OperationDecoder.Table, pool: [UInt8], into columns: inout ColumnWriter
  ) {
    settleFollowers(pool: pool)
    objectActor.finish(.objectActor, into: &columns)
    objectCounter.finish(.objectCounter, into: &columns)
    keyActor.finish(.keyActor, into: &columns)
    keyCounter.finish(.keyCounter, into: &columns)
    if let absent {
      columns.append(.keyString, absentCount: absent.keyByteCount)
    } else {
      keyString.finish(.keyString, from: pool, into: &columns)
    }
    if table == .document {
      idActor.finish(.idActor, into: &columns)
      idCounter.finish(.idCounter, into: &columns)
    }
    insert.finish(.insert, into: &columns)
    action.finish(.action, into: &columns)
    valueMetadata.finish(.valueMetadata, into: &columns)
    columns.append(.value, value)
    columns.append(.value, absentCount: absent?.valueByteCount ?? 0)
    if value.capacity > 1 << 16 { value = [] }
    switch table {
    case .change:
      relatedGroup.finish(.predecessorGroup, into: &columns)
      relatedActor.finish(.predecessorActor, into: &columns)
      relatedCounter.finish(.predecessorCounter, into: &columns)
    case .document:
      relatedGroup.finish(.successorGroup, into: &columns)
      relatedActor.finish(.successorActor, into: &columns)
      relatedCounter.finish(.successorCounter, into: &columns)
    }
    if expand.hasTrue { expand.finish(.expand, into: &columns) }
    markName.finish(.markName, from: pool, into: &columns)
  }
}
