/// Builds one change after another, encodes it canonically and derives its author from its bytes
/// where that is asked for.
///
/// Operations name actors by their place in the change: 0 is the author, 1 and up are
/// `otherActors`. The caller gives operations in their final order and with ascending predecessors.
package struct ChangeDraft: Sendable {
  /// An operation as seen from inside the change.
  package struct LocalID: Hashable, Sendable {
    package let counter: UInt32
    package let actor: UInt32

    /// The root map; as an element, the place before the first.
    package static let root = LocalID(counter: 0, actor: 0)

    package init(counter: UInt32, actor: UInt32) {
      self.counter = counter
      self.actor = actor
    }

    fileprivate var id: OpID { OpID(counter: counter, actor: actor) }
  }

  private(set) var operations: [Operation] = []
  private(set) var predecessors: [OpID] = []
  private(set) var pool: [UInt8] = []
  private(set) var sequence: UInt32 = 1
  private(set) var startCounter: UInt32 = 1
  private(set) var dependencies: [ChangeHash] = []
  /// The actors besides the author that operations may name, ascending.
  package private(set) var otherActors: [ActorId] = []
  private(set) var time: Int64 = 0
  private var message: [UInt8] = []
  private var encoder = ChangeEncoder()
  private var identity: [UInt32] = [0]

  /// The author the change was finished with.
  package private(set) var author = ActorId(bytes: [])

  /// The hash of the finished change.
  package private(set) var hash = ChangeHash(words: (0, 0, 0, 0))

  /// Type, length and body of the finished change: what its hash covers.
  private(set) var hashedPart: [UInt8] = []

  package init() {}

  /// Starts a change and forgets the one before it.
  ///
  /// - Parameters:
  ///   - startCounter: the counter of the first operation; at least 1.
  ///   - otherActors: ascending, each used by some operation, none of them the author.
  package mutating func begin(
    sequence: UInt32, startCounter: UInt32, dependencies: [ChangeHash],
    otherActors: [ActorId] = [], time: Int64 = 0, message: [UInt8] = []
  ) {
    begin(sequence: sequence, startCounter: startCounter, onto: nil)
    self.dependencies = dependencies
    self.otherActors = otherActors
    self.time = time
    self.message = message
    while identity.count <= otherActors.count { identity.append(UInt32(identity.count)) }
  }

  /// Starts a change on top of one other or of none, and forgets the one before it.
  ///
  /// - Parameters:
  ///   - startCounter: the counter of the first operation; at least 1.
  ///   - base: the other one, and its author, whom some operation names.
  package mutating func begin(
    sequence: UInt32, startCounter: UInt32, onto base: (hash: ChangeHash, author: ActorId)?
  ) {
    precondition(sequence > 0 && startCounter > 0)
    operations.removeAll(keepingCapacity: true)
    predecessors.removeAll(keepingCapacity: true)
    pool.removeAll(keepingCapacity: true)
    self.sequence = sequence
    self.startCounter = startCounter
    dependencies.removeAll(keepingCapacity: true)
    otherActors.removeAll(keepingCapacity: true)
    time = 0
    message.removeAll(keepingCapacity: true)
    guard let base else { return }
    dependencies.append(base.hash)
    otherActors.append(base.author)
    if identity.count == 1 { identity.append(1) }
  }

  /// The number of operations so far.
  package var operationCount: Int { operations.count }

  /// Moves the whole change to another start, which must precede no operation it refers to.
  ///
  /// For changes whose first counter follows from how many operations they turned out to have.
  package mutating func renumber(startCounter: UInt32) {
    let distance = startCounter &- self.startCounter
    guard distance != 0 else { return }
    func moved(_ id: OpID) -> OpID {
      id.actor == 0 && !id.isRoot ? OpID(counter: id.counter &+ distance, actor: 0) : id
    }
    for index in operations.indices {
      operations[index].id = moved(operations[index].id)
      operations[index].object = moved(operations[index].object)
      operations[index].element = moved(operations[index].element)
    }
    for index in predecessors.indices { predecessors[index] = moved(predecessors[index]) }
    self.startCounter = startCounter
  }

  /// Keeps only those of the other actors that some operation names.
  ///
  /// For changes begun before it was known which of a document's actors they refer to.
  package mutating func dropUnusedActors() {
    var places = [UInt32](repeating: 0, count: otherActors.count + 1)
    func note(_ id: OpID) { if id.actor > 0 { places[id.actor] = 1 } }
    for operation in operations {
      note(operation.object)
      note(operation.element)
    }
    for predecessor in predecessors { note(predecessor) }
    var kept: [ActorId] = []
    for index in otherActors.indices where places[index + 1] == 1 {
      kept.append(otherActors[index])
      places[index + 1] = UInt32(kept.count)
    }
    otherActors = kept
    for index in operations.indices {
      operations[index].object = operations[index].object.renumbered(places)
      operations[index].element = operations[index].element.renumbered(places)
    }
    for index in predecessors.indices {
      predecessors[index] = predecessors[index].renumbered(places)
    }
  }

  // MARK: Operations on maps

  /// Makes an object at a key and returns its id.
  @discardableResult
  package mutating func makeObject(
    _ kind: ObjectKind, in object: LocalID, key: Span<UInt8>, predecessors: [LocalID] = []
  ) -> LocalID {
    append(kind.makeAction, object, key: key, predecessors: predecessors)
  }

  /// Sets a key to a value without bytes of its own.
  @discardableResult
  package mutating func set(
    _ value: DraftValue, in object: LocalID, key: Span<UInt8>, predecessors: [LocalID] = []
  ) -> LocalID {
    let id = append(.set, object, key: key, predecessors: predecessors)
    store(value)
    return id
  }

  /// Sets a key to a string, bytes or a value of unknown type.
  @discardableResult
  package mutating func set(
    _ type: ValueType, _ bytes: Span<UInt8>, in object: LocalID, key: Span<UInt8>,
    predecessors: [LocalID] = []
  ) -> LocalID {
    let id = append(.set, object, key: key, predecessors: predecessors)
    store(type, bytes)
    return id
  }

  /// Deletes the values `predecessors` of a key.
  package mutating func delete(
    in object: LocalID, key: Span<UInt8>, predecessors: [LocalID]
  ) {
    append(.delete, object, key: key, predecessors: predecessors)
  }

  /// Adds to the counters `predecessors` of a key.
  package mutating func increment(
    by amount: Int64, in object: LocalID, key: Span<UInt8>, predecessors: [LocalID]
  ) {
    append(.increment, object, key: key, predecessors: predecessors)
    store(.int(amount))
  }

  // MARK: Operations on lists and texts

  /// Inserts an object after an element and returns its id.
  @discardableResult
  package mutating func insertObject(
    _ kind: ObjectKind, in object: LocalID, after element: LocalID
  ) -> LocalID {
    insert(kind.makeAction, object, after: element)
  }

  /// Inserts a value without bytes of its own after an element and returns the new element.
  @discardableResult
  package mutating func insert(
    _ value: DraftValue, in object: LocalID, after element: LocalID
  ) -> LocalID {
    let id = insert(.set, object, after: element)
    store(value)
    return id
  }

  /// Inserts a string, bytes or a value of unknown type after an element.
  @discardableResult
  package mutating func insert(
    _ type: ValueType, _ bytes: Span<UInt8>, in object: LocalID, after element: LocalID
  ) -> LocalID {
    let id = insert(.set, object, after: element)
    store(type, bytes)
    return id
  }

  /// Inserts a string at the start of a text, one element for each Unicode scalar value.
  ///
  /// - Parameter string: valid UTF-8.
  package mutating func insertText(_ string: Span<UInt8>, in text: LocalID) {
    let first = pool.count
    pool.append(string)
    operations.reserveCapacity(operations.count + string.count)
    var element = OpID.root
    var start = 0
    while start < string.count {
      var end = start + 1
      while end < string.count, string[end] & 0xc0 == 0x80 { end += 1 }
      var operation = Operation(id: nextID.id, object: text.id, action: .set)
      operation.element = element
      operation.flags = .insert
      operation.valueType = .string
      operation.value = PoolRange(first + start..<first + end)
      operation.relatedStart = UInt32(truncatingIfNeeded: predecessors.count)
      element = operation.id
      operations.append(operation)
      start = end
    }
  }

  /// Makes an object in the place of the values `predecessors` of an element and returns its id.
  @discardableResult
  package mutating func makeObject(
    _ kind: ObjectKind, in object: LocalID, element: LocalID, predecessors: [LocalID]
  ) -> LocalID {
    append(kind.makeAction, object, element: element, predecessors: predecessors)
  }

  /// Replaces the values `predecessors` of an element.
  @discardableResult
  package mutating func set(
    _ value: DraftValue, in object: LocalID, element: LocalID, predecessors: [LocalID]
  ) -> LocalID {
    let id = append(.set, object, element: element, predecessors: predecessors)
    store(value)
    return id
  }

  /// Replaces the values `predecessors` of an element by a string, bytes or unknown value.
  @discardableResult
  package mutating func set(
    _ type: ValueType, _ bytes: Span<UInt8>, in object: LocalID, element: LocalID,
    predecessors: [LocalID]
  ) -> LocalID {
    let id = append(.set, object, element: element, predecessors: predecessors)
    store(type, bytes)
    return id
  }

  /// Deletes the values `predecessors` of an element.
  package mutating func delete(
    in object: LocalID, element: LocalID, predecessors: [LocalID]
  ) {
    append(.delete, object, element: element, predecessors: predecessors)
  }

  // MARK: Marks

  /// Begins a mark after an element; the next operation must be its end.
  ///
  /// - Parameter expands: whether what is inserted right in front belongs to the mark.
  package mutating func beginMark(
    _ name: Span<UInt8>, _ value: DraftValue, expands: Bool, in object: LocalID,
    after element: LocalID
  ) -> LocalID {
    let id = insertMark(name, expands: expands, object, after: element)
    store(value)
    return id
  }

  /// Begins a mark whose value is a string, bytes or of an unknown type.
  package mutating func beginMark(
    _ name: Span<UInt8>, _ type: ValueType, _ bytes: Span<UInt8>, expands: Bool,
    in object: LocalID, after element: LocalID
  ) -> LocalID {
    let id = insertMark(name, expands: expands, object, after: element)
    store(type, bytes)
    return id
  }

  /// Ends the mark that the operation before has begun.
  ///
  /// - Parameter expands: whether what is inserted right behind belongs to the mark.
  package mutating func endMark(expands: Bool, in object: LocalID, after element: LocalID) {
    insert(.mark, object, after: element)
    if expands { operations[operations.count - 1].flags.insert(.expand) }
  }

  private mutating func insertMark(
    _ name: Span<UInt8>, expands: Bool, _ object: LocalID, after element: LocalID
  ) -> LocalID {
    let id = insert(.mark, object, after: element)
    let last = operations.count - 1
    operations[last].flags.insert(.markName)
    if expands { operations[last].flags.insert(.expand) }
    let start = pool.count
    pool.append(name)
    operations[last].name = PoolRange(start..<pool.count)
    return id
  }

  // MARK: Finishing

  /// Completes the change with its author.
  package mutating func finish(author: ActorId) {
    encode(author: author)
    self.author = author
    hashWhole()
  }

  /// Completes the change with an author derived from it: the first 16 bytes of the SHA-256 of
  /// `label`, a zero byte and the body with sixteen zero bytes as its author.
  ///
  /// So equal authors mean equal changes, and who finds such a change can recompute its author.
  package mutating func finish(deriving label: StaticString) {
    encode(author: Self.zeroActor)
    author = ChangeHash(sha256Of: label, and: encoder.body).prefixActor
    encoder.replaceAuthor(author)
    hashWhole()
  }

  /// The finished change's body.
  package var body: [UInt8] { encoder.body }

  /// The finished change as a chunk of its own.
  package var chunk: [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(hashedPart.count + 8)
    appendChunk(to: &output)
    return output
  }

  /// Appends the finished change as a chunk of its own.
  package func appendChunk(to output: inout [UInt8]) {
    ChunkHeader.appendFrame(checksum: hash.checksum, to: &output)
    output.append(contentsOf: hashedPart)
  }

  /// Where the message stands in `hashedPart`.
  var messageRange: PoolRange {
    encoder.messageRange.moved(by: hashedPart.count - encoder.body.count)
  }

  // MARK: Private

  private static let zeroActor = ActorId(bytes: [UInt8](repeating: 0, count: 16))

  private mutating func encode(author: ActorId) {
    let header = ChangeHeader(
      dependencies: dependencies, author: author, sequence: sequence,
      startCounter: startCounter, time: time, message: message, otherActors: otherActors)
    encoder.begin()
    for index in operations.indices {
      if index > 0, operations[index].follows(operations[index - 1]) {
        encoder.appendFollower(operations[index], pool: pool, actors: identity)
      } else {
        encoder.append(
          operations[index], related: predecessors, pool: pool, actors: identity)
      }
    }
    encoder.finish(header, hasOperations: !operations.isEmpty, pool: pool, actors: identity)
  }

  private mutating func hashWhole() {
    hashedPart.removeAll(keepingCapacity: true)
    ChunkHeader.appendHashedPart(.change, body: encoder.body, to: &hashedPart)
    hash = ChangeHash(sha256Of: hashedPart, in: 0..<hashedPart.count)
  }

  @discardableResult
  private mutating func append(
    _ action: Action, _ object: LocalID, key: Span<UInt8>, predecessors: [LocalID]
  ) -> LocalID {
    var operation = Operation(id: nextID.id, object: object.id, action: action)
    operation.flags = .mapKey
    let start = pool.count
    pool.append(key)
    operation.name = PoolRange(start..<pool.count)
    return append(&operation, predecessors)
  }

  @discardableResult
  private mutating func append(
    _ action: Action, _ object: LocalID, element: LocalID, predecessors: [LocalID]
  ) -> LocalID {
    var operation = Operation(id: nextID.id, object: object.id, action: action)
    operation.element = element.id
    return append(&operation, predecessors)
  }

  @discardableResult
  private mutating func insert(
    _ action: Action, _ object: LocalID, after element: LocalID
  ) -> LocalID {
    var operation = Operation(id: nextID.id, object: object.id, action: action)
    operation.element = element.id
    operation.flags = .insert
    return append(&operation, [])
  }

  private mutating func append(_ operation: inout Operation, _ related: [LocalID]) -> LocalID {
    operation.relatedStart = UInt32(truncatingIfNeeded: predecessors.count)
    operation.relatedCount = UInt32(truncatingIfNeeded: related.count)
    for predecessor in related { predecessors.append(predecessor.id) }
    let id = nextID
    operations.append(operation)
    return id
  }

  private var nextID: LocalID {
    LocalID(counter: startCounter &+ UInt32(truncatingIfNeeded: operations.count), actor: 0)
  }

  /// Gives the last operation its value.
  private mutating func store(_ value: DraftValue) {
    let last = operations.count - 1
    let start = pool.count
    operations[last].valueType = value.append(to: &pool)
    operations[last].value = PoolRange(start..<pool.count)
  }

  private mutating func store(_ type: ValueType, _ bytes: Span<UInt8>) {
    let last = operations.count - 1
    let start = pool.count
    pool.append(bytes)
    operations[last].valueType = type
    operations[last].value = PoolRange(start..<pool.count)
  }
}
