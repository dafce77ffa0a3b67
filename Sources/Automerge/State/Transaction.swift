/// The operations of a change that is not committed yet. They are in the op set already, so reads
/// see them; here they stand in the order they were made, as the change will have them
/// (format.md 6.1).
struct Transaction: Sendable {
  /// The number of the author.
  let actor: UInt32
  let sequence: UInt32
  let startCounter: UInt32
  private(set) var operations: [Operation] = []
  private(set) var predecessors: [OpID] = []

  init(actor: UInt32, sequence: UInt32, startCounter: UInt32) {
    self.actor = actor
    self.sequence = sequence
    self.startCounter = startCounter
  }

  /// The id of the operation to come.
  var nextID: OpID {
    OpID(
      counter: startCounter &+ UInt32(truncatingIfNeeded: operations.count), actor: actor)
  }

  /// How many more operations the counters have room for.
  var capacity: Int { Int(UInt32.max - startCounter) - operations.count }

  /// Appends an operation whose predecessors, ascending, are the ones noted since the last.
  mutating func append(_ operation: Operation) {
    var row = operation
    row.relatedStart = operations.last.map { UInt32($0.related.upperBound) } ?? 0
    row.relatedCount = UInt32(truncatingIfNeeded: predecessors.count) &- row.relatedStart
    operations.append(row)
  }

  mutating func notePredecessor(_ id: OpID) { predecessors.append(id) }
}
