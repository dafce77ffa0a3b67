/// What is written to a key or an element.
enum NewValue {
  case scalar(ScalarValue)
  case object(ObjectKind)
}

/// Edits as operations (format.md 6.2). Each checks everything it needs before it changes anything;
/// `author` is who makes the change if the edit opens it.
extension DocumentState {
  // MARK: Maps

  /// Sets a key of a map. Making the only value a key has once more makes no operation.
  ///
  /// - Returns: the operation that made the value; nil if none was needed.
  @discardableResult
  mutating func put(
    _ object: OpID, key: String, _ value: NewValue, by author: ActorId
  ) throws(DocError) -> OpID? {
    let (name, group) = try prepare(object, key: key)
    return try replace(group, key: name, in: object, .map, by: value, author)
  }

  /// Deletes the values of a key, if it has any.
  mutating func delete(_ object: OpID, key: String, by author: ActorId) throws(DocError) {
    let (name, group) = try prepare(object, key: key)
    let visible = operations.visiblePlaces(in: group, at: nil)
    guard !visible.isEmpty else { return }
    try begin(by: author, operations: 1)
    var operation = Operation(id: nextID, object: object, action: .delete)
    operation.flags = .mapKey
    operation.name = name
    follow(group, visible, with: operation)
  }

  /// Adds to the counters of a key.
  mutating func increment(
    _ object: OpID, key: String, by amount: Int64, author: ActorId
  ) throws(DocError) {
    let (name, group) = try prepare(object, key: key)
    try increment(group, key: name, in: object, .map, by: amount, author)
  }

  private mutating func prepare(
    _ object: OpID, key: String
  ) throws(DocError) -> (name: PoolRange, group: OpSet.Group) {
    try expectRoom(bytes: key.utf8.count)
    let name = keys.range(of: key, in: &operations.pool)
    return (name, operations.group(of: object, key: name.range, in: operations.pool))
  }

  // MARK: Groups

  /// Makes a value the only one of a group.
  mutating func replace(
    _ group: OpSet.Group, key: PoolRange, in object: OpID, _ kind: ObjectKind, by value: NewValue,
    _ author: ActorId
  ) throws(DocError) -> OpID? {
    var operation = try make(value, in: object)
    let visible = operations.visiblePlaces(in: group, at: nil)
    if case .scalar = value, isOnlyValue(operation, of: group, visible) {
      // The bytes were appended last and nobody refers to them.
      operations.pool.removeSubrange(Int(operation.value.start)...)
      return nil
    }
    try begin(by: author, operations: 1)
    operation.id = nextID
    if kind == .map {
      operation.flags = .mapKey
      operation.name = key
    } else {
      operation.element = operations[group.start].id
    }
    operation.width = operations.width(of: operation, in: kind)
    return follow(group, visible, with: operation)
  }

  mutating func increment(
    _ group: OpSet.Group, key: PoolRange, in object: OpID, _ kind: ObjectKind, by amount: Int64,
    _ author: ActorId
  ) throws(DocError) {
    let visible = operations.visiblePlaces(in: group, at: nil)
    guard visible.contains(where: { operations[$0].isCounter }) else {
      throw DocError(reason: .missingCounter)
    }
    try begin(by: author, operations: 1)
    var operation = Operation(id: nextID, object: object, action: .increment)
    if kind == .map {
      operation.flags = .mapKey
      operation.name = key
    } else {
      operation.element = operations[group.start].id
    }
    let start = operations.pool.count
    operations.pool.appendSLEB(amount)
    operation.valueType = .int
    operation.value = PoolRange(start..<operations.pool.count)
    follow(group, visible, with: operation)
  }

  /// Adds an operation that follows everything readers see of a group, and returns its id.
  @discardableResult
  mutating func follow(
    _ group: OpSet.Group, _ visible: [OpSet.Place], with operation: Operation
  ) -> OpID {
    var operation = operation
    for place in visible { transaction?.notePredecessor(operations[place].id) }
    transaction?.append(operation)
    for place in visible { operations.link(operation.id, operation.action, to: place) }
    if operation.isValue { operation.flags.formUnion([.visible, .winner]) }
    if operation.action == .delete { return operation.id }
    // What was no counter is hidden by an increment, and that may have been the winner.
    if operation.action == .increment { operations.refreshWinner(in: group) }
    operations.insert(operation, at: group.end)
    operations.objects.insert(madeBy: operation)
    return operation.id
  }

  // MARK: Operations

  var nextID: OpID { transaction?.nextID ?? .root }

  /// Returns an operation without an id that writes a value, its bytes in the pool.
  mutating func make(_ value: NewValue, in object: OpID) throws(DocError) -> Operation {
    switch value {
    case .object(let kind):
      return Operation(id: .root, object: object, action: kind.makeAction)
    case .scalar(let scalar):
      var operation = Operation(id: .root, object: object, action: .set)
      let start = operations.pool.count
      guard let type = scalar.append(to: &operations.pool) else {
        throw DocError(reason: .invalidValue)
      }
      guard operations.pool.count <= Int(UInt32.max) else {
        operations.pool.removeSubrange(start...)
        throw DocError(reason: .tooLarge)
      }
      operation.valueType = type
      operation.value = PoolRange(start..<operations.pool.count)
      return operation
    }
  }

  /// Throws unless the pool can take so many bytes more.
  func expectRoom(bytes count: Int) throws(DocError) {
    guard operations.pool.count + count <= Int(UInt32.max) else {
      throw DocError(reason: .tooLarge)
    }
  }

  /// Whether readers see exactly one value of a group, and it is a scalar equal to the new one. As
  /// numbers compare, no value equals NaN.
  private func isOnlyValue(
    _ new: Operation, of group: OpSet.Group, _ visible: [OpSet.Place]
  ) -> Bool {
    guard visible.count == 1, let only = visible.first else { return false }
    let old = operations[only]
    guard old.action == .set, old.valueType == new.valueType else { return false }
    switch new.valueType {
    case .float64:
      return operations.pool.double(at: old.value) == operations.pool.double(at: new.value)
    case .counter:
      return operations.counterValue(only, in: group, at: nil)
        == operations.pool.signed(at: new.value)
    default:
      return operations.pool.areEqual(old.value.range, new.value.range)
    }
  }
}
