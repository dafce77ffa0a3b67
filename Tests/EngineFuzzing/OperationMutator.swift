/// Changes the operations of a change one at a time, so that most of them stay possible.
struct OperationMutator {
  var generator: SeededGenerator

  mutating func mutate(_ change: inout ForgedChange) {
    guard !change.operations.isEmpty else {
      change.operations.append(.set("key", .null))
      return
    }
    let index = generator.below(change.operations.count)
    let other = change.operations[generator.below(change.operations.count)]
    let ids = Self.ids(in: change)
    switch generator.below(16) {
    case 0: change.operations.remove(at: index)
    case 1: change.operations.insert(other, at: index)
    case 2: change.operations.swapAt(index, generator.below(change.operations.count))
    case 3: change.operations[index].action = UInt64(generator.below(9))
    case 4: change.operations[index].key = other.key
    case 5:
      change.operations[index].key = .name(
        ["", "a", "key", "\u{e9}", "e\u{301}"].random(&generator))
    case 6: change.operations[index].key = .element(ids.random(&generator))
    case 7: change.operations[index].object = other.object
    case 8: change.operations[index].object = ids.random(&generator)
    case 9: change.operations[index].isInsert.toggle()
    case 10: change.operations[index].predecessors.append(ids.random(&generator))
    case 11: change.operations[index].predecessors = []
    case 12: change.operations[index].predecessors.sort()
    case 13:
      change.operations[index].isExpanding.toggle()
      change.operations[index].markName = generator.oneIn(2) ? "bold" : nil
    default: change.operations[index].value = value(change.operations[index].value)
    }
    // Most ways to be refused are of no interest.
    if index < change.operations.count, generator.oneIn(2) {
      change.operations[index].predecessors.sort()
    }
  }

  /// The ids that a change names or makes.
  private static func ids(in change: ForgedChange) -> [ForgedOperation.ID] {
    var ids: [ForgedOperation.ID] = []
    for (index, operation) in change.operations.enumerated() {
      ids.append(change.id(index))
      if let object = operation.object { ids.append(object) }
      if case .element(let element) = operation.key { ids.append(element) }
      ids += operation.predecessors
    }
    return ids.isEmpty ? [ForgedOperation.ID(counter: 1, actor: change.author)] : ids
  }

  private mutating func value(_ value: ForgedOperation.Value) -> ForgedOperation.Value {
    switch generator.below(4) {
    case 0: .raw(UInt64(generator.below(16)), value.bytes)
    case 1: .raw([3, 4, 8, 9].random(&generator), generator.edgeNumber())
    case 2:
      [.null, .boolean(true), .string("\u{1f600}"), .double(.nan), .counter(1)].random(&generator)
    default:
      .raw(value.typeCode, LibFuzzer.mutated(value.bytes, maxCount: value.bytes.count + 8))
    }
  }
}

extension Array {
  /// Returns one of the elements, of which there is at least one.
  fileprivate func random(_ generator: inout SeededGenerator) -> Element {
    self[generator.below(count)]
  }
}
