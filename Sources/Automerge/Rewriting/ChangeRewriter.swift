/// What stands in for the content of a document when its structure alone is to be shown.
///
/// Equal content must get equal replacements where they name something: actors, keys and changes.
package protocol ContentReplacement {
  /// Returns the replacements of a document's actors, which are ascending; so must these be.
  mutating func actors(_ actors: [ActorId]) -> [ActorId]
  /// Returns the replacement of a key or of a mark's name.
  mutating func name(_ name: [UInt8]) -> [UInt8]
  /// Returns the bytes of another value of the same type.
  ///
  /// - Parameter element: the operation that wrote the value, if it is a piece of a text.
  mutating func value(_ type: ValueType, _ bytes: [UInt8], element: OpID?) -> [UInt8]
  /// Returns the replacement of a change's message.
  mutating func message(_ message: [UInt8]) -> [UInt8]
  /// Returns the replacement of a change's time; 0 stands for none.
  mutating func time(_ time: Int64) -> Int64
  /// Returns as many other bytes.
  mutating func extra(_ bytes: [UInt8]) -> [UInt8]
  /// Returns the name of a change that is not in the file.
  mutating func missingChange(_ hash: ChangeHash) -> ChangeHash
}

/// Writes changes again with other content and the same structure: the same operations with the same
/// counters on the same keys, by as many actors in the same order.
///
/// A change names others by their hashes, so all of them are rewritten, each after those it builds
/// on.
struct ChangeRewriter<Replacement: ContentReplacement> {
  private let batch: ChangeBatch
  private var replacement: Replacement
  private var encoder = ChangeEncoder()
  /// For each actor of the batch another.
  private var actors: [ActorId] = []
  private var entryOfHash: [ChangeHash: Int] = [:]
  private var newHashes: [ChangeHash: ChangeHash] = [:]
  /// For each entry the new chunk.
  private(set) var chunks: [[UInt8]]
  /// For each actor its place in the change at hand; only those of that change hold.
  private var localIndexes: [UInt32]
  private var kinds: [OpID: ObjectKind] = [.root: .map]

  init(_ batch: ChangeBatch, _ replacement: Replacement) {
    self.batch = batch
    self.replacement = replacement
    chunks = [[UInt8]](repeating: [], count: batch.count)
    localIndexes = [UInt32](repeating: 0, count: batch.actors.count)
    for (index, entry) in batch.entries.enumerated() { entryOfHash[entry.hash] = index }
    for operation in batch.operations {
      if let kind = operation.action.madeObject { kinds[operation.id] = kind }
    }
    let order = batch.actors.indices.sorted { batch.actors[$0] < batch.actors[$1] }
    let others = self.replacement.actors(order.map { batch.actors[$0] })
    actors = batch.actors
    for (place, index) in order.enumerated() { actors[index] = others[place] }
  }

  /// Rewrites all changes.
  mutating func run() {
    for first in batch.entries.indices {
      var pending = [first]
      while let index = pending.last {
        let entry = batch.entries[index]
        let waiting = batch.dependencies[entry.dependencies].first { hash in
          newHashes[hash] == nil && entryOfHash[hash] != nil
        }
        // Hashes cannot form a ring.
        if let waiting, let other = entryOfHash[waiting] {
          pending.append(other)
          continue
        }
        pending.removeLast()
        if chunks[index].isEmpty { rewrite(index) }
      }
    }
  }

  private mutating func rewrite(_ index: Int) {
    let entry = batch.entries[index]
    var others: [UInt32] = []
    var isNamed: Set<UInt32> = [entry.author]
    func note(_ id: OpID) {
      let actor = UInt32(truncatingIfNeeded: id.actor)
      if !id.isRoot, isNamed.insert(actor).inserted { others.append(actor) }
    }
    for operation in batch.operations[entry.operations] {
      note(operation.object)
      note(operation.element)
      for related in operation.related { note(batch.predecessors[related]) }
    }
    others.sort { batch.actors[Int($0)] < batch.actors[Int($1)] }
    localIndexes[Int(entry.author)] = 0
    for (place, actor) in others.enumerated() { localIndexes[Int(actor)] = UInt32(place + 1) }

    var pool: [UInt8] = []
    encoder.begin()
    for original in batch.operations[entry.operations] {
      var operation = original
      operation.name = PoolRange.empty
      if original.isMapOperation || original.flags.contains(.markName) {
        operation.name = Self.append(
          replacement.name([UInt8](batch.pool[original.name.range])), to: &pool)
      }
      let isPiece = kinds[original.object] == .text && original.action == .set
      operation.value = Self.append(
        replacement.value(
          original.valueType, [UInt8](batch.pool[original.value.range]),
          element: isPiece ? original.id : nil), to: &pool)
      encoder.append(
        operation, related: batch.predecessors, pool: pool, actors: localIndexes)
    }
    var dependencies: [ChangeHash] = []
    for hash in batch.dependencies[entry.dependencies] {
      let other = newHashes[hash] ?? replacement.missingChange(hash)
      newHashes[hash] = other
      dependencies.append(other)
    }
    encoder.finish(
      ChangeHeader(
        dependencies: dependencies.sorted(), author: actors[Int(entry.author)],
        sequence: entry.sequence, startCounter: entry.startCounter,
        time: replacement.time(entry.time),
        message: replacement.message([UInt8](batch.chunks[entry.message.range])),
        otherActors: others.map { actors[Int($0)] },
        extra: replacement.extra([UInt8](batch.chunks[entry.extra.range]))),
      hasOperations: !entry.operations.isEmpty, pool: pool, actors: localIndexes)
    var hashed: [UInt8] = []
    ChunkHeader.appendHashedPart(.change, body: encoder.body, to: &hashed)
    let hash = ChangeHash(sha256Of: hashed, in: 0..<hashed.count)
    newHashes[entry.hash] = hash
    ChunkHeader.appendFrame(checksum: hash.checksum, to: &chunks[index])
    chunks[index].append(contentsOf: hashed)
  }

  private static func append(_ bytes: [UInt8], to pool: inout [UInt8]) -> PoolRange {
    let start = pool.count
    pool.append(contentsOf: bytes)
    return PoolRange(start..<pool.count)
  }
}
