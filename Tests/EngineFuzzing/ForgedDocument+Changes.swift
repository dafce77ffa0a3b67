extension ForgedDocument {
  struct Contradiction: Error {}

  /// Leaves room to count on without overflow.
  static let greatestCounter: UInt64 = 1 << 40

  /// Returns the changes that the tables of a document describe (format.md 4.6).
  ///
  /// Written without the engine, so that the heads it forges test the engine's.
  func changes() throws -> [ForgedChange] {
    let operations = try operationsByID()
    let authors = try changeColumns.items(ChangeColumn.actor).unsigned
    let sequences = try changeColumns.items(ChangeColumn.sequence).sums
    let counters = try changeColumns.items(ChangeColumn.maxCounter).sums
    let times = try changeColumns.items(ChangeColumn.time).sums
    let messages = try changeColumns.items(ChangeColumn.message).items
    let groups = try changeColumns.items(ChangeColumn.dependencyGroup).unsigned
    var dependencies = try changeColumns.items(ChangeColumn.dependencies).sums[...]
    let metadata = try changeColumns.items(ChangeColumn.extraMetadata).unsigned
    var extra = PlainReader(changeColumns[ChangeColumn.extra] ?? [])
    var lastCounters: [[UInt8]: UInt64] = [:]
    var changes: [ForgedChange] = []
    var hashes: [[UInt8]] = []

    for row in authors.indices {
      func at<Item>(_ column: [Item?]) throws -> Item {
        guard row < column.count, let item = column[row] else { throw Contradiction() }
        return item
      }
      var change = ForgedChange()
      let author = try at(authors)
      guard author < actors.count else { throw Contradiction() }
      change.author = actors[Int(author)]
      change.sequence = UInt64(bitPattern: try at(sequences))
      change.time = try at(times)
      change.message = row < messages.count ? messages[row] ?? [] : []
      let groupCount = Int(clamping: try at(groups))
      guard groupCount <= dependencies.count else { throw Contradiction() }
      change.dependencies = try dependencies.prefix(groupCount).map { index in
        guard let index, hashes.indices.contains(Int(clamping: index)) else {
          throw Contradiction()
        }
        return hashes[Int(index)]
      }
      dependencies = dependencies.dropFirst(groupCount)
      if row < metadata.count {
        change.extra = try extra.take(Int(clamping: (metadata[row] ?? 0) >> 4))
      }
      let maxCounter = UInt64(bitPattern: try at(counters))
      let last = lastCounters[change.author, default: 0]
      guard maxCounter >= last, maxCounter <= Self.greatestCounter else { throw Contradiction() }
      change.startCounter = maxCounter + 1
      for counter in stride(from: maxCounter, to: last, by: -1) {
        let id = ForgedOperation.ID(counter: counter, actor: change.author)
        guard let operation = operations[id] else { break }
        change.operations.append(operation)
        change.startCounter = counter
      }
      change.operations.reverse()
      lastCounters[change.author] = maxCounter
      changes.append(change)
      hashes.append(change.hash)
    }
    return changes
  }

  /// The operations as changes have them: with predecessors, and with deletes, which stand in a
  /// document as successors only.
  private func operationsByID() throws -> [ForgedOperation.ID: ForgedOperation] {
    let rows = try operationColumns.rows(actors: actors, .successors)
    var operations: [ForgedOperation.ID: ForgedOperation] = [:]
    for row in rows { operations[row.id] = row.operation }
    for row in rows {
      for successor in row.successors {
        let key =
          if case .name = row.operation.key { row.operation.key } else {
            row.operation.isInsert ? .element(row.id) : row.operation.key
          }
        let delete = ForgedOperation(.delete, in: row.operation.object, key)
        operations[successor, default: delete].predecessors.append(row.id)
      }
    }
    for id in operations.keys { operations[id]?.predecessors.sort() }
    return operations
  }

  /// Sets the heads to those that the tables lead to.
  mutating func forgeHeads() throws {
    let changes = try changes()
    let used = Set(changes.flatMap(\.dependencies))
    heads = changes.map(\.hash).filter { !used.contains($0) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }
}
