@testable import Automerge
import Foundation
import Testing

@Suite struct SyncStateTests {
  private let hashes = [
    String(repeating: "01", count: 32), String(repeating: "02", count: 32),
  ]

  @Test func `a new state is persisted without heads`() throws {
    #expect(Array(SyncState().encode()) == [0x43, 0])
    #expect(SyncState().theirHeads == nil)
    #expect(try SyncState(bytes: SyncState().encode()).theirHeads == nil)
  }

  @Test func `what was persisted is read and persisted again`() throws {
    let bytes = Data([0x43, 2] + hashes.flatMap(hex))
    #expect(try SyncState(bytes: bytes).encode() == bytes)
    #expect(try SyncState(bytes: bytes + [1, 2, 3]).encode() == bytes)
    // Whatever the order it was given, a state is persisted in ascending order.
    let odd = Data([0x43, 3] + [hashes[1], hashes[0], hashes[1]].flatMap(hex))
    #expect(try SyncState(bytes: odd).encode() == bytes)
  }

  @Test(arguments: GoldenCase.sync)
  func `the states of the reference are read and written alike`(golden: GoldenCase) throws {
    for side in ["a", "b"] {
      let bytes = Data(try Fixtures.bytes("\(golden.name)/\(side)-state.bin"))
      #expect(try SyncState(bytes: bytes).encode() == bytes)
    }
  }

  @Test func `anything else is refused with the place of the defect`() {
    for bytes in [[], [0x42, 0], [0x43], [0x43, 1], [0x43, 0x80, 0]] as [[UInt8]] {
      #expect(throws: DecodeSyncStateError.self) { try SyncState(bytes: Data(bytes)) }
    }
    let error = #expect(throws: DecodeSyncStateError.self) {
      try SyncState(bytes: Data([0x43, 2] + hex(hashes[0])))
    }
    #expect(
      error?.errorDescription
        == "Error decoding sync state: the input ends 32 bytes too early (offset 1)")
    let other = #expect(throws: DecodeSyncStateError.self) {
      try SyncState(bytes: Data([0x42, 0]))
    }
    #expect(other?.errorDescription?.contains("starts with 42") == true)
  }

  @Test func `copies share what they know`() throws {
    let document = try Document(Data(SampleHistory.document.bytes))
    let state = SyncState()
    let copy = state
    #expect(document.generateSyncMessage(state: state) != nil)
    #expect(document.generateSyncMessage(state: copy) == nil)
    copy.reset()
    #expect(document.generateSyncMessage(state: state) != nil)
  }

  @Test func `a reset keeps what is persisted only`() throws {
    var pair = SyncPair(
      try Document(Data(SampleHistory.document.bytes)),
      try Document(Data(SampleHistory.first.bytes)))
    try pair.converge()
    #expect(pair.leftState.theirHeads == pair.left.heads())
    let persisted = pair.leftState.encode()
    pair.leftState.reset()
    #expect(pair.leftState.theirHeads == nil)
    #expect(pair.leftState.encode() == persisted)
    let resumed = try SyncState(bytes: persisted)
    #expect(
      pair.left.generateSyncMessage(state: pair.leftState)
        == pair.left.generateSyncMessage(state: resumed))
  }

  @Test func `threads may share a state and documents`() async throws {
    let left = try Document(Data(SampleHistory.document.bytes))
    let right = Document()
    let (leftState, rightState) = (SyncState(), SyncState())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<50 {
            // A message out of its turn is no error: what it says is true whenever it arrives.
            if let message = left.generateSyncMessage(state: leftState) {
              #expect(throws: Never.self) {
                try right.receiveSyncMessage(state: rightState, message: message)
              }
            }
            if let message = right.generateSyncMessage(state: rightState) {
              #expect(throws: Never.self) {
                try left.receiveSyncMessage(state: leftState, message: message)
              }
            }
            _ = (leftState.theirHeads, rightState.encode())
          }
        }
      }
    }
    var pair = SyncPair(left, right)
    try pair.converge()
    #expect(pair.isInStep)
  }
}
