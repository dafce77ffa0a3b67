import Automerge
import Foundation
import Testing

/// Reading what a document was at heads of its past.
@Suite struct HistoricalReadingTests {
  private let small: SmallDocument
  /// Before the document was edited, and after.
  private let before: Set<ChangeHash>
  private let after: Set<ChangeHash>
  /// Known to no document.
  private let unknown: ChangeHash
  private var document: Document { small.document }

  init() throws {
    small = try SmallDocument()
    unknown = try #require(ChangeHash(hex: String(repeating: "ab", count: 32)))
    let document = small.document
    try document.put(obj: small.map, key: "kept", value: .Int(1))
    try document.put(obj: small.map, key: "changed", value: .Int(1))
    try document.put(obj: small.map, key: "deleted", value: .Int(1))
    try document.put(obj: small.map, key: "counter", value: .Counter(10))
    try document.increment(obj: small.map, key: "counter", by: 1)
    before = document.heads()
    try document.put(obj: small.map, key: "changed", value: .Int(2))
    try document.delete(obj: small.map, key: "deleted")
    try document.put(obj: small.map, key: "added", value: .Int(2))
    try document.increment(obj: small.map, key: "counter", by: 100)
    try document.splice(obj: small.list, start: 1, delete: 1, values: [.Int(8), .Int(9)])
    try document.spliceText(obj: small.text, start: 1, delete: 4, value: "ippo😀")
    after = document.heads()
    try document.delete(obj: .ROOT, key: "map")
    try document.splice(obj: small.list, start: 0, delete: 4, values: [])
    try document.spliceText(obj: small.text, start: 0, delete: 9)
  }

  @Test func `a map was what it was`() throws {
    #expect(
      document.keysAt(obj: small.map, heads: before) == ["changed", "counter", "deleted", "kept"])
    #expect(
      try document.valuesAt(obj: small.map, heads: before)
        == [.Int(1), .Counter(11), .Int(1), .Int(1)].map { .Scalar($0) })
    let entries = try document.mapEntriesAt(obj: small.map, heads: after)
    #expect(entries.map(\.0) == ["added", "changed", "counter", "kept"])
    #expect(
      entries.map(\.1) == [.Int(2), .Int(2), .Counter(111), .Int(1)].map { .Scalar($0) })
    #expect(document.lengthAt(obj: small.map, heads: before) == 4)
    #expect(
      try document.getAt(obj: small.map, key: "changed", heads: before) == .Scalar(.Int(1)))
    #expect(try document.getAt(obj: small.map, key: "added", heads: before) == nil)
    #expect(try document.getAt(obj: small.map, key: "deleted", heads: after) == nil)
    #expect(
      try document.getAllAt(obj: small.map, key: "counter", heads: after)
        == [.Scalar(.Counter(111))])
    #expect(
      try document.getAt(obj: .ROOT, key: "map", heads: after) == .Object(small.map, .Map))
    #expect(try document.get(obj: .ROOT, key: "map") == nil)
  }

  @Test func `a list was what it was`() throws {
    #expect(
      try document.valuesAt(obj: small.list, heads: before)
        == [.Int(1), .Int(2), .Int(3)].map { .Scalar($0) })
    #expect(document.lengthAt(obj: small.list, heads: after) == 4)
    #expect(document.keysAt(obj: small.list, heads: before) == ["4@01", "5@01", "6@01"])
    #expect(try document.getAt(obj: small.list, index: 2, heads: after) == .Scalar(.Int(9)))
    #expect(try document.getAt(obj: small.list, index: 4, heads: after) == nil)
    #expect(try document.getAt(obj: small.list, index: .max, heads: after) == nil)
    #expect(
      try document.getAllAt(obj: small.list, index: 1, heads: before) == [.Scalar(.Int(2))])
    #expect(try document.getAllAt(obj: small.list, index: 4, heads: before).isEmpty)
    #expect(document.length(obj: small.list) == 0)
  }

  @Test func `a text was what it was`() throws {
    #expect(try document.textAt(obj: small.text, heads: before) == "hello")
    #expect(try document.textAt(obj: small.text, heads: after) == "hippo😀")
    #expect(document.lengthAt(obj: small.text, heads: after) == 6)
    #expect(
      try document.getAt(obj: small.text, index: 5, heads: after) == .Scalar(.String("😀")))
    #expect(try document.text(obj: small.text) == "")
  }

  @Test(arguments: TextEncoding.all)
  func `the past is counted like the present`(encoding: TextEncoding) throws {
    let small = try SmallDocument(textEncoding: encoding, text: "a😀e\u{301}z")
    let document = small.document
    let (heads, length) = (document.heads(), document.length(obj: small.text))
    try document.spliceText(obj: small.text, start: 0, delete: .max, value: "gone")
    #expect(document.lengthAt(obj: small.text, heads: heads) == length)
    #expect(
      try document.getAt(obj: small.text, index: length - 1, heads: heads)
        == .Scalar(.String("z")))
  }

  @Test func `before the first change there was nothing`() throws {
    #expect(document.keysAt(obj: .ROOT, heads: []).isEmpty)
    #expect(document.lengthAt(obj: small.text, heads: []) == 0)
    #expect(try document.valuesAt(obj: small.list, heads: []).isEmpty)
    #expect(try document.textAt(obj: small.text, heads: []) == "")
    #expect(try document.getAt(obj: .ROOT, key: "text", heads: []) == nil)
    #expect(try document.mapEntriesAt(obj: .ROOT, heads: []).isEmpty)
  }

  @Test func `unknown heads do not count`() throws {
    let heads = before.union([unknown])
    #expect(
      document.keysAt(obj: small.map, heads: heads)
        == document.keysAt(
          obj: small.map, heads: before))
    #expect(try document.textAt(obj: small.text, heads: heads) == "hello")
    #expect(document.keysAt(obj: .ROOT, heads: [unknown]).isEmpty)
  }

  @Test func `conflicts were there before they were settled`() throws {
    let other = document.fork(as: 2)
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    try other.put(obj: .ROOT, key: "k", value: .Int(2))
    try document.insert(obj: small.list, index: 0, value: .Int(0))
    try document.merge(other: other)
    let merged = document.heads()
    #expect(merged.count == 2)
    try document.put(obj: .ROOT, key: "k", value: .Int(3))
    #expect(
      try document.getAllAt(obj: .ROOT, key: "k", heads: merged)
        == [.Scalar(.Int(1)), .Scalar(.Int(2))])
    for (head, value) in zip(merged.sorted { document.isMine($0) && !document.isMine($1) }, [1, 2])
    {
      #expect(
        try document.getAllAt(obj: .ROOT, key: "k", heads: [head])
          == [.Scalar(.Int(Int64(value)))])
    }
    #expect(try document.getAt(obj: .ROOT, key: "k", heads: document.heads()) == .Scalar(.Int(3)))
  }

  @Test func `heads and their ancestors together are the heads`() throws {
    #expect(
      try document.mapEntriesAt(obj: small.map, heads: after.union(before)).map(\.0)
        == document.keysAt(obj: small.map, heads: after))
  }
}

extension Document {
  /// Whether a change is by this document's author.
  fileprivate func isMine(_ hash: ChangeHash) -> Bool { change(hash: hash)?.actorId == actor }
}
