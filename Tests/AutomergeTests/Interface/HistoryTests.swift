import Automerge
import Foundation
import Testing

/// Changes, heads and copies.
@Suite struct HistoryTests {
  private let small: SmallDocument
  private var document: Document { small.document }

  init() throws { small = try SmallDocument() }

  @Test func `heads are the changes nobody builds on`() throws {
    #expect(Document().heads().isEmpty)
    #expect(document.heads().count == 1)
    let other = document.fork(as: 2)
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    try other.put(obj: .ROOT, key: "k", value: .Int(2))
    let (mine, theirs) = (document.heads(), other.heads())
    #expect(mine != theirs)
    try document.merge(other: other)
    #expect(document.heads() == mine.union(theirs))
    #expect(other.heads() == theirs)
    try document.put(obj: .ROOT, key: "k", value: .Int(3))
    #expect(document.heads().count == 1)
    let change = try #require(document.heads().first.flatMap { document.change(hash: $0) })
    #expect(Set(change.deps) == mine.union(theirs))
    #expect(change.deps == change.deps.sorted())
  }

  @Test func `the history is in the order this document got to know it`() throws {
    let other = document.fork(as: 2)
    let first = document.getHistory()
    #expect(other.getHistory() == first)
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    try other.put(obj: .ROOT, key: "k", value: .Int(2))
    let (mine, theirs) = (document.getHistory()[1], other.getHistory()[1])
    try document.merge(other: other)
    try other.merge(other: document)
    #expect(document.getHistory() == first + [mine, theirs])
    #expect(other.getHistory() == first + [theirs, mine])
    #expect(document.heads() == other.heads())
    #expect(try Document(document.save()).getHistory() == document.getHistory())
  }

  @Test func `a change tells who made it, when, on what and how`() throws {
    let base = document.heads()
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    document.commitWith(message: "why", timestamp: Date(timeIntervalSince1970: 1_234))
    let hash = try #require(document.heads().first)
    let change = try #require(document.change(hash: hash))
    #expect(change.actorId == document.actor)
    #expect(change.message == "why")
    #expect(Set(change.deps) == base)
    #expect(change.timestamp == Date(timeIntervalSince1970: 1_234))
    #expect(change.hash == hash)
    #expect(change == document.change(hash: hash))
    #expect(change != base.first.flatMap { document.change(hash: $0) })
    let copy = try document.forkAt(heads: base)
    try copy.applyEncodedChanges(encoded: change.bytes)
    #expect(copy.heads() == [hash])
    #expect(
      document.change(hash: try #require(ChangeHash(hex: String(repeating: "0", count: 64)))) == nil
    )
  }

  @Test func `only a long change is compressed`() throws {
    try document.put(obj: .ROOT, key: "s", value: .String("short"))
    let short = try #require(document.heads().first.flatMap { document.change(hash: $0) })
    try document.put(obj: .ROOT, key: "s", value: .String(String(repeating: "long ", count: 99)))
    let long = try #require(document.heads().first.flatMap { document.change(hash: $0) })
    #expect(short.bytes[8] == 1)
    #expect(short.bytes.count <= 256)
    #expect(long.bytes[8] == 2)
    #expect(long.bytes.count < 256)
    let encoded = try document.encodeChangesSince(heads: Set(short.deps))
    #expect(encoded == short.bytes + long.bytes)
  }

  @Test func `a fork is a copy with an author of its own`() throws {
    try document.put(obj: .ROOT, key: "open", value: .Int(1))
    let fork = document.fork()
    #expect(fork.actor != document.actor)
    #expect(fork.heads() == document.heads())
    #expect(try fork.get(obj: .ROOT, key: "open") == .Scalar(.Int(1)))
    try fork.put(obj: .ROOT, key: "fork", value: .Null)
    try fork.spliceText(obj: small.text, start: 0, delete: 5, value: "bye")
    try document.insert(obj: small.list, index: 0, value: .Null)
    #expect(try document.get(obj: .ROOT, key: "fork") == nil)
    #expect(try document.text(obj: small.text) == "hello")
    #expect(fork.length(obj: small.list) == 3)
    document.expectSound()
    fork.expectSound()
  }

  @Test(arguments: TextEncoding.all)
  func `a fork counts text as its original does`(encoding: TextEncoding) {
    #expect(Document(textEncoding: encoding).fork().textEncoding == encoding)
  }

  @Test func `a fork of the past is the document of then`() throws {
    let heads = document.heads()
    try document.put(obj: .ROOT, key: "later", value: .Null)
    let fork = try document.forkAt(heads: heads)
    #expect(fork.heads() == heads)
    #expect(fork.actor != document.actor)
    #expect(fork.keys(obj: .ROOT) == ["list", "map", "text"])
    try fork.put(obj: .ROOT, key: "otherwise", value: .Null)
    try document.merge(other: fork)
    #expect(document.keys(obj: .ROOT) == ["later", "list", "map", "otherwise", "text"])
    #expect(try document.forkAt(heads: []).heads().isEmpty)
    #expect(try document.forkAt(heads: document.heads().union(heads)).heads() == document.heads())
    document.expectSound()
  }

  @Test func `a fork at one of two heads lacks the other`() throws {
    let other = document.fork(as: 2)
    try document.put(obj: .ROOT, key: "mine", value: .Null)
    try other.put(obj: .ROOT, key: "theirs", value: .Null)
    let theirs = other.heads()
    try document.merge(other: other)
    let fork = try document.forkAt(heads: theirs)
    #expect(fork.keys(obj: .ROOT) == ["list", "map", "text", "theirs"])
    #expect(fork.heads() == theirs)
  }

  @Test func `a fork at heads that nobody knows is refused`() throws {
    let unknown = try #require(ChangeHash(hex: String(repeating: "1", count: 64)))
    small.expectRefusal("a head is not in this document") {
      _ = try document.forkAt(heads: document.heads().union([unknown]))
    }
  }
}
