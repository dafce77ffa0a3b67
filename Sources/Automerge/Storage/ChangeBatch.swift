/// Changes on their way into a document: parsed, checked each for itself, hashed.
///
/// All of them share a few flat arrays; actors are numbered in the order they turned up.
package struct ChangeBatch: Sendable {
  struct Entry: Sendable {
    let hash: ChangeHash
    let author: UInt32
    let sequence: UInt32
    let startCounter: UInt32
    let time: Int64
    /// In `chunks`, like `extra` and `chunk`.
    let message: PoolRange
    let extra: PoolRange
    /// Type, length and body, as the hash covers them.
    let chunk: PoolRange
    private let dependencyRange: PoolRange
    private let operationRange: PoolRange
    /// Where the chunk begins in the input it came from; 0 for a draft.
    let offset: Int

    init(
      hash: ChangeHash, author: UInt32, sequence: UInt32, startCounter: UInt32, time: Int64,
      message: PoolRange, extra: PoolRange, chunk: PoolRange, dependencies: Range<Int>,
      operations: Range<Int>, offset: Int
    ) {
      self.hash = hash
      self.author = author
      self.sequence = sequence
      self.startCounter = startCounter
      self.time = time
      self.message = message
      self.extra = extra
      self.chunk = chunk
      dependencyRange = PoolRange(dependencies)
      operationRange = PoolRange(operations)
      self.offset = offset
    }

    var dependencies: Range<Int> { dependencyRange.range }
    var operations: Range<Int> { operationRange.range }

    /// The greatest operation counter; one less than the start if there are no operations.
    var maxCounter: UInt32 { startCounter &- 1 &+ UInt32(operations.count) }
  }

  private(set) var entries: [Entry] = []
  private(set) var dependencies: [ChangeHash] = []
  private(set) var operations: [Operation] = []
  private(set) var predecessors: [OpID] = []
  private(set) var pool: [UInt8] = []
  private(set) var chunks: [UInt8] = []
  private(set) var actors: [ActorId] = []
  private var actorIndex = RowIndex()
  /// The actors of the draft being appended; kept for its storage.
  private var draftActors: [UInt32] = []
  /// Whether the bytes of drafts are kept, so that their changes can be handed on.
  private let keepsChunks: Bool

  /// Creates an empty batch.
  ///
  /// - Parameter keepsChunks: whether documents can hand on the changes of drafts. Those that are
  ///   only to be encoded need not.
  package init(keepsChunks: Bool = true) {
    self.keepsChunks = keepsChunks
  }

  /// The number of changes.
  package var count: Int { entries.count }

  package var isEmpty: Bool { entries.isEmpty }

  /// Makes room for so many times what is here, and a little more.
  ///
  /// An array that grows is for a moment there twice. Room that nobody writes to takes no memory.
  package mutating func reserveCapacity(times factor: Int) {
    func room(_ count: Int) -> Int { (count + count / 8) * factor }
    entries.reserveCapacity(room(entries.count))
    dependencies.reserveCapacity(room(dependencies.count))
    operations.reserveCapacity(room(operations.count))
    pool.reserveCapacity(room(pool.count))
    actors.reserveCapacity(room(actors.count))
  }

  /// Appends a finished draft. Costs no parsing: the draft's rows are taken over.
  package mutating func append(_ draft: borrowing ChangeDraft) {
    var indexes = draftActors
    draftActors = []
    indexes.removeAll(keepingCapacity: true)
    indexes.append(intern(draft.author))
    for actor in draft.otherActors { indexes.append(intern(actor)) }
    defer { draftActors = indexes }
    let poolShift = pool.count
    let relatedShift = UInt32(truncatingIfNeeded: predecessors.count)
    let firstOperation = operations.count
    pool.append(contentsOf: draft.pool)
    for predecessor in draft.predecessors { predecessors.append(predecessor.renumbered(indexes)) }
    for operation in draft.operations {
      var moved = operation
      moved.id = operation.id.renumbered(indexes)
      moved.object = operation.object.renumbered(indexes)
      moved.element = operation.element.renumbered(indexes)
      moved.name = operation.name.moved(by: poolShift)
      moved.value = operation.value.moved(by: poolShift)
      moved.relatedStart &+= relatedShift
      operations.append(moved)
    }
    let firstDependency = dependencies.count
    dependencies.append(contentsOf: draft.dependencies)
    let chunkStart = chunks.count
    // A message lies in the chunk.
    if keepsChunks || draft.messageRange.count > 0 { chunks.append(contentsOf: draft.hashedPart) }
    entries.append(
      Entry(
        hash: draft.hash, author: indexes[0], sequence: draft.sequence,
        startCounter: draft.startCounter, time: draft.time,
        message: chunks.count > chunkStart ? draft.messageRange.moved(by: chunkStart) : .empty,
        extra: .empty, chunk: PoolRange(chunkStart..<chunks.count),
        dependencies: firstDependency..<dependencies.count,
        operations: firstOperation..<operations.count, offset: 0))
  }

  /// Parses the change chunks, compressed or not, that make up `bytes`.
  ///
  /// - Throws: the first defect; what came before it has been appended.
  package mutating func append(
    parsing bytes: [UInt8], limits: LoadLimits = .standard
  ) throws(FormatError) {
    var parser = ChangeParser(limits: limits, inputByteCount: bytes.count)
    try append(parsing: bytes, with: &parser)
  }

  /// Parses change chunks as part of an input of which a parser has read others.
  mutating func append(
    parsing bytes: [UInt8], with parser: inout ChangeParser
  ) throws(FormatError) {
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      let offset = reader.offset
      let header = try ChunkHeader(&reader)
      guard header.kind == .change || header.kind == .compressedChange else {
        throw FormatError(
          header.kind == .bundle
            ? .bundleUnsupported : .unknownChunkType(header.kind.rawValue), at: offset)
      }
      try parser.parse(header, in: bytes, into: &self)
    }
  }

  /// Puts the changes into another order, or keeps some of them only: index `i` of the result is
  /// the change that was at `order[i]`.
  package mutating func reorder(_ order: [Int]) {
    entries = order.map { entries[$0] }
  }

  /// Takes back the changes from `first` on.
  package mutating func truncate(to first: Int) { entries.removeSubrange(first...) }

  /// Returns the hash of a change.
  package func hash(of change: Int) -> ChangeHash { entries[change].hash }

  /// Forgets all changes. Room for the operations of an ordinary month stays: to ask the system for it
  /// again took a tenth of the time of an import.
  package mutating func removeAll() {
    var operations = operations
    self = ChangeBatch(keepsChunks: keepsChunks)
    guard operations.capacity <= Self.keptOperationCount else { return }
    operations.removeAll(keepingCapacity: true)
    self.operations = operations
  }

  /// Fourteen megabytes of them, of which only those that were used take memory.
  private static let keptOperationCount = 1 << 18

  /// Forgets all but the operations and their strings.
  mutating func removeEntries() {
    entries = []
    dependencies = []
    actors = []
    actorIndex = RowIndex()
    chunks = []
  }

  /// Gives operations successors in the place of the predecessors of all.
  ///
  /// - Parameter successors: operations with one successor each, ascending.
  mutating func setSuccessors(_ successors: [(target: UInt32, delete: OpID)]) {
    predecessors.removeAll(keepingCapacity: true)
    for (target, delete) in successors {
      if operations[Int(target)].relatedCount == 0 {
        operations[Int(target)].relatedStart = UInt32(truncatingIfNeeded: predecessors.count)
      }
      operations[Int(target)].relatedCount &+= 1
      predecessors.append(delete)
    }
  }

  // MARK: For the parser

  /// Returns the number of an actor in this batch.
  mutating func intern(_ actor: ActorId) -> UInt32 {
    let known = actorIndex.row(actor.keyedWord) { actors[Int($0)] == actor }
    if let known { return known }
    let index = UInt32(actors.count)
    actors.append(actor)
    actorIndex.insert(index) { [actors] in actors[Int($0)].keyedWord }
    return index
  }

  /// Makes room for the operations of one change and lets `read` fill it; takes everything back
  /// when that fails, so that a bad change leaves no trace.
  mutating func appendOperations(
    _ read: (inout [Operation], inout [OpID], inout [UInt8]) throws(FormatError) -> Void
  ) throws(FormatError) -> Range<Int> {
    let (first, firstRelated, firstByte) = (operations.count, predecessors.count, pool.count)
    do {
      try read(&operations, &predecessors, &pool)
    } catch {
      operations.removeSubrange(first...)
      predecessors.removeSubrange(firstRelated...)
      pool.removeSubrange(firstByte...)
      throw error
    }
    return first..<operations.count
  }

  mutating func removeOperations(from first: Int) {
    guard first < operations.count else { return }
    predecessors.removeSubrange(Int(operations[first].relatedStart)...)
    operations.removeSubrange(first...)
  }

  /// Takes back the change appended last.
  mutating func removeLastEntry() {
    guard let last = entries.popLast() else { return }
    removeOperations(from: last.operations.lowerBound)
    dependencies.removeSubrange(last.dependencies.lowerBound...)
    chunks.removeSubrange(Int(last.chunk.start)...)
  }

  mutating func appendDependencies(_ hashes: [ChangeHash]) -> Range<Int> {
    let first = dependencies.count
    dependencies.append(contentsOf: hashes)
    return first..<dependencies.count
  }

  /// Appends `[type][length][body]` of a change and returns where it stands.
  mutating func appendChunk(body: [UInt8], _ range: Range<Int>) -> PoolRange {
    let first = chunks.count
    chunks.append(ChunkHeader.Kind.change.rawValue)
    chunks.appendULEB(range.count)
    chunks.append(from: body, range)
    return PoolRange(first..<chunks.count)
  }

  mutating func appendEntry(_ entry: Entry) {
    entries.append(entry)
  }
}
