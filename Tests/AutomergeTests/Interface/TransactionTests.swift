import Automerge
import Foundation
import Testing

/// What opens the transaction, what closes it, and what becomes of it.
@Suite struct TransactionTests {
  /// A call and whether it closes the transaction.
  struct Call: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let perform: @Sendable (SmallDocument) throws -> Void

    init(_ name: String, _ perform: @escaping @Sendable (SmallDocument) throws -> Void) {
      testDescription = name
      self.perform = perform
    }
  }

  static let closing = [
    Call("commitWith") { $0.document.commitWith() },
    Call("actor") { $0.document.actor = $0.document.actor },
    Call("heads") { _ = $0.document.heads() },
    Call("getHistory") { _ = $0.document.getHistory() },
    Call("save") { _ = $0.document.save() },
    Call("encodeNewChanges") { _ = $0.document.encodeNewChanges() },
    Call("encodeChangesSince") { _ = try $0.document.encodeChangesSince(heads: []) },
    Call("applyEncodedChanges") { try $0.document.applyEncodedChanges(encoded: Data()) },
    Call("applyEncodedChangesWithPatches") {
      _ = try $0.document.applyEncodedChangesWithPatches(encoded: Data())
    },
    Call("fork") { _ = $0.document.fork() },
    Call("merge") { try $0.document.merge(other: Document()) },
    Call("merge into another") { try Document().merge(other: $0.document) },
    Call("mergeWithPatches") { _ = try $0.document.mergeWithPatches(other: Document()) },
    Call("generateSyncMessage") { _ = $0.document.generateSyncMessage(state: SyncState()) },
    Call("difference from to") { _ = $0.document.difference(from: [], to: []) },
    Call("difference since") { _ = $0.document.difference(since: []) },
    Call("difference to") { _ = $0.document.difference(to: []) },
    Call("marksAt position") {
      _ = try $0.document.marksAt(obj: $0.text, position: .index(0))
    },
  ]

  static let reading = [
    Call("textEncoding") { _ = $0.document.textEncoding },
    Call("get") {
      _ = try $0.document.get(obj: .ROOT, key: "k")
      _ = try $0.document.get(obj: $0.list, index: 0)
    },
    Call("getAll") {
      _ = try $0.document.getAll(obj: .ROOT, key: "k")
      _ = try $0.document.getAll(obj: $0.list, index: 0)
    },
    Call("getAt") {
      _ = try $0.document.getAt(obj: .ROOT, key: "k", heads: [])
      _ = try $0.document.getAllAt(obj: .ROOT, key: "k", heads: [])
    },
    Call("keys") { _ = $0.document.keys(obj: .ROOT) },
    Call("values") { _ = try $0.document.values(obj: .ROOT) },
    Call("mapEntries") { _ = try $0.document.mapEntries(obj: .ROOT) },
    Call("length") { _ = $0.document.length(obj: .ROOT) },
    Call("objectType") { _ = $0.document.objectType(obj: .ROOT) },
    Call("text") { _ = try $0.document.text(obj: $0.text) },
    Call("path") { _ = try $0.document.path(obj: $0.text) },
    Call("marks") { _ = try $0.document.marks(obj: $0.text) },
    Call("cursor") {
      let cursor = try $0.document.cursor(obj: $0.text, position: 1)
      _ = try $0.document.position(obj: $0.text, cursor: cursor)
    },
  ]

  /// Edits, calls, edits again, and returns how many changes that makes.
  private func changes(around call: Call) throws -> Int {
    let small = try SmallDocument()
    try small.document.put(obj: .ROOT, key: "k", value: .Int(1))
    try call.perform(small)
    try small.document.put(obj: .ROOT, key: "k", value: .Int(2))
    return small.document.getHistory().count - 1
  }

  @Test(arguments: closing)
  func `a call that has to do with changes closes the transaction`(call: Call) throws {
    #expect(try changes(around: call) == 2)
  }

  @Test(arguments: reading)
  func `a read leaves the transaction open`(call: Call) throws {
    #expect(try changes(around: call) == 1)
  }

  @Test func `receiving a sync message closes the transaction`() throws {
    let peer = Document()
    try peer.put(obj: .ROOT, key: "p", value: .Null)
    let message = try #require(peer.generateSyncMessage(state: SyncState()))
    let call = Call("receiveSyncMessage") {
      try $0.document.receiveSyncMessage(state: SyncState(), message: message)
    }
    #expect(try changes(around: call) == 2)
  }

  @Test func `an edit that fails neither opens nor closes a transaction`() throws {
    let small = try SmallDocument()
    #expect(throws: DocError.self) {
      try small.document.put(obj: small.list, index: 9, value: .Null)
    }
    #expect(small.document.getHistory().count == 1)
    let failing = Call("put beyond the end") {
      try? $0.document.put(obj: $0.list, index: 9, value: .Null)
    }
    #expect(try changes(around: failing) == 1)
  }

  @Test func `reads see the open transaction, the past does not`() throws {
    let small = try SmallDocument()
    let document = small.document
    let heads = document.heads()
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    try document.insert(obj: small.list, index: 0, value: .Int(0))
    try document.spliceText(obj: small.text, start: 0, delete: 1, value: "J")
    #expect(try document.get(obj: .ROOT, key: "k") == .Scalar(.Int(1)))
    #expect(try document.text(obj: small.text) == "Jello")
    #expect(try document.getAt(obj: .ROOT, key: "k", heads: heads) == nil)
    #expect(try document.textAt(obj: small.text, heads: heads) == "hello")
    #expect(document.lengthAt(obj: small.list, heads: heads) == 3)
    #expect(document.getHistory().count == 2)
  }

  @Test func `a commit carries a message and whole seconds`() throws {
    let document = Document()
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    document.commitWith(message: "größer", timestamp: Date(timeIntervalSince1970: 1_700_000_000.9))
    try document.put(obj: .ROOT, key: "k", value: .Int(2))
    document.commitWith(timestamp: Date(timeIntervalSince1970: -1.9))
    let changes = try document.getHistory().map { try #require(document.change(hash: $0)) }
    #expect(changes.map(\.message) == ["größer", nil])
    #expect(changes.map(\.timestamp.timeIntervalSince1970) == [1_700_000_000, -1])
    #expect(changes[1].deps == [changes[0].hash])
  }

  @Test func `a commit without arguments is of now and says nothing`() throws {
    let document = Document()
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    let before = Date().timeIntervalSince1970.rounded(.down)
    document.commitWith()
    let after = Date().timeIntervalSince1970
    let change = try #require(document.heads().first.flatMap { document.change(hash: $0) })
    #expect(change.message == nil)
    #expect((before...after).contains(change.timestamp.timeIntervalSince1970))
  }

  @Test func `an implicit commit has no time and no message`() throws {
    let document = Document()
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    let change = try #require(document.heads().first.flatMap { document.change(hash: $0) })
    #expect(change.timestamp == Date(timeIntervalSince1970: 0))
    #expect(change.message == nil)
  }

  @Test func `an empty message is none`() throws {
    let document = Document()
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    document.commitWith(message: "")
    #expect(document.heads().first.flatMap { document.change(hash: $0) }?.message == nil)
  }

  @Test func `a commit without edits makes no change`() throws {
    let small = try SmallDocument()
    small.expectNoChange {
      small.document.commitWith(message: "nothing")
      small.document.commitWith()
    }
    let empty = Document()
    empty.commitWith(message: "nothing")
    #expect(empty.save() == Document().save())
  }

  @Test(arguments: [1e300, -1e300, .infinity, -.infinity, .nan] as [Double])
  func `a time that is no number of seconds is left out`(seconds: Double) throws {
    let document = Document()
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    document.commitWith(message: "m", timestamp: Date(timeIntervalSince1970: seconds))
    let change = try #require(document.heads().first.flatMap { document.change(hash: $0) })
    #expect(change.message == "m")
    #expect(change.timestamp == Date(timeIntervalSince1970: 0))
    document.expectSound()
  }
}
