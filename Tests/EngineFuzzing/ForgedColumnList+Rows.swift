/// The columns that hold the ids an operation refers to.
struct RelatedColumns {
  let group: UInt64
  let actor: UInt64
  let counter: UInt64

  static let predecessors = RelatedColumns(
    group: ColumnNumber.predecessorGroup, actor: ColumnNumber.predecessorActor,
    counter: ColumnNumber.predecessorCounter)
  static let successors = RelatedColumns(
    group: ColumnNumber.successorGroup, actor: ColumnNumber.successorActor,
    counter: ColumnNumber.successorCounter)
}

extension ForgedColumnList {
  /// Returns a column taken apart; an empty one if it is absent.
  func items(_ specification: UInt64) throws -> ColumnItems {
    let bytes = self[specification] ?? []
    return try ColumnItems(Column(specification: specification, bytes: bytes))
  }

  /// Returns the rows of an operation table; in changes, where operations have no ids, all have
  /// the counter 0. The related ids are left in `successors`.
  func rows(actors: [[UInt8]], _ related: RelatedColumns) throws -> [ForgedDocument.Row] {
    let count = try items(ColumnNumber.action).items.count
    let actions = try items(ColumnNumber.action).unsigned
    func ids(_ actor: UInt64, _ counter: [UInt64?]) throws -> [ForgedOperation.ID?] {
      let indexes = try items(actor).unsigned
      return counter.indices.map { row in
        guard row < indexes.count, let index = indexes[row], index < actors.count,
          let counter = counter[row]
        else { return nil }
        return ForgedOperation.ID(counter: counter, actor: actors[Int(index)])
      }
    }
    func sums(_ specification: UInt64) throws -> [UInt64?] {
      try items(specification).sums.map { $0.map(UInt64.init(bitPattern:)) }
    }
    let objects = try ids(ColumnNumber.objectActor, try items(ColumnNumber.objectCounter).unsigned)
    let elements = try ids(ColumnNumber.keyActor, try sums(ColumnNumber.keyCounter))
    let names = try items(ColumnNumber.keyName).items
    let own = try ids(ColumnNumber.idActor, try sums(ColumnNumber.idCounter))
    let inserts = try items(ColumnNumber.insert).isTrue
    let expands = try items(ColumnNumber.expand).isTrue
    let marks = try items(ColumnNumber.markName).items
    let metadata = try items(ColumnNumber.valueMetadata).unsigned
    let groups = try items(related.group).unsigned
    let relatedIDs = try ids(related.actor, try sums(related.counter))
    var values = PlainReader(self[ColumnNumber.value] ?? [])
    var firstRelated = 0

    return try (0..<count).map { row in
      func at<Item>(_ column: [Item?]) -> Item? { row < column.count ? column[row] : nil }
      let key: ForgedOperation.Key =
        at(names).map { .name(String(decoding: $0, as: UTF8.self)) }
        ?? at(elements).map { .element($0) } ?? .head
      var operation = ForgedOperation(.set, in: at(objects), key)
      operation.action = at(actions) ?? 0
      operation.isInsert = row < inserts.count && inserts[row]
      operation.isExpanding = row < expands.count && expands[row]
      operation.markName = at(marks).map { String(decoding: $0, as: UTF8.self) }
      let type = at(metadata) ?? 0
      operation.value = .raw(type & 15, try values.take(Int(clamping: type >> 4)))
      let end = min(relatedIDs.count, firstRelated + Int(clamping: min(at(groups) ?? 0, 1 << 20)))
      let related = relatedIDs[firstRelated..<end].compactMap(\.self)
      firstRelated = end
      return ForgedDocument.Row(
        id: at(own) ?? ForgedOperation.ID(counter: 0, actor: []), operation: operation,
        successors: related)
    }
  }
}

extension ForgedChange {
  /// Reads the operations of a change, so that they can be changed one by one.
  init(_ parts: Parts) throws {
    self.init()
    dependencies = parts.dependencies
    author = parts.author
    sequence = ForgedNumber.unsigned(parts.sequence)
    startCounter = ForgedNumber.unsigned(parts.startCounter)
    guard startCounter <= ForgedDocument.greatestCounter else {
      throw ForgedDocument.Contradiction()
    }
    time = ForgedNumber.signed(parts.time)
    message = parts.message
    extra = parts.extra
    operations = try parts.columns.rows(actors: [author] + parts.otherActors, .predecessors).map {
      row in
      var operation = row.operation
      operation.predecessors = row.successors
      return operation
    }
  }
}
