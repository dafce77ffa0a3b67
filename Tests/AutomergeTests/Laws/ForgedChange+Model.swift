import Automerge

extension ForgedChange {
  /// The change of a model as the forger writes it.
  init(_ change: ModelChange, hash: (ModelChange.ID) -> [UInt8]) {
    self.init(operations: change.operations.map(ForgedOperation.init))
    dependencies = change.dependencies.map(hash).sorted { $0.lexicographicallyPrecedes($1) }
    author = change.id.actor.bytes
    sequence = change.id.sequence
    startCounter = change.startCounter
    time = change.time
    message = Array(change.message.utf8)
  }
}

extension ForgedOperation {
  fileprivate init(_ operation: ModelOperation) {
    func id(_ id: ModelOperation.ID) -> ID { ID(counter: id.counter, actor: id.actor.bytes) }
    let key: Key =
      switch operation.key {
      case .name(let name): .name(String(decoding: name, as: UTF8.self))
      case .element(nil): .head
      case .element(let element?): .element(id(element))
      }
    self.init(
      Action(rawValue: UInt64(operation.action.rawValue)) ?? .set,
      in: operation.object.map(id), key,
      .raw(UInt64(operation.value.typeCode), operation.value.bytes),
      predecessors: operation.predecessors.map(id))
    isInsert = operation.isInsert
    isExpanding = operation.expands
    markName = operation.markName.map { String(decoding: $0, as: UTF8.self) }
  }
}
