import Automerge

/// What a set of operations means, worked out from nothing but the set (format.md 5).
struct ModelView {
  typealias ID = ModelOperation.ID

  /// A value as readers see it.
  enum Shown: Hashable {
    case object(ID, ObjType)
    case scalar(ModelScalar)
  }

  private let operations: [ID: ModelOperation]
  private let successors: [ID: [ModelOperation]]
  private let byObject: [ID?: [ModelOperation]]

  /// Takes operations in any order.
  init(_ all: [ModelOperation]) {
    var operations: [ID: ModelOperation] = [:]
    var successors: [ID: [ModelOperation]] = [:]
    for operation in all {
      operations[operation.id] = operation
      for predecessor in operation.predecessors {
        successors[predecessor, default: []].append(operation)
      }
    }
    self.operations = operations
    self.successors = successors
    byObject = Dictionary(grouping: all, by: \.object)
  }

  /// Every object that was ever made, the root included.
  var objects: [ID?] {
    [nil] + operations.values.filter { $0.action.madeKind != nil }.map(\.id).sorted()
  }

  /// The kind of an object, nil if nothing made it.
  func kind(of object: ID?) -> ObjType? {
    guard let object else { return .Map }
    return operations[object]?.action.madeKind
  }

  func operation(_ id: ID) -> ModelOperation? { operations[id] }

  func operations(on object: ID?) -> [ModelOperation] { byObject[object, default: []] }

  /// Whether readers see an operation (format.md 5.3).
  func isVisible(_ operation: ModelOperation) -> Bool {
    let successors = successors[operation.id, default: []]
    switch operation.action {
    case .increment, .delete, .mark:
      return false
    case .set where operation.value.isCounter:
      return successors.allSatisfy { $0.action == .increment }
    case .set, .makeMap, .makeList, .makeText, .makeTable:
      return successors.isEmpty
    }
  }

  /// Returns what readers see of a visible operation; of a counter, the start and all increments.
  func shown(_ operation: ModelOperation) -> Shown {
    if let kind = operation.action.madeKind { return .object(operation.id, kind) }
    guard operation.value.isCounter else { return .scalar(operation.value) }
    let amounts = successors[operation.id, default: []].map(\.value.number)
    return .scalar(.counter(amounts.reduce(operation.value.number, &+)))
  }

  // MARK: Maps

  /// Returns the visible operations on a key, ascending: the last one wins.
  func values(of object: ID?, name: [UInt8]) -> [ModelOperation] {
    operations(on: object).filter { $0.key == .name(name) && isVisible($0) }
      .sorted { $0.id < $1.id }
  }

  /// Returns the keys readers see with the visible operations on each, ascending.
  func entries(of object: ID?) -> [(name: [UInt8], values: [ModelOperation])] {
    var values: [[UInt8]: [ModelOperation]] = [:]
    for operation in operations(on: object) where isVisible(operation) {
      if case .name(let name) = operation.key { values[name, default: []].append(operation) }
    }
    return values.map { (name: $0.key, values: $0.value.sorted { $0.id < $1.id }) }
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }
}
