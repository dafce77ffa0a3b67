import Foundation
import Testing

@testable import Automerge

/// Changes that wait were never checked against what they build on.
@Suite struct ChangeQueueTests {
  private let first = SampleHistory.first
  private let second = SampleHistory.second

  /// Depends on the second change and overwrites what nobody wrote.
  private var misfit: ForgedChange {
    second.followed(
      by: SampleHistory.otherAuthor, .set("a", .signed(9), predecessors: [first.id(7)]))
  }

  @Test func `a waiting change that fits nowhere keeps out no other`() throws {
    var state = DocumentState()
    try state.applyReadable(first.bytes)
    try state.applyReadable(misfit.bytes)
    #expect(state.queuedCount == 1)
    let refusal = try state.applyReadable(second.bytes)
    #expect(refusal?.fact == .unknownPredecessor, "that it was dropped is told")
    #expect(state.changeCount == 2)
    #expect(state.queuedCount == 0, "it can never be applied")
  }

  @Test func `a waiting change that fits nowhere is told to whoever released it`() throws {
    let document = try Document(Data(first.bytes))
    try document.applyEncodedChanges(encoded: Data(misfit.bytes))
    let error = #expect(throws: DocError.self) {
      try document.applyEncodedChanges(encoded: Data(second.bytes))
    }
    #expect(error?.isPartlyApplied == true)
    #expect(document.getHistory().count == 2)
    try document.applyEncodedChanges(encoded: Data(second.bytes))
  }

  @Test func `a sync with a peer whose change fits nowhere does not end in silence`() throws {
    let document = try Document(Data(first.bytes))
    let session = SyncState()
    try document.applyEncodedChanges(encoded: Data(misfit.bytes))
    func message(_ items: [ForgedChange]) -> Data {
      var message = SyncMessage(.v1)
      message.heads = [ChangeHash(bytes: misfit.hash)]
      message.have = [SyncMessage.Have()]
      for item in items { message.appendItem { $0 += item.bytes } }
      return Data(message.encoded)
    }
    // The change that waits is released by what it waited for, and does not fit.
    try document.receiveSyncMessage(state: session, message: message([second]))
    #expect(document.getHistory().count == 2)
    let answer = try #require(document.generateSyncMessage(state: session))
    #expect(
      try SyncMessage(parsing: Array(answer)).need == [ChangeHash(bytes: misfit.hash)],
      "it is asked for again")
    #expect(throws: ReceiveSyncError.self) {
      try document.receiveSyncMessage(state: session, message: message([misfit]))
    }
  }

  @Test func `sound changes that wait beside a misfit are applied in their turn`() throws {
    let third = second.followed(by: .set("b", .boolean(true)))
    let fourth = third.followed(by: .set("d", .boolean(true)))
    var state = DocumentState()
    try state.applyReadable(first.bytes)
    for change in [fourth, misfit, third] { try state.applyReadable(change.bytes) }
    #expect(state.queuedCount == 3)
    try state.applyReadable(second.bytes)
    #expect(state.changeCount == 4)
    #expect(state.queuedCount == 0)
  }

  @Test func `a change of its author takes the place of one that waits`() throws {
    // Both say they are the other author's first change; one waits for a change nobody has.
    var impostor = SampleHistory.concurrent
    impostor.dependencies = [second.hash, impostor.dependencies[0]]
    impostor.startCounter = 40
    var state = DocumentState()
    try state.applyReadable(first.bytes)
    try state.applyReadable(impostor.bytes)
    #expect(state.queuedCount == 1)
    try state.applyReadable(SampleHistory.concurrent.bytes)
    #expect(state.changeCount == 2)
    try state.applyReadable(second.bytes)
    #expect(state.changeCount == 3)
    #expect(state.queuedCount == 0)
  }

  @Test func `a bad change leaves what waits waiting`() throws {
    var state = DocumentState()
    try state.applyReadable(first.bytes)
    try state.applyReadable(second.followed(by: .set("b", .boolean(true))).bytes)
    let bad = first.followed(
      by: SampleHistory.otherAuthor, .set("a", .signed(9), predecessors: [first.id(7)]))
    #expect(throws: FormatError.self) { try state.applyReadable(bad.bytes) }
    #expect(state.changeCount == 1)
    #expect(state.queuedCount == 1)
  }
}
