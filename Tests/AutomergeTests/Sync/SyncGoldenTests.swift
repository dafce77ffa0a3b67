@testable import Automerge
import Foundation
import Testing

/// The reference's sessions: its messages lead us where they led it, and ours are the same but for
/// the flags.
@Suite struct SyncGoldenTests {
  private final class Side {
    let document: Document
    let state: SyncState

    init(_ golden: GoldenCase, _ name: String) throws {
      document = try Document(Data(try Fixtures.bytes("\(golden.name)/\(name)-before.automerge")))
      let persisted = "\(golden.name)/\(name)-state-before.bin"
      state =
        Fixtures.exists(persisted)
        ? try SyncState(bytes: Data(try Fixtures.bytes(persisted))) : SyncState()
    }
  }

  /// Plays a session with the reference's messages and calls `compare` with each message and the
  /// one we would have sent.
  private func replay(
    _ golden: GoldenCase, _ compare: (SyncMessage, SyncMessage) throws -> Void = { _, _ in }
  ) throws -> [String: Side] {
    let sides = ["a": try Side(golden, "a"), "b": try Side(golden, "b")]
    for file in try Fixtures.names(in: "\(golden.name)/messages") {
      let message = Data(try Fixtures.bytes("\(golden.name)/messages/\(file)"))
      let sender = try #require(sides[file.contains("a-to-b") ? "a" : "b"])
      let receiver = try #require(sides[file.contains("a-to-b") ? "b" : "a"])
      let ours = try #require(
        sender.document.generateSyncMessage(state: sender.state), "\(file)")
      try compare(SyncMessage(parsing: Array(message)), SyncMessage(parsing: Array(ours)))
      try receiver.document.receiveSyncMessage(state: receiver.state, message: message)
    }
    return sides
  }

  private func expectEnd(of side: Side, _ name: String, _ golden: GoldenCase) throws {
    let after = try Document(
      Data(try Fixtures.bytes("\(golden.name)/\(name)-after.automerge")))
    #expect(side.document.heads() == after.heads())
    #expect(side.document.getHistory() == after.getHistory())
    let state = try TypedRendering(document: side.document).state()
    #expect(state.firstDifference(from: try Fixtures.tree(golden.expected)) == nil)
    #expect(Array(side.state.encode()) == (try Fixtures.bytes("\(golden.name)/\(name)-state.bin")))
    #expect(side.state.theirHeads == after.heads())
  }

  @Test(arguments: GoldenCase.sync)
  func `the reference's messages lead to its documents and states`(golden: GoldenCase) throws {
    for (name, side) in try replay(golden) {
      try expectEnd(of: side, name, golden)
      #expect(side.document.generateSyncMessage(state: side.state) == nil)
    }
  }

  @Test(arguments: GoldenCase.sync)
  func `our messages are the reference's up to flags and deflate`(golden: GoldenCase) throws {
    _ = try replay(golden) { theirs, ours in
      #expect(ours.version == theirs.version)
      #expect(ours.heads == theirs.heads)
      #expect(ours.need == theirs.need)
      #expect(ours.have == theirs.have)
      #expect(ours.items.count == theirs.items.count)
      for (our, their) in zip(ours.items, theirs.items) {
        let ourChunks = try ChunkList.inflated(Array(ours.bytes[our]))
        let theirChunks = try ChunkList.inflated(Array(theirs.bytes[their]))
        #expect(ourChunks == theirChunks)
      }
    }
  }

  @Test(arguments: GoldenCase.sync, SyncPair.Delivery.allCases)
  func `our own two sides end as the reference's`(
    golden: GoldenCase, delivery: SyncPair.Delivery
  ) throws {
    for isVersion1 in [false, true] {
      let sides = (try Side(golden, "a"), try Side(golden, "b"))
      var pair = SyncPair(sides.0.document, sides.1.document)
      pair.leftState = sides.0.state
      pair.rightState = sides.1.state
      pair.delivery = delivery
      if isVersion1 { pair.speakVersion1() }
      let rounds = try pair.converge()
      #expect(rounds <= 3, "version 1: \(isVersion1)")
      #expect(pair.isInStep)
      for message in pair.messages where isVersion1 { #expect(message.first == 0x42) }
      if delivery == .alternating {
        #expect(rounds <= 2)
        try expectEnd(of: sides.0, "a", golden)
        try expectEnd(of: sides.1, "b", golden)
      }
    }
  }
}
