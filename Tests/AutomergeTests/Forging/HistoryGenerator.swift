/// Makes histories of several actors who edit, merge and edit again: the same seed makes the same
/// history.
///
/// Everything is valid; the rules of what an operation may name are followed here by searching
/// through all operations, which is slow and plain.
struct HistoryGenerator {
  private typealias ID = ForgedOperation.ID

  /// An operation with the index of the change it is in.
  private struct Known {
    let id: ID
    let operation: ForgedOperation
    let change: Int
  }

  private var generator: SeededGenerator
  private let actors: [[UInt8]]
  private var changes: [ForgedChange] = []
  private var operations: [Known] = []
  /// For each actor, the changes it has seen, closed under dependencies.
  private var seen: [Set<Int>]
  private var sequences: [UInt64]

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    // Of different lengths, some a prefix of others: order by bytes, not by length.
    let all: [[UInt8]] = [[0xaa], [0x10, 0x20], [0x10], [0x7f, 0xff, 0x00], [0xaa, 0x00]]
    actors = Array(all.prefix(1 + generator.below(all.count)))
    seen = [Set<Int>](repeating: [], count: actors.count)
    sequences = [UInt64](repeating: 0, count: actors.count)
  }

  /// Returns a history in causal order.
  mutating func history(changeCount: Int) -> [ForgedChange] {
    for _ in 0..<changeCount { appendChange(by: generator.below(actors.count)) }
    return changes
  }

  private mutating func appendChange(by actor: Int) {
    if generator.oneIn(2) { seen[actor].formUnion(seen[generator.below(actors.count)]) }
    let known = seen[actor]
    let built = Set(known.flatMap { changes[$0].dependencies })
    var change = ForgedChange()
    change.author = actors[actor]
    sequences[actor] += 1
    change.sequence = sequences[actor]
    change.dependencies = known.map { changes[$0].hash }.filter { !built.contains($0) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    let greatest = known.map {
      changes[$0].startCounter + UInt64(changes[$0].operations.count) - 1
    }
    change.startCounter = (greatest.max() ?? 0) + 1 + UInt64(generator.oneIn(9) ? 5 : 0)
    change.time = Int64(generator.below(100)) - 10
    if generator.oneIn(3) { change.message = Array("é\(generator.below(100))".utf8) }
    if generator.oneIn(12) { change.extra = [1, 2, 3] }

    let index = changes.count
    var mine = operations.filter { known.contains($0.change) }
    for _ in 0..<generator.below(7) {
      let operation = operation(after: mine)
      let id = change.startCounter + UInt64(change.operations.count)
      let added = Known(
        id: ID(counter: id, actor: change.author), operation: operation, change: index)
      change.operations.append(operation)
      mine.append(added)
      operations.append(added)
    }
    changes.append(change)
    seen[actor].insert(index)
  }

  private mutating func operation(after known: [Known]) -> ForgedOperation {
    let makes: [ForgedOperation.Action] = [.makeMap, .makeList, .makeText, .makeTable]
    let objects = known.filter { entry in makes.contains { $0.rawValue == entry.operation.action } }
    guard !objects.isEmpty, !generator.oneIn(3) else { return mapOperation(in: nil, known) }
    let object = objects[generator.below(objects.count)]
    let isMap = [.makeMap, .makeTable].contains {
      (action: ForgedOperation.Action) in action.rawValue == object.operation.action
    }
    return isMap ? mapOperation(in: object.id, known) : listOperation(in: object.id, known)
  }

  private mutating func mapOperation(in object: ID?, _ known: [Known]) -> ForgedOperation {
    let names = ["", "a", "b", "é", "e\u{301}", "～", "😀"]
    let key = ForgedOperation.Key.name(names[generator.below(names.count)])
    return update(in: object, key, visible: visible(in: object, key, known))
  }

  private mutating func listOperation(in object: ID, _ known: [Known]) -> ForgedOperation {
    let elements = known.filter { $0.operation.object == object && $0.operation.isInsert }
    if elements.isEmpty || generator.oneIn(2) {
      let reference = generator.below(elements.count + 1)
      var insert = ForgedOperation.insert(
        value(), in: object, after: reference == 0 ? nil : elements[reference - 1].id)
      if generator.oneIn(5) {
        insert.action = ForgedOperation.Action.makeMap.rawValue
        insert.value = .null
      }
      return insert
    }
    let key = ForgedOperation.Key.element(elements[generator.below(elements.count)].id)
    return update(in: object, key, visible: visible(in: object, key, known))
  }

  /// A set, make, delete or increment of a key or an element.
  private mutating func update(
    in object: ID?, _ key: ForgedOperation.Key, visible: [Known]
  ) -> ForgedOperation {
    let predecessors = visible.map(\.id).sorted()
    let hasCounter = visible.contains { $0.operation.value.typeCode == 8 }
    switch generator.below(6) {
    case 0 where !predecessors.isEmpty:
      return ForgedOperation(.delete, in: object, key, predecessors: predecessors)
    case 1 where hasCounter, 2 where hasCounter:
      let amount = ForgedOperation.Value.signed(Int64(generator.below(20)) - 5)
      return ForgedOperation(.increment, in: object, key, amount, predecessors: predecessors)
    case 3:
      let kinds: [ForgedOperation.Action] = [.makeMap, .makeList, .makeText]
      let kind = kinds[generator.below(kinds.count)]
      return ForgedOperation(kind, in: object, key, predecessors: predecessors)
    default:
      return ForgedOperation(.set, in: object, key, value(), predecessors: predecessors)
    }
  }

  /// The operations on a key or element that nothing known has overwritten; increments overwrite
  /// nothing that is a counter.
  private func visible(in object: ID?, _ key: ForgedOperation.Key, _ known: [Known]) -> [Known] {
    let here = known.filter { entry in
      guard entry.operation.object == object else { return false }
      if case .element(let element) = key, entry.operation.isInsert { return entry.id == element }
      return !entry.operation.isInsert && entry.operation.key == key
    }
    let isIncrement = { (entry: Known) in
      entry.operation.action == ForgedOperation.Action.increment.rawValue
    }
    return here.filter { entry in
      guard entry.operation.action != ForgedOperation.Action.delete.rawValue, !isIncrement(entry)
      else { return false }
      let isCounter = entry.operation.value.typeCode == 8
      return !here.contains {
        $0.operation.predecessors.contains(entry.id) && !(isCounter && isIncrement($0))
      }
    }
  }

  private mutating func value() -> ForgedOperation.Value {
    switch generator.below(12) {
    case 0: .null
    case 1: .boolean(generator.oneIn(2))
    case 2: .unsigned(generator.next() >> UInt64(generator.below(64)))
    case 3: .signed(Int64(bitPattern: generator.next()) >> Int64(generator.below(64)))
    case 4: .double(Double(bitPattern: generator.next()))
    case 5: .bytes([generator.byte()])
    case 6, 7: .counter(Int64(generator.below(100)))
    case 8: .timestamp(1_700_000_000_000)
    case 9: .raw(12, [generator.byte(), generator.byte()])
    default: .string(["", "x", "é", "👩‍👧"][generator.below(4)])
    }
  }
}
