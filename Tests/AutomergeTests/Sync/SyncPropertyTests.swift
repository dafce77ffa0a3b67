@testable import Automerge
import Foundation
import Testing

/// Random histories of several actors, two random parts of them, and sessions between these.
@Suite struct SyncPropertyTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
  private static let seeds: Range<UInt64> = 0..<(isSlow ? 2_000 : 60)

  /// A part of a document: some changes and all they build on.
  private func part(
    of whole: Document, _ hashes: [ChangeHash], _ generator: inout SeededGenerator
  ) throws -> Document {
    guard !generator.oneIn(8) else { return Document() }
    let heads = (0...generator.below(3)).map { _ in hashes[generator.below(hashes.count)] }
    return try whole.forkAt(heads: Set(heads))
  }

  @Test(arguments: seeds)
  func `any two parts of a history converge to their union`(seed: UInt64) throws {
    var histories = HistoryGenerator(seed: seed)
    let changes = histories.history(changeCount: 5 + Int(seed % 45))
    let whole = try Document(Data(changes.flatMap(\.bytes)))
    let hashes = whole.getHistory()
    var generator = SeededGenerator(seed: seed &+ 1_000_000)
    let (left, right) = (
      try part(of: whole, hashes, &generator), try part(of: whole, hashes, &generator)
    )
    var pair = SyncPair(left, right)
    // Sessions go on: some from persisted states, some from states forgotten on one side.
    var isNewConnection = true
    for session in 0..<4 {
      pair.delivery = generator.oneIn(2) ? .alternating : .simultaneous
      let dropsFlags = generator.oneIn(3)
      pair.carrying = { message in
        var message = message
        if dropsFlags { message.flags = nil }
        return message
      }
      let expected = Set(left.getHistory()).union(right.getHistory())
      let context: Comment = "seed \(seed), session \(session)"
      let rounds = try pair.converge(within: 10)
      #expect(rounds <= 6, context)
      if isNewConnection { #expect(pair.isInStep, context) }
      #expect(Set(left.getHistory()) == expected, context)
      #expect(Set(right.getHistory()) == expected, context)
      let state = try TypedRendering(document: left).state()
      let difference = try TypedRendering(document: right).state().firstDifference(from: state)
      #expect(difference == nil, context)

      try left.merge(other: part(of: whole, hashes, &generator))
      try right.merge(other: part(of: whole, hashes, &generator))
      // Who goes on with an old state may not answer a peer who has begun anew: the documents
      // converge all the same, but the peer is not told that they did.
      isNewConnection = generator.oneIn(2)
      if isNewConnection {
        pair.leftState.reset()
        pair.rightState = try SyncState(bytes: pair.rightState.encode())
      }
      switch generator.below(4) {
      case 0: pair.leftState = SyncState()
      case 1: pair.rightState = SyncState()
      default: break
      }
    }
  }
}
