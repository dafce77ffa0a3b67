/// A document as a value: its history, its operations and the changes that wait for others.
///
/// Every throwing operation leaves the value as it was. `Document` is this behind a lock.
package struct DocumentState: Sendable {
  var history = History()
  var operations: OpSet
  var queue = ChangeQueue()
  /// The operations since the last commit.
  var transaction: Transaction?
  var keys = KeyCache()
  var encoder = ChangeEncoder()
  /// What makes changes again that the history does not keep.
  var greatChunks: GreatChunks?

  /// Makes a document without changes.
  package init(textEncoding: TextEncoding = .unicodeScalar) {
    operations = OpSet(textEncoding: textEncoding)
  }

  /// All actors that the changes name.
  var actors: ActorTable { operations.actors }

  /// The hashes nobody depends on, ascending.
  package var heads: [ChangeHash] { history.heads }

  /// The number of changes; what waits in the queue does not count.
  package var changeCount: Int { history.count }

  /// The number of changes that wait for others.
  package var queuedCount: Int { queue.count }

  /// The changes the queue waits for, ascending.
  package var missingDependencies: [ChangeHash] {
    queue.missingDependencies { history.row(of: $0) != nil }
  }

  /// The greatest operation counter of all changes.
  package var maxCounter: UInt32 { history.maxCounter }

  /// The number of operation rows, deletes not included.
  package var operationCount: Int { operations.operationCount }

  /// The actors that wrote changes, ascending.
  package var actorIDs: [ActorId] { actors.ascendingIDs }

  /// The place of each actor among them, by the number that operations have for it.
  package var actorPlaces: [UInt32] { actors.places }

  package func contains(_ hash: ChangeHash) -> Bool { history.row(of: hash) != nil }

  // MARK: Changes

  /// Returns what is known about the change at a row, in the order of application.
  package func change(at row: Int) -> ChangeSummary {
    let change = history.changes[row]
    return ChangeSummary(
      hash: change.hash, actor: actors[Int(change.actor)], sequence: change.sequence,
      startCounter: change.startCounter, operationCount: Int(change.operationCount),
      time: change.time, message: [UInt8](history.chunks[(change.message ?? .empty).range]),
      dependencies: history.dependencyHashes(of: row))
  }

  /// Returns the row of a change, or nil if it is not applied.
  package func row(ofChange hash: ChangeHash) -> Int? { history.row(of: hash) }

  /// Returns the row of an actor's change with a sequence number, which starts at 1. Logarithmic.
  package func row(ofChangeBy actor: ActorId, sequence: Int) -> Int? {
    guard let index = actors.index(of: actor) else { return nil }
    let rows = history.rowsOfActor[index]
    guard sequence > 0, sequence <= rows.count else { return nil }
    return Int(rows[sequence - 1])
  }

  /// Returns the row of the change that made an operation, or nil if no change did. Logarithmic.
  package func row(ofChangeThatMade id: OpID) -> Int? {
    guard !id.isRoot, id.actor < history.rowsOfActor.count else { return nil }
    let rows = history.rowsOfActor[id.actor]
    var range = rows.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let change = history.changes[Int(rows[middle])]
      if id.counter < change.startCounter {
        range = range.lowerBound..<middle
      } else if id.counter - change.startCounter < change.operationCount {
        return Int(rows[middle])
      } else {
        range = middle + 1..<range.upperBound
      }
    }
    return nil
  }
}

/// What a change says about itself, without its operations.
package struct ChangeSummary: Hashable, Sendable {
  package let hash: ChangeHash
  package let actor: ActorId
  /// 1, 2, 3, ... per actor.
  package let sequence: UInt32
  package let startCounter: UInt32
  package let operationCount: Int
  /// Seconds since 1970 by convention, 0 for not given.
  package let time: Int64
  /// UTF-8; empty for no message.
  package let message: [UInt8]
  package let dependencies: [ChangeHash]

  /// The greatest operation counter; one less than the start if there are no operations.
  package var maxCounter: UInt32 { startCounter &- 1 &+ UInt32(operationCount) }
}
