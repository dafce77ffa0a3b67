/// The operations of changes that are about to be applied, in the numbering of the document.
struct AddedOperations {
  /// Operations of one change on one object, one after another.
  struct Run: Comparable {
    let object: OpID
    var rows: Range<Int>

    static func < (left: Run, right: Run) -> Bool { left.object < right.object }
  }

  /// That one operation overwrites, deletes or increments another.
  struct Link {
    let target: OpID
    let source: OpID
    let object: OpID
    let element: OpID
    let key: PoolRange
    let isMapOperation: Bool
  }

  private let batch: ChangeBatch
  private let entries: [Int]
  private let actors: [UInt32]
  private let poolShift: Int

  private(set) var operations: [Operation] = []
  private(set) var links: [Link] = []
  var runs: [Run] = []
  var objects: [OpSet.Object] = []

  static let unknownActor = UInt32.max

  init(_ batch: ChangeBatch, entries: [Int], actors: [UInt32], poolShift: Int) {
    self.batch = batch
    self.entries = entries
    self.actors = actors
    self.poolShift = poolShift
  }

  /// Renumbers the operations and notes what they make, touch and replace.
  mutating func collect() throws(Misfit) {
    operations.reserveCapacity(batch.operations.count)
    for entry in entries {
      var lastObject: OpID?
      for index in batch.entries[entry].operations {
        let original = batch.operations[index]
        var operation = original
        operation.id = try renumber(original.id, for: original.id)
        operation.object = try renumber(original.object, for: operation.id)
        operation.element = try renumber(original.element, for: operation.id)
        operation.key = original.key.moved(by: poolShift)
        operation.value = original.value.moved(by: poolShift)
        operation.markName = original.markName.moved(by: poolShift)
        guard operation.object < operation.id, operation.element < operation.id else {
          throw Misfit(.objectFromTheFuture, operation.id)
        }
        for predecessor in original.related {
          links.append(
            Link(
              target: try renumber(batch.predecessors[predecessor], for: operation.id),
              source: operation.id,
              object: operation.object, element: operation.element, key: operation.key,
              isMapOperation: operation.isMapOperation))
        }
        operation.relatedStart = 0
        operation.relatedCount = 0
        if let kind = operation.action.madeObject {
          objects.append(OpSet.Object(id: operation.id, kind: kind, rows: 0..<0))
        }
        // A delete is known by its links alone.
        guard operation.action != .delete else { continue }
        if operation.object == lastObject {
          runs[runs.count - 1].rows = runs[runs.count - 1].rows.lowerBound..<operations.count + 1
        } else {
          runs.append(Run(object: operation.object, rows: operations.count..<operations.count + 1))
          lastObject = operation.object
        }
        operations.append(operation)
      }
    }
  }

  @inline(__always)
  private func renumber(_ id: OpID, for operation: OpID) throws(Misfit) -> OpID {
    guard !id.isRoot else { return id }
    let actor = actors[id.actor]
    guard actor != Self.unknownActor else { throw Misfit(.unknownPredecessor, operation) }
    return OpID(counter: id.counter, actor: actor)
  }
}
