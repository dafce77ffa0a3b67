extension ForgedColumnList {
  /// The operation columns of a change; `index` numbers its actors.
  init(operations: [ForgedOperation], index: ([UInt8]) -> UInt64?) {
    let elements = operations.map { operation -> (counter: UInt64, actor: [UInt8]?)? in
      switch operation.key {
      case .name: nil
      case .head: (0, nil)
      case .element(let id): (id.counter, id.actor)
      }
    }
    let names = operations.map { operation -> [UInt8]? in
      if case .name(let name) = operation.key { Array(name.utf8) } else { nil }
    }
    let predecessors = operations.flatMap(\.predecessors)
    self.init([
      ColumnNumber.objectActor: ForgedColumn.unsigned(
        operations.map { $0.object.flatMap { index($0.actor) } }),
      ColumnNumber.objectCounter: ForgedColumn.unsigned(operations.map { $0.object?.counter }),
      ColumnNumber.keyActor: ForgedColumn.unsigned(
        elements.map { $0.flatMap { $0.actor.flatMap(index) } }),
      ColumnNumber.keyCounter: ForgedColumn.delta(
        elements.map { $0.map { Int64(bitPattern: $0.counter) } }),
      ColumnNumber.keyName: ForgedColumn.strings(names),
      ColumnNumber.insert: ForgedColumn.booleans(operations.map(\.isInsert)),
      ColumnNumber.action: ForgedColumn.unsigned(operations.map(\.action)),
      ColumnNumber.valueMetadata: ForgedColumn.unsigned(operations.map(\.value.metadata)),
      ColumnNumber.value: operations.flatMap(\.value.bytes),
      ColumnNumber.predecessorGroup: ForgedColumn.unsigned(
        operations.map { UInt64($0.predecessors.count) }),
      ColumnNumber.predecessorActor: ForgedColumn.unsigned(predecessors.map { index($0.actor) }),
      ColumnNumber.predecessorCounter: ForgedColumn.delta(
        predecessors.map { Int64(bitPattern: $0.counter) }),
      ColumnNumber.expand: operations.contains(where: \.isExpanding)
        ? ForgedColumn.booleans(operations.map(\.isExpanding)) : [],
      ColumnNumber.markName: ForgedColumn.strings(
        operations.map { $0.markName.map { Array($0.utf8) } }),
    ])
  }
}
