/// What a change says before its operations (format.md 3.1).
struct ChangeHeader {
  var dependencies: [ChangeHash] = []
  var author: ActorId
  var sequence: UInt32
  var startCounter: UInt32
  /// Seconds since 1970 by convention; 0 means not given.
  var time: Int64 = 0
  /// Empty means no message.
  var message: [UInt8] = []
  /// The other actors the operations name, ascending.
  var otherActors: [ActorId] = []
  /// Bytes after the operations, kept as they are.
  var extra: [UInt8] = []
}

/// Writes change bodies in their canonical form (format.md 3.1, 3.4): operations first, row by row,
/// then `finish` with everything that stands before them.
struct ChangeEncoder: Sendable {
  /// The rows, as long as they are few and plain.
  private var few = FewRowsEncoder()
  private var isFew = true
  /// What writes more rows. Of most documents that are loaded nothing is ever encoded again, so that
  /// there is nothing here to copy with them.
  private var many: ManyRows?

  /// The body, after `finish`; somebody may take it.
  var body: [UInt8] = []
  private var description: [UInt8] = []
  /// Where the author's bytes stand in the body.
  private(set) var authorRange = 0..<0
  private(set) var messageRange = PoolRange.empty
  private(set) var extraRange = PoolRange.empty

  private struct ManyRows {
    var operations = OperationEncoder()
    var columns = ColumnWriter()

    mutating func write(pool: [UInt8], to body: inout [UInt8]) {
      operations.finish(.change, pool: pool, into: &columns)
      columns.writeLayout(to: &body)
      columns.moveData(to: &body)
      columns.reset()
    }

    mutating func writeLayout(pool: [UInt8], to body: inout [UInt8]) {
      operations.finish(.change, pool: pool, into: &columns)
      columns.writeLayout(to: &body)
    }
  }

  init() {}

  mutating func begin() {
    few.reset()
    isFew = true
  }

  /// Begins a change that is hashed without being written.
  ///
  /// - Parameter absent: of what there is no second copy then.
  mutating func begin(besides absent: OperationEncoder.AbsentColumns) {
    isFew = false
    if many == nil { many = ManyRows() }
    many?.operations.reset(besides: absent)
  }

  @inline(__always)
  mutating func append(
    _ operation: borrowing Operation, related: [OpID], pool: [UInt8], actors: [UInt32]
  ) {
    if isFew {
      if few.take(operation) { return }
      becomeMany(pool: pool, actors: actors)
    }
    many?.operations.append(operation, related: related, pool: pool, actors: actors)
  }

  /// Appends an operation that follows the one before (`Operation.follows(_:)`).
  @inline(__always)
  mutating func appendFollower(
    _ operation: borrowing Operation, pool: [UInt8], actors: [UInt32]
  ) {
    if isFew {
      if few.take(operation) { return }
      becomeMany(pool: pool, actors: actors)
    }
    many?.operations.appendFollower(operation, pool: pool, actors: actors)
  }

  /// Hands the rows that were few to the encoder of many.
  private mutating func becomeMany(pool: [UInt8], actors: [UInt32]) {
    isFew = false
    if many == nil { many = ManyRows() }
    many?.operations.reset()
    for row in few.operations {
      many?.operations.append(row, related: [], pool: pool, actors: actors)
    }
  }

  /// Writes the body.
  ///
  /// - Parameters:
  ///   - pool: where the names and values of the operations are, as when they were appended.
  ///   - actors: the number to write for each actor index, as then.
  mutating func finish(
    _ header: borrowing ChangeHeader, hasOperations: Bool, pool: [UInt8], actors: [UInt32]
  ) {
    begin(header)
    if !hasOperations {
      body.append(0)
    } else if isFew {
      few.write(pool: pool, actors: actors, to: &body)
    } else {
      many?.write(pool: pool, to: &body)
    }
    end(header)
  }

  /// Returns the hash of the change that is finished, and how many bytes that covers.
  mutating func hash() -> (hash: ChangeHash, byteCount: Int) {
    describe(bodyByteCount: body.count)
    return (
      ChangeHash(sha256Of: description, followedBy: body), description.count + body.count
    )
  }

  /// Hashes the change that was begun without some columns. Of its body only that is written which stands
  /// around the columns.
  ///
  /// - Parameters:
  ///   - pool: as above.
  ///   - appendAbsent: appends one of those columns.
  /// - Returns: the hash, and how many bytes that covers.
  mutating func hash(
    _ header: borrowing ChangeHeader, pool: [UInt8],
    appendAbsent: (ColumnSpec, inout PiecewiseHash) -> Void
  ) -> (hash: ChangeHash, byteCount: Int) {
    begin(header)
    many?.writeLayout(pool: pool, to: &body)
    let columnByteCount = many?.columns.dataByteCount ?? 0
    let bodyByteCount = body.count + columnByteCount + header.extra.count
    describe(bodyByteCount: bodyByteCount)
    var pieces = PiecewiseHash()
    pieces.append(description)
    pieces.append(body)
    many?.columns.moveData(to: &pieces, appendAbsent: appendAbsent)
    pieces.append(header.extra)
    end(header)
    return (ChangeHash(pieces), description.count + bodyByteCount)
  }

  /// Writes what stands before the body where the change is hashed.
  private mutating func describe(bodyByteCount: Int) {
    description.removeAll(keepingCapacity: true)
    ChunkHeader.appendDescription(.change, bodyByteCount: bodyByteCount, to: &description)
  }

  private mutating func begin(_ header: borrowing ChangeHeader) {
    body.removeAll(keepingCapacity: true)
    body.appendHashes(header.dependencies)
    body.appendPrefixed(header.author)
    authorRange = body.count - header.author.byteCount..<body.count
    body.appendULEB(UInt64(header.sequence))
    body.appendULEB(UInt64(header.startCounter))
    body.appendSLEB(header.time)
    body.appendPrefixed(header.message)
    messageRange = PoolRange(body.count - header.message.count..<body.count)
    body.appendULEB(header.otherActors.count)
    for actor in header.otherActors { body.appendPrefixed(actor) }
  }

  private mutating func end(_ header: borrowing ChangeHeader) {
    body.append(contentsOf: header.extra)
    extraRange = PoolRange(body.count - header.extra.count..<body.count)
  }

  /// Puts an author of the same length in the place of the one the body was finished with.
  mutating func replaceAuthor(_ author: ActorId) {
    precondition(author.byteCount == authorRange.count)
    author.replace(in: &body, at: authorRange.lowerBound)
  }
}
