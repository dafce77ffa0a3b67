@testable import Automerge
import Foundation
import Testing

/// What a sync message changed, told as patches.
@Suite struct SyncPatchTests {
  @Test func `receiving tells what it changed`() throws {
    let small = try SmallDocument()
    let (document, other) = (small.document, small.document.fork(as: 2))
    try other.put(obj: .ROOT, key: "k", value: .String("v"))
    let (mine, theirs) = (SyncState(), SyncState())
    var patches: [Patch] = []
    for _ in 0..<5 {
      if let message = other.generateSyncMessage(state: theirs) {
        patches += try document.receiveSyncMessageWithPatches(state: mine, message: message)
      }
      if let message = document.generateSyncMessage(state: mine) {
        #expect(
          try other.receiveSyncMessageWithPatches(state: theirs, message: message).isEmpty)
      }
    }
    #expect(
      patches == [Patch(action: .Put(.ROOT, .Key("k"), .Scalar(.String("v"))), path: [])])
    #expect(document.heads() == other.heads())
    #expect(mine.theirHeads == other.heads())
  }

  @Test func `a message that is refused changes nothing`() throws {
    let small = try SmallDocument()
    let state = SyncState()
    let (file, persisted) = (small.document.save(), state.encode())
    let error = #expect(throws: ReceiveSyncError.self) {
      try small.document.receiveSyncMessageWithPatches(state: state, message: Data([1]))
    }
    #expect(error?.errorDescription?.hasPrefix("Invalid message: ") == true)
    #expect(small.document.save() == file)
    #expect(state.encode() == persisted)
  }

  @Test func `receiving closes the transaction`() throws {
    let (document, peer) = (Document(), Document())
    try peer.put(obj: .ROOT, key: "p", value: .Null)
    let message = try #require(peer.generateSyncMessage(state: SyncState()))
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    _ = try document.receiveSyncMessageWithPatches(state: SyncState(), message: message)
    try document.put(obj: .ROOT, key: "k", value: .Int(2))
    #expect(document.getHistory().count == 2)
  }
}
