import Automerge
import Foundation
import Testing

/// What errors are and say; the document is as before.
@Suite struct ErrorTests {
  @Test func `every error is localized and says what happened`() throws {
    let small = try SmallDocument()
    let document = small.document
    let attempts: [(prefix: String, attempt: () throws -> Void)] = [
      ("wrong object type", { try document.put(obj: small.list, key: "k", value: .Null) }),
      ("Error loading a document: ", { _ = try Document(Data([1])) }),
      ("Error decoding sync state: ", { _ = try SyncState(bytes: Data([1])) }),
      (
        "Invalid message: ",
        { try document.receiveSyncMessage(state: SyncState(), message: Data([1])) }
      ),
    ]
    for (prefix, attempt) in attempts {
      do {
        try attempt()
        Issue.record("no error: \(prefix)")
      } catch let error as any LocalizedError {
        #expect(error.errorDescription?.hasPrefix(prefix) == true)
        #expect(error.localizedDescription == error.errorDescription)
      }
    }
  }

  @Test func `errors have the types they are documented with`() throws {
    let document = Document()
    #expect(throws: LoadError.self) { try Document(Data([1])) }
    #expect(throws: DecodeSyncStateError.self) { try SyncState(bytes: Data()) }
    #expect(throws: ReceiveSyncError.self) {
      try document.receiveSyncMessage(state: SyncState(), message: Data())
    }
    #expect(throws: DocError.self) { try document.text(obj: .ROOT) }
  }

  @Test func `an error in the middle of a transaction keeps what was done before`() throws {
    let small = try SmallDocument()
    let document = small.document
    try document.put(obj: small.map, key: "a", value: .Int(1))
    let failures: [() throws -> Void] = [
      { try document.put(obj: small.list, index: 9, value: .Null) },
      { try document.put(obj: small.map, key: "bad", value: .Unknown(typeCode: 3, data: Data())) },
      { try document.increment(obj: small.map, key: "a", by: 1) },
      { try document.spliceText(obj: small.text, start: 99, delete: 0, value: "x") },
      { try document.splice(obj: small.list, start: 0, delete: -1, values: [.Null]) },
      {
        try document.mark(
          obj: small.text, start: 0, end: 99, expand: .both, name: "m", value: .Null)
      },
      { _ = try document.insertObject(obj: small.list, index: 9, ty: .Map) },
      { try document.updateText(obj: small.map, value: "x") },
    ]
    for failure in failures { #expect(throws: DocError.self) { try failure() } }
    try document.put(obj: small.map, key: "b", value: .Int(2))
    #expect(document.getHistory().count == 2)
    #expect(document.keys(obj: small.map) == ["a", "b"])
    #expect(try small.numbers() == [.Int(1), .Int(2), .Int(3)])
    #expect(try document.text(obj: small.text) == "hello")
    #expect(try document.marks(obj: small.text).isEmpty)
    document.expectSound()
  }

  @Test func `a sync message that is refused changes neither document nor state`() throws {
    let small = try SmallDocument()
    let state = SyncState()
    _ = small.document.generateSyncMessage(state: state)
    let (file, persisted) = (small.document.save(), state.encode())
    for message in [Data(), Data([0x42]), Data([0x41, 0, 0, 0, 0]), Data([0x42, 1, 0])] {
      #expect(throws: ReceiveSyncError.self) {
        try small.document.receiveSyncMessage(state: state, message: message)
      }
    }
    #expect(small.document.save() == file)
    #expect(state.encode() == persisted)
    #expect(state.theirHeads == nil)
  }
}
