/// A document chunk put together from changes without the engine, with pieces a test can bend.
struct ForgedDocument {
  /// One row of the operation table.
  struct Row {
    var id: ForgedOperation.ID
    var operation: ForgedOperation
    var successors: [ForgedOperation.ID] = []

    /// The element of a list the row is about; nil in maps.
    fileprivate var element: ForgedOperation.ID? {
      if operation.isInsert { return id }
      if case .element(let element) = operation.key { return element }
      return nil
    }
  }

  var actors: [[UInt8]]
  var heads: [[UInt8]]
  var changeColumns: ForgedColumnList
  var operationColumns: ForgedColumnList
  var headIndexes: [UInt64]?
  var trailing: [UInt8] = []

  /// Numbers of the columns that describe the changes.
  enum ChangeColumn {
    static let actor: UInt64 = 1
    static let sequence: UInt64 = 3
    static let maxCounter: UInt64 = 19
    static let time: UInt64 = 35
    static let message: UInt64 = 53
    static let dependencyGroup: UInt64 = 64
    static let dependencies: UInt64 = 67
    static let extraMetadata: UInt64 = 86
    static let extra: UInt64 = 87
  }

  /// Builds the document of changes in causal order. `rows` may rearrange or bend the operation
  /// table before it is encoded.
  init(_ changes: [ForgedChange], rows bend: (inout [Row]) -> Void = { _ in }) {
    let actors = Set(changes.map(\.author)).sorted { $0.lexicographicallyPrecedes($1) }
    let hashes = changes.map(\.hash)
    let used = Set(changes.flatMap(\.dependencies))
    var rows = Self.rows(of: changes)
    bend(&rows)
    func index(_ actor: [UInt8]) -> UInt64? { actors.firstIndex(of: actor).map(UInt64.init) }

    self.actors = actors
    heads = hashes.filter { !used.contains($0) }.sorted { $0.lexicographicallyPrecedes($1) }
    headIndexes = heads.compactMap { hashes.firstIndex(of: $0).map(UInt64.init) }

    let dependencies = changes.flatMap(\.dependencies)
    changeColumns = ForgedColumnList([
      ChangeColumn.actor: ForgedColumn.unsigned(changes.map { index($0.author) }),
      ChangeColumn.sequence: ForgedColumn.delta(changes.map { Int64(bitPattern: $0.sequence) }),
      ChangeColumn.maxCounter: ForgedColumn.delta(
        changes.map { Int64(bitPattern: $0.startCounter) + Int64($0.operations.count) - 1 }),
      ChangeColumn.time: ForgedColumn.delta(changes.map(\.time)),
      ChangeColumn.message: ForgedColumn.strings(
        changes.map { $0.message.isEmpty ? nil : $0.message }),
      ChangeColumn.dependencyGroup: ForgedColumn.unsigned(
        changes.map { UInt64($0.dependencies.count) }),
      ChangeColumn.dependencies: ForgedColumn.delta(
        dependencies.map { hashes.firstIndex(of: $0).map(Int64.init) }),
      ChangeColumn.extraMetadata: ForgedColumn.unsigned(
        changes.map { UInt64($0.extra.count) << 4 | 7 }),
      ChangeColumn.extra: changes.flatMap(\.extra),
    ])

    operationColumns = ForgedColumnList(operations: rows.map(\.operation), index: index)
    for column in [
      ColumnNumber.predecessorGroup, ColumnNumber.predecessorActor, ColumnNumber.predecessorCounter,
    ] {
      operationColumns[column] = nil
    }
    guard !rows.isEmpty else { return }
    let successors = rows.flatMap(\.successors)
    operationColumns[ColumnNumber.idActor] = ForgedColumn.unsigned(rows.map { index($0.id.actor) })
    operationColumns[ColumnNumber.idCounter] = ForgedColumn.delta(
      rows.map { Int64(bitPattern: $0.id.counter) })
    operationColumns[ColumnNumber.successorGroup] = ForgedColumn.unsigned(
      rows.map { UInt64($0.successors.count) })
    if !successors.isEmpty {
      operationColumns[ColumnNumber.successorActor] = ForgedColumn.unsigned(
        successors.map { index($0.actor) })
      operationColumns[ColumnNumber.successorCounter] = ForgedColumn.delta(
        successors.map { Int64(bitPattern: $0.counter) })
    }
  }

  var body: [UInt8] {
    ForgedNumber.uleb(UInt64(actors.count)) + actors.flatMap(ForgedNumber.prefixed)
      + ForgedNumber.uleb(UInt64(heads.count)) + heads.joined()
      + changeColumns.metadata + operationColumns.metadata
      + changeColumns.data + operationColumns.data
      + (headIndexes ?? []).flatMap { ForgedNumber.uleb($0) } + trailing
  }

  var chunk: ForgedChunk { ForgedChunk(type: 0, body: body) }
  var bytes: [UInt8] { chunk.bytes }

  /// The operation table: objects by id; the names of a map by their bytes, each with its
  /// operations by id; the elements of a list in sequence, each with its insert first.
  private static func rows(of changes: [ForgedChange]) -> [Row] {
    var all: [Row] = []
    var successors: [ForgedOperation.ID: [ForgedOperation.ID]] = [:]
    for change in changes {
      for (index, operation) in change.operations.enumerated() {
        for predecessor in operation.predecessors {
          successors[predecessor, default: []].append(change.id(index))
        }
        if operation.action != ForgedOperation.Action.delete.rawValue {
          all.append(Row(id: change.id(index), operation: operation))
        }
      }
    }
    for index in all.indices {
      all[index].successors = successors[all[index].id, default: []].sorted()
    }

    let root = ForgedOperation.ID(counter: 0, actor: [])
    let objects = Dictionary(grouping: all) { $0.operation.object ?? root }
    return objects.keys.sorted().flatMap { object -> [Row] in
      let rows = objects[object, default: []]
      let named = rows.filter { $0.element == nil }
      if !named.isEmpty {
        return named.sorted { left, right in
          guard case .name(let one) = left.operation.key, case .name(let two) = right.operation.key
          else { return false }
          return one.utf8.elementsEqual(two.utf8)
            ? left.id < right.id : one.utf8.lexicographicallyPrecedes(two.utf8)
        }
      }
      return sequence(of: rows.filter(\.operation.isInsert)).flatMap { insert in
        [insert]
          + rows.filter { !$0.operation.isInsert && $0.element == insert.id }.sorted {
            $0.id < $1.id
          }
      }
    }
  }

  /// Returns inserts in the order of the list: each after its reference, behind later ones there.
  private static func sequence(of inserts: [Row]) -> [Row] {
    var sequence: [Row] = []
    for insert in inserts.sorted(by: { $0.id < $1.id }) {
      var place = 0
      if case .element(let reference) = insert.operation.key {
        place = (sequence.firstIndex { $0.id == reference } ?? -1) + 1
      }
      while place < sequence.count, sequence[place].id > insert.id { place += 1 }
      sequence.insert(insert, at: place)
    }
    return sequence
  }
}
