@testable import Automerge
import Foundation
import Testing

/// Random histories of several actors against a document put together without the engine, byte by
/// byte.
@Suite struct HistoryPropertyTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
  private static let seeds: Range<UInt64> = 0..<(isSlow ? 1_000 : 20)

  private func history(_ seed: UInt64) -> [ForgedChange] {
    var generator = HistoryGenerator(seed: seed)
    return generator.history(changeCount: 4 + Int(seed % 30))
  }

  /// The document the forger makes of the changes in the order the engine applied them.
  private func expected(
    _ state: DocumentState, _ history: [ForgedChange]
  ) throws -> [UInt8] {
    let byHash = Dictionary(uniqueKeysWithValues: history.map { ($0.hash, $0) })
    let applied = try (0..<state.changeCount).map {
      try #require(byHash[state.change(at: $0).hash.bytes])
    }
    return ForgedDocument(applied).bytes
  }

  @Test(arguments: seeds)
  func `changes in any order become the document the specification describes`(
    seed: UInt64
  ) throws {
    let history = history(seed)
    var generator = SeededGenerator(seed: seed)
    for order in 0..<3 {
      let file = (order == 0 ? history : history.shuffled(using: &generator)).flatMap(\.bytes)
      let state = try DocumentState(loading: file)
      #expect(state.changeCount == history.count, "seed \(seed)")
      let saved = state.encoded(compressionLevel: nil)
      #expect(try saved == expected(state, history), "seed \(seed), order \(order)")
    }
  }

  @Test(arguments: seeds)
  func `a document gives back its changes to the byte`(seed: UInt64) throws {
    let history = history(seed)
    let bytes = ForgedDocument(history).bytes
    let state = try DocumentState(loading: bytes)
    for (row, change) in history.enumerated() {
      #expect(state.chunk(ofChange: row) == change.bytes, "seed \(seed), change \(row)")
    }
    #expect(state.encoded(compressionLevel: nil) == bytes, "seed \(seed)")
    #expect(try DocumentState(loading: state.encoded()).heads == state.heads, "seed \(seed)")
  }

  /// A change that builds on one that nobody has.
  private static var waiting: ChangeBatch {
    get throws {
      let missing = ForgedChange(.set("missing", .boolean(true)))
      var batch = ChangeBatch()
      try batch.append(parsing: missing.followed(by: .set("waiting", .null)).bytes)
      return batch
    }
  }

  @Test func `histories have great changes and others`() {
    let changes = Self.seeds.flatMap(history)
    #expect(changes.contains { $0.isGreat } && changes.contains { !$0.isGreat })
  }

  @Test(arguments: seeds)
  func `a change whose bytes are not kept is made again to the byte`(seed: UInt64) throws {
    let history = history(seed)
    let bytes = ForgedDocument(history).bytes
    for kept in [KeptChunks.allButGreat, .all] {
      var state = try DocumentState(loading: bytes, keeping: kept)
      let keptCount = (0..<state.changeCount).count { state.history.keepsChunk(of: $0) }
      let greatCount = kept == .all ? 0 : history.count { $0.isGreat }
      #expect(keptCount == history.count - greatCount, "seed \(seed)")
      #expect(state.history.chunkByteCount == history.reduce(0) { $0 + $1.bytes.count - 8 })
      // With a change that waits for another, and operations that are in no change yet.
      try state.apply(Self.waiting)
      try state.put(.root, key: "new", .scalar(.String("new")), by: ActorId())
      for (row, change) in history.enumerated() {
        #expect(state.chunk(ofChange: row) == change.bytes, "seed \(seed), change \(row)")
        #expect(state.body(ofChange: row) == change.chunk.body, "seed \(seed), change \(row)")
      }
      #expect(
        state.chunks(since: [], isCompressed: false) == history.flatMap(\.bytes), "seed \(seed)")
      #expect(state.queuedCount == 1 && state.transaction != nil)
      var other = DocumentState()
      try other.merge(state)
      #expect(other.encoded(compressionLevel: nil) == bytes, "seed \(seed)")
    }
  }

  @Test(arguments: seeds)
  func `changes in pieces give the document they give at once`(seed: UInt64) throws {
    let history = history(seed)
    var generator = SeededGenerator(seed: seed &+ 1)
    let shuffled = history.shuffled(using: &generator)
    var state = DocumentState()
    var rest = shuffled[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 + generator.below(5))
      rest = rest.dropFirst(piece.count)
      var batch = ChangeBatch()
      try batch.append(parsing: piece.flatMap(\.bytes))
      try state.apply(batch)
      // Saving and loading in between keeps what waits, once there is something to wait for.
      if state.changeCount > 0, generator.oneIn(3) {
        state = try DocumentState(loading: state.encoded())
      }
    }
    #expect(state.queuedCount == 0, "seed \(seed)")
    #expect(state.missingDependencies.isEmpty, "seed \(seed)")
    #expect(
      try state.encoded(compressionLevel: nil) == expected(state, history), "seed \(seed)")
  }

  @Test(arguments: seeds)
  func `a document at past heads is the document of their ancestors`(seed: UInt64) throws {
    let history = history(seed)
    let document = try Document(Data(history.flatMap(\.bytes)))
    for end in history.indices {
      let past = try Document(Data(history[...end].flatMap(\.bytes)))
      let heads = past.heads()
      let then = try TypedRendering(document: past).state()
      let read = try TypedRendering(document: document, heads: heads).state()
      #expect(read.firstDifference(from: then) == nil, "seed \(seed), change \(end)")
      #expect(try document.forkAt(heads: heads).heads() == heads, "seed \(seed)")
    }
  }

  @Test(arguments: seeds)
  func `merging two parts of a history is commutative and loses nothing`(seed: UInt64) throws {
    let history = history(seed)
    let whole = try Document(Data(history.flatMap(\.bytes)))
    let hashes = whole.getHistory()
    let left = try whole.forkAt(heads: [hashes[hashes.count / 2]])
    let right = try whole.forkAt(heads: [hashes[hashes.count - 1]])
    let one = left.fork()
    try one.merge(other: right)
    let two = right.fork()
    try two.merge(other: left)
    #expect(one.heads() == two.heads())
    #expect(Set(one.getHistory()) == Set(left.getHistory()).union(right.getHistory()))
    let state = try TypedRendering(document: one).state()
    #expect(state.firstDifference(from: try TypedRendering(document: two).state()) == nil)
  }
}

extension ForgedChange {
  /// Whether the engine makes the change again rather than keep it.
  fileprivate var isGreat: Bool { operations.count >= KeptChunks.greatOperationCount }
}
