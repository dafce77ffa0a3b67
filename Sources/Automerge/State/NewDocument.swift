/// The tables of a document that consists of the changes of a batch alone, which replace nothing; of
/// what they delete each has written it itself.
///
/// The entities of an imported month know nothing of each other: what a document chunk lists of them
/// follows from sorting (format.md 4.4, 5.5). A document made only to be written would hold each
/// operation twice and each change three times.
struct NewDocument {
  /// For each row the index of the change in the batch. One that comes twice has one row.
  private var entries: [UInt32] = []
  private var dependencyRows: [UInt32] = []
  /// For each row where its dependencies end.
  private var dependencyEnds: [UInt32] = []
  private var isFollowed: [Bool] = []
  /// For each actor of the batch the row of its change.
  private var rowOfActor: [UInt32]
  /// The actors of the batch in the order of their ids.
  private var actorOrder: [UInt32]
  /// The operations of the batch in document order.
  private var operations: [UInt32] = []
  /// What is deleted again: operations of the batch, and the deletes, which are no rows of a document
  /// but successors of what they delete.
  private var deletions: [(target: UInt32, delete: OpID)] = []
  private(set) var maxCounter: UInt32 = 0

  private static let none = UInt32.max

  /// Takes some changes of a batch in the order in which they are to be applied; nil unless sorting
  /// them is all there is to do.
  init?(_ order: [Int], of batch: ChangeBatch) {
    rowOfActor = [UInt32](repeating: Self.none, count: batch.actors.count)
    actorOrder = (0..<UInt32(batch.actors.count)).sorted {
      batch.actors[Int($0)] < batch.actors[Int($1)]
    }
    guard place(order, of: batch), !rowOfActor.contains(Self.none), sort(batch) else { return nil }
  }

  var changeCount: Int { entries.count }

  /// For each actor of the batch the number to write for it.
  private var ranks: [UInt32] {
    var ranks = [UInt32](repeating: 0, count: actorOrder.count)
    for (rank, actor) in actorOrder.enumerated() { ranks[Int(actor)] = UInt32(rank) }
    return ranks
  }

  /// Returns the changes that no other depends on, ascending by hash.
  private func heads(in batch: ChangeBatch) -> [(hash: ChangeHash, row: Int)] {
    isFollowed.indices.filter { !isFollowed[$0] }
      .map { (batch.entries[Int(entries[$0])].hash, $0) }
      .sorted { $0.0 < $1.0 }
  }

  // MARK: Changes

  /// Whether each change has an author of its own, and comes after all it depends on.
  private mutating func place(_ order: [Int], of batch: ChangeBatch) -> Bool {
    var index = RowIndex()
    index.reserveCapacity(order.count) { _ in 0 }
    entries.reserveCapacity(order.count)
    dependencyEnds.reserveCapacity(order.count)
    isFollowed.reserveCapacity(order.count)
    dependencyRows.reserveCapacity(batch.dependencies.count)
    for change in order {
      let entry = batch.entries[change]
      let known = rowOfActor[Int(entry.author)]
      if known != Self.none {
        guard batch.entries[Int(entries[Int(known)])].hash == entry.hash else { return false }
        continue
      }
      guard entry.sequence == 1 else { return false }
      for hash in batch.dependencies[entry.dependencies] {
        let row = index.row(hash.leadingWord) { row in
          batch.entries[Int(entries[Int(row)])].hash == hash
        }
        guard let row, batch.entries[Int(entries[Int(row)])].maxCounter < entry.startCounter
        else { return false }
        dependencyRows.append(row)
      }
      for row in dependencyRows[Int(dependencyEnds.last ?? 0)...] { isFollowed[Int(row)] = true }
      rowOfActor[Int(entry.author)] = UInt32(truncatingIfNeeded: entries.count)
      entries.append(UInt32(truncatingIfNeeded: change))
      dependencyEnds.append(UInt32(truncatingIfNeeded: dependencyRows.count))
      isFollowed.append(false)
      maxCounter = max(maxCounter, entry.maxCounter)
      index.insert(UInt32(entries.count - 1)) { row in
        batch.entries[Int(entries[Int(row)])].hash.leadingWord
      }
    }
    return true
  }

  private func dependencies(of row: Int) -> ArraySlice<UInt32> {
    dependencyRows[Int(row == 0 ? 0 : dependencyEnds[row - 1])..<Int(dependencyEnds[row])]
  }

  // MARK: Operations

  /// Operations of one change on one object that stand one after another.
  private struct Run: Comparable {
    /// The counter and the rank of the actor: objects ascend by it.
    let object: UInt64
    let first: UInt32
    var count: UInt32

    static func < (left: Run, right: Run) -> Bool {
      left.object != right.object ? left.object < right.object : left.first < right.first
    }
  }

  /// Puts the operations into document order; tells whether that could be done.
  private mutating func sort(_ batch: ChangeBatch) -> Bool {
    let ranks = ranks
    guard var runs = runs(of: batch, ranks) else { return false }
    runs.sort()
    operations.reserveCapacity(runs.reduce(0) { $0 + Int($1.count) })
    var members: [UInt32] = []
    var start = 0
    while start < runs.count {
      members.removeAll(keepingCapacity: true)
      var end = start
      while end < runs.count, runs[end].object == runs[start].object {
        members.append(contentsOf: runs[end].first..<runs[end].first + runs[end].count)
        end += 1
      }
      if batch.operations[Int(members[0])].isMapOperation {
        Self.sortByKey(&members, batch, ranks)
      } else if !Self.sortSequence(&members, batch, ranks) {
        return false
      }
      operations.append(contentsOf: members)
      start = end
    }
    return true
  }

  /// Returns the runs of all operations but deletes, which are noted; nil if one of them is more than a
  /// new value in an object that its change or one it depends on has made.
  private mutating func runs(of batch: ChangeBatch, _ ranks: [UInt32]) -> [Run]? {
    var runs: [Run] = []
    // More than there are: an array that grows is there twice, and unused room takes no memory.
    runs.reserveCapacity(2 * entries.count)
    for (row, change) in entries.enumerated() {
      var object: OpID?
      var kind = ObjectKind.map
      for index in batch.entries[Int(change)].operations {
        let operation = batch.operations[index]
        if operation.action == .delete {
          guard note(delete: index, of: batch.entries[Int(change)], in: batch) else { return nil }
          object = nil
          continue
        }
        if operation.object == object {
          runs[runs.count - 1].count += 1
        } else {
          object = operation.object
          guard let found = self.kind(of: operation.object, for: index, row, batch) else {
            return nil
          }
          kind = found
          let rank = operation.object.isRoot ? 0 : ranks[operation.object.actor]
          runs.append(
            Run(
              object: OpID(counter: operation.object.counter, actor: rank).raw,
              first: UInt32(truncatingIfNeeded: index), count: 1))
        }
        guard operation.isValue, operation.relatedCount == 0,
          kind.isSequence ? operation.isInsert : operation.isMapOperation
        else { return nil }
      }
    }
    return runs
  }

  /// Notes what a delete on a map deletes; tells whether its change has written all of that before.
  private mutating func note(
    delete index: Int, of entry: ChangeBatch.Entry, in batch: ChangeBatch
  ) -> Bool {
    let delete = batch.operations[index]
    guard delete.isMapOperation, delete.relatedCount > 0 else { return false }
    for related in delete.related {
      let id = batch.predecessors[related]
      guard id.counter >= entry.startCounter, id.counter < delete.id.counter else { return false }
      let target = entry.operations.lowerBound + Int(id.counter - entry.startCounter)
      let operation = batch.operations[target]
      guard operation.id == id, operation.isValue, operation.object == delete.object,
        batch.pool.areEqual(operation.name.range, delete.name.range)
      else { return false }
      deletions.append((UInt32(truncatingIfNeeded: target), delete.id))
    }
    return true
  }

  /// Returns the kind of an object that an operation of a row is on, if the operation can know it.
  private func kind(
    of object: OpID, for operation: Int, _ row: Int, _ batch: ChangeBatch
  ) -> ObjectKind? {
    if object.isRoot { return .map }
    let maker = rowOfActor[object.actor]
    guard Int(maker) == row || dependencies(of: row).contains(maker) else { return nil }
    let entry = batch.entries[Int(entries[Int(maker)])]
    guard object.counter >= entry.startCounter, object.counter <= entry.maxCounter else {
      return nil
    }
    let index = entry.operations.lowerBound + Int(object.counter - entry.startCounter)
    guard Int(maker) != row || index < operation, batch.operations[index].id == object else {
      return nil
    }
    return batch.operations[index].action.madeObject
  }

  /// By key, then by id.
  ///
  /// The map of an entity has few keys, nearly in order; the one of all entities is mostly sorted.
  private static func sortByKey(_ members: inout [UInt32], _ batch: ChangeBatch, _ ranks: [UInt32])
  {
    var sortedCount = 1
    while sortedCount < members.count,
      !precedes(members[sortedCount], members[sortedCount - 1], batch, ranks)
    {
      sortedCount += 1
    }
    if sortedCount >= members.count { return }
    guard members.count <= fewKeys else {
      return members.sort { precedes($0, $1, batch, ranks) }
    }
    for index in sortedCount..<members.count {
      let member = members[index]
      var place = index
      while place > 0, precedes(member, members[place - 1], batch, ranks) {
        members[place] = members[place - 1]
        place -= 1
      }
      members[place] = member
    }
  }

  /// So many keys are sorted by moving each to its place.
  private static let fewKeys = 32

  private static func precedes(
    _ left: UInt32, _ right: UInt32, _ batch: ChangeBatch, _ ranks: [UInt32]
  ) -> Bool {
    let left = batch.operations[Int(left)]
    let right = batch.operations[Int(right)]
    let order = batch.pool.compare(left.name.range, to: batch.pool, right.name.range)
    return order != 0 ? order < 0 : left.id.precedes(right.id, ranks)
  }

  /// Each element behind the one it goes after; of several there the youngest first. Tells whether
  /// all of them are in this list.
  private static func sortSequence(
    _ members: inout [UInt32], _ batch: ChangeBatch, _ ranks: [UInt32]
  ) -> Bool {
    var last = OpID.root
    let isSorted = members.allSatisfy { member in
      defer { last = batch.operations[Int(member)].id }
      return batch.operations[Int(member)].element == last
    }
    if isSorted { return true }
    var followers: [OpID: [UInt32]] = [:]
    for member in members {
      followers[batch.operations[Int(member)].element, default: []].append(member)
    }
    func takeFollowers(of element: OpID) -> [UInt32] {
      (followers.removeValue(forKey: element) ?? []).sorted { left, right in
        batch.operations[Int(left)].id.precedes(batch.operations[Int(right)].id, ranks)
      }
    }
    let count = members.count
    members.removeAll(keepingCapacity: true)
    var waiting = takeFollowers(of: .root)
    while let next = waiting.popLast() {
      members.append(next)
      waiting.append(contentsOf: takeFollowers(of: batch.operations[Int(next)].id))
    }
    return members.count == count
  }

  // MARK: Encoding

  /// The actors that a join's author comes behind.
  private func place(of author: ActorId, among actors: [ActorId]) -> Int {
    actorOrder.firstIndex(reaching: 1) { author < actors[Int($0)] ? 1 : 0 }
  }

  /// Writes the document and empties the batch.
  ///
  /// What is no longer needed goes before the next part is made.
  fileprivate mutating func write(
    _ batch: inout ChangeBatch, _ compressionLevel: Int32?,
    joinedBy join: (_ heads: [ChangeHash], _ maxCounter: UInt32) -> ChangeDraft?
  ) -> [UInt8] {
    var heads = heads(in: batch)
    var changes = encodedChanges(of: batch)
    var authors = entries.map { batch.entries[Int($0)].author }
    let messages = batch.chunks
    var actors = batch.actors
    batch.removeEntries()

    if let join = join(heads.map(\.hash), maxCounter) {
      precondition(join.operations.isEmpty && join.dependencies.elementsEqual(heads.map(\.hash)))
      changes.append(
        actor: nil, sequence: join.sequence, maxCounter: join.startCounter - 1, time: join.time,
        message: nil, extra: .empty, pool: messages,
        dependencies: heads.map { UInt32(truncatingIfNeeded: $0.row) }[...])
      heads = [(join.hash, entries.count)]
      let author = UInt32(truncatingIfNeeded: actors.count)
      actorOrder.insert(author, at: place(of: join.author, among: actors))
      actors.append(join.author)
      authors.append(author)
    }
    let ranks = ranks
    for author in authors { changes.append(actor: ranks[Int(author)]) }
    var changeColumns = ColumnWriter(compressionLevel: compressionLevel)
    changes.finish(pool: messages, into: &changeColumns)
    changeColumns.compress()
    let ascendingActors = actorOrder.map { actors[Int($0)] }
    actors = []

    var rowColumns = ColumnWriter(compressionLevel: compressionLevel)
    encodeOperations(of: &batch, ranks, into: &rowColumns)
    operations = []
    batch.removeAll()
    rowColumns.compress()
    var bytes: [UInt8] = []
    DocumentWriter.write(
      actors: ascendingActors, heads: heads, changes: &changeColumns, operations: &rowColumns,
      to: &bytes)
    return bytes
  }

  /// Returns the change columns without the authors.
  private func encodedChanges(of batch: ChangeBatch) -> ChangeRowEncoder {
    var encoder = ChangeRowEncoder()
    for (row, change) in entries.enumerated() {
      let entry = batch.entries[Int(change)]
      encoder.append(
        actor: nil, sequence: entry.sequence, maxCounter: entry.maxCounter, time: entry.time,
        message: entry.message.count > 0 ? entry.message : nil, extra: entry.extra,
        pool: batch.chunks, dependencies: dependencies(of: row))
    }
    return encoder
  }

  private mutating func encodeOperations(
    of batch: inout ChangeBatch, _ ranks: [UInt32], into columns: inout ColumnWriter
  ) {
    guard !operations.isEmpty else { return }
    // Deletes of one change have one author, so their counters order them.
    deletions.sort { left, right in
      left.target != right.target
        ? left.target < right.target : left.delete.counter < right.delete.counter
    }
    batch.setSuccessors(deletions)
    var encoder = OperationEncoder()
    var previous: Int?
    for index in operations.lazy.map(Int.init) {
      if let previous, batch.operations[index].follows(batch.operations[previous]) {
        encoder.appendFollower(batch.operations[index], pool: batch.pool, actors: ranks)
      } else {
        encoder.append(
          batch.operations[index], related: batch.predecessors, pool: batch.pool, actors: ranks)
        encoder.appendID(batch.operations[index].id, actors: ranks)
      }
      previous = index
    }
    encoder.finish(.document, pool: batch.pool, into: &columns)
  }
}

extension ChangeBatch {
  /// Returns the document that consists of these changes alone, as a file, and empties the batch.
  /// Nil if it takes more than sorting to make it; then the batch is as it was.
  ///
  /// - Parameters:
  ///   - order: the changes in the order in which they are to be applied.
  ///   - join: returns a change without operations and message that builds on all heads, if there
  ///     shall be one. It gets the heads, ascending, and the greatest operation counter.
  /// - Returns: the file, and how many changes it has.
  package mutating func takeDocument(
    of order: [Int], compressionLevel: Int32? = Compression.standardLevel,
    joinedBy join: (_ heads: [ChangeHash], _ maxCounter: UInt32) -> ChangeDraft?
  ) -> (bytes: [UInt8], changeCount: Int)? {
    guard var document = NewDocument(order, of: self) else { return nil }
    var isJoined = false
    let bytes = document.write(&self, compressionLevel) { heads, maxCounter in
      let draft = join(heads, maxCounter)
      isJoined = draft != nil
      return draft
    }
    return (bytes, document.changeCount + (isJoined ? 1 : 0))
  }
}
