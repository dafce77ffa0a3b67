/// Operations that were read without proof, one by one, from changes and documents that do not
/// verify (format.md 3.3, 4.3).
///
/// All share a few flat arrays; actors are numbered in the order in which they turned up.
struct LooseOperations {
  private(set) var operations: [Operation] = []
  /// The predecessors of all operations, as far as they are known.
  private(set) var predecessors: [OpID] = []
  private(set) var pool: [UInt8] = []
  private(set) var actors: [ActorId] = []
  /// What set a key or element to a value that cannot be read.
  private(set) var withoutValue: [Operation] = []
  /// From where on the operations are those of changes that verify and only lack others.
  var credibleStart = Int.max
  /// The number of operations that are known to have been there and could not be read.
  var unreadCount = 0
  /// Whether there are rows of which nothing tells what was done to them later.
  var lacksSuccessors = false

  private var actorIndexes: [ActorId: UInt32] = [:]

  init() {}

  mutating func intern(_ actor: ActorId) -> UInt32 {
    if let index = actorIndexes[actor] { return index }
    let index = UInt32(actors.count)
    actors.append(actor)
    actorIndexes[actor] = index
    return index
  }

  /// Appends an operation whose ids have this collection's actors and whose strings stand in other
  /// arrays.
  mutating func append(
    _ operation: Operation, name: (bytes: [UInt8], range: Range<Int>)?,
    value: (bytes: [UInt8], range: Range<Int>)?, predecessors related: [OpID]
  ) {
    var operation = operation
    operation.name = store(name)
    operation.value = store(value)
    operation.relatedStart = UInt32(truncatingIfNeeded: predecessors.count)
    operation.relatedCount = UInt32(truncatingIfNeeded: related.count)
    predecessors.append(contentsOf: related)
    operations.append(operation)
  }

  /// Notes an operation whose value is lost.
  mutating func appendWithoutValue(
    _ operation: Operation, name: (bytes: [UInt8], range: Range<Int>)?
  ) {
    var operation = operation
    operation.name = store(name)
    withoutValue.append(operation)
  }

  /// Appends the operations of changes that were parsed.
  mutating func append(_ entries: some Sequence<ChangeBatch.Entry>, of batch: ChangeBatch) {
    // Once for all: a batch may have as many actors as changes.
    let indexes = batch.actors.map { intern($0) }
    for entry in entries {
      for index in entry.operations {
        var operation = batch.operations[index]
        let related = operation.related.map { batch.predecessors[$0].renumbered(indexes) }
        operation.id = operation.id.renumbered(indexes)
        operation.object = operation.object.renumbered(indexes)
        operation.element = operation.element.renumbered(indexes)
        append(
          operation, name: (batch.pool, operation.name.range),
          value: (batch.pool, operation.value.range), predecessors: related)
      }
    }
  }

  /// Appends the delete of what another operation here is on.
  mutating func appendDelete(_ id: OpID, of target: Operation, predecessors related: [OpID]) {
    var operation = Operation(id: id, object: target.object, action: .delete)
    if target.isMapOperation {
      operation.flags = .mapKey
      operation.name = target.name
    } else {
      operation.element = target.ownElement
    }
    operations.append(operation)
    setPredecessors(related, of: operations.count - 1)
  }

  /// Gives the operation at a place what it follows.
  mutating func setPredecessors(_ related: [OpID], of place: Int) {
    operations[place].relatedStart = UInt32(truncatingIfNeeded: predecessors.count)
    operations[place].relatedCount = UInt32(truncatingIfNeeded: related.count)
    predecessors.append(contentsOf: related)
  }

  private mutating func store(_ string: (bytes: [UInt8], range: Range<Int>)?) -> PoolRange {
    guard let string, !string.range.isEmpty,
      pool.count + string.range.count <= Int(UInt32.max)
    else { return .empty }
    let start = pool.count
    pool.append(from: string.bytes, string.range)
    return PoolRange(start..<pool.count)
  }
}
