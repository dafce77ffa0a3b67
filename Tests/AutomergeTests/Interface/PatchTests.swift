@testable import Automerge
import Foundation
import Testing

/// What a difference between two points of history, or what arrives, is told as.
@Suite struct PatchTests {
  private let small: SmallDocument
  private let start: Set<ChangeHash>
  private var document: Document { small.document }

  private static let mapPath = [PathElement(obj: .ROOT, prop: .Key("map"))]
  private static let listPath = [PathElement(obj: .ROOT, prop: .Key("list"))]
  private static let textPath = [PathElement(obj: .ROOT, prop: .Key("text"))]

  init() throws {
    small = try SmallDocument()
    start = small.document.heads()
  }

  /// Expects what changed since the start, and nothing else.
  private func expectPatches(
    _ actions: [PatchAction], at path: [PathElement],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let patches = document.difference(since: start)
    #expect(patches.map(\.action) == actions, sourceLocation: sourceLocation)
    #expect(patches.allSatisfy { $0.path == path }, sourceLocation: sourceLocation)
    #expect(
      document.difference(from: start, to: document.heads()) == patches,
      sourceLocation: sourceLocation)
  }

  /// Expects what leads back from now to the start.
  private func expectWayBack(
    _ actions: [PatchAction], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let patches = document.difference(to: start)
    #expect(patches.map(\.action) == actions, sourceLocation: sourceLocation)
    #expect(
      document.difference(from: document.heads(), to: start) == patches,
      sourceLocation: sourceLocation)
  }

  @Test func `no change is no patch`() {
    #expect(document.difference(since: start).isEmpty)
    #expect(document.difference(to: start).isEmpty)
    #expect(document.difference(from: [], to: []).isEmpty)
    #expect(Document().difference(since: []).isEmpty)
  }

  @Test func `keys are put and deleted`() throws {
    try document.put(obj: small.map, key: "k", value: .Int(1))
    expectPatches([.Put(small.map, .Key("k"), .Scalar(.Int(1)))], at: Self.mapPath)
    expectWayBack([.DeleteMap(small.map, "k")])
    try document.put(obj: small.map, key: "k", value: .Int(2))
    expectPatches([.Put(small.map, .Key("k"), .Scalar(.Int(2)))], at: Self.mapPath)
    try document.delete(obj: small.map, key: "k")
    expectPatches([], at: Self.mapPath)
  }

  @Test func `a patch on the root has no path`() throws {
    try document.put(obj: .ROOT, key: "k", value: .Null)
    expectPatches([.Put(.ROOT, .Key("k"), .Scalar(.Null))], at: [])
    try document.put(obj: .ROOT, key: "k", value: .Boolean(true))
    let middle = document.heads()
    try document.delete(obj: .ROOT, key: "k")
    #expect(
      document.difference(from: middle, to: document.heads()).map(\.action)
        == [.DeleteMap(.ROOT, "k")])
  }

  @Test func `adjoining inserts are one patch`() throws {
    try document.insert(obj: small.list, index: 1, value: .Int(8))
    try document.insert(obj: small.list, index: 2, value: .Int(9))
    expectPatches(
      [.Insert(obj: small.list, index: 1, values: [.Scalar(.Int(8)), .Scalar(.Int(9))])],
      at: Self.listPath)
    expectWayBack([.DeleteSeq(DeleteSeq(obj: small.list, index: 1, length: 2))])
  }

  @Test func `elements are replaced and deleted`() throws {
    try document.put(obj: small.list, index: 2, value: .String("three"))
    expectPatches(
      [.Put(small.list, .Index(2), .Scalar(.String("three")))], at: Self.listPath)
    expectWayBack([.Put(small.list, .Index(2), .Scalar(.Int(3)))])
    try document.splice(obj: small.list, start: 0, delete: 2, values: [])
    let patches = document.difference(since: start)
    #expect(
      patches.map(\.action) == [
        .DeleteSeq(DeleteSeq(obj: small.list, index: 0, length: 2)),
        .Put(small.list, .Index(0), .Scalar(.String("three"))),
      ])
  }

  @Test func `text is spliced and deleted`() throws {
    try document.spliceText(obj: small.text, start: 5, delete: 0, value: " 😀")
    try document.spliceText(obj: small.text, start: 7, delete: 0, value: "!")
    expectPatches(
      [.SpliceText(obj: small.text, index: 5, value: " 😀!", marks: [:])], at: Self.textPath)
    expectWayBack([.DeleteSeq(DeleteSeq(obj: small.text, index: 5, length: 3))])
  }

  @Test(arguments: TextEncoding.all)
  func `patches count the document's units`(encoding: TextEncoding) throws {
    let small = try SmallDocument(textEncoding: encoding, text: "😀")
    let document = small.document
    let (heads, end) = (document.heads(), document.length(obj: small.text))
    try document.spliceText(obj: small.text, start: end, delete: 0, value: "e\u{301}!")
    let length = document.length(obj: small.text) - end
    #expect(
      document.difference(since: heads).map(\.action) == [
        .SpliceText(obj: small.text, index: end, value: "e\u{301}!", marks: [:])
      ])
    #expect(
      document.difference(to: heads).map(\.action) == [
        .DeleteSeq(DeleteSeq(obj: small.text, index: end, length: length))
      ])
  }

  @Test func `text comes with the marks on it`() throws {
    try document.mark(
      obj: small.text, start: 0, end: 5, expand: .after, name: "bold", value: .Boolean(true))
    expectPatches(
      [
        .Marks(small.text, [Mark(start: 0, end: 5, name: "bold", value: .Boolean(true))])
      ], at: Self.textPath)
    let marked = document.heads()
    try document.spliceText(obj: small.text, start: 5, delete: 0, value: "!")
    #expect(
      document.difference(since: marked).map(\.action) == [
        .SpliceText(
          obj: small.text, index: 5, value: "!", marks: ["bold": .Scalar(.Boolean(true))])
      ])
  }

  @Test func `a mark that is gone is a mark of null`() throws {
    try document.mark(
      obj: small.text, start: 1, end: 4, expand: .none, name: "m", value: .Int(1))
    let marked = document.heads()
    try document.mark(obj: small.text, start: 2, end: 4, expand: .none, name: "m", value: .Null)
    #expect(
      document.difference(since: marked).map(\.action) == [
        .Marks(small.text, [Mark(start: 2, end: 4, name: "m", value: .Null)])
      ])
    expectWayBack([.Marks(small.text, [Mark(start: 1, end: 2, name: "m", value: .Null)])])
  }

  @Test func `a counter tells by how much it changed`() throws {
    try document.put(obj: small.map, key: "c", value: .Counter(10))
    let before = document.heads()
    try document.increment(obj: small.map, key: "c", by: 3)
    try document.increment(obj: small.map, key: "c", by: -5)
    #expect(
      document.difference(since: before)
        == [patch(.Increment(small.map, .Key("c"), -2), Self.mapPath)])
    #expect(document.difference(to: before).map(\.action) == [.Increment(small.map, .Key("c"), 2)])
    expectPatches([.Put(small.map, .Key("c"), .Scalar(.Counter(8)))], at: Self.mapPath)
  }

  @Test func `a new object is announced and then filled`() throws {
    let object = try document.putObject(obj: small.map, key: "o", ty: .Map)
    let inner = try document.putObject(obj: object, key: "t", ty: .Text)
    try document.spliceText(obj: inner, start: 0, delete: 0, value: "hi")
    try document.put(obj: object, key: "k", value: .Int(1))
    let objectPath = Self.mapPath + [PathElement(obj: small.map, prop: .Key("o"))]
    #expect(
      document.difference(since: start) == [
        patch(.Put(small.map, .Key("o"), .Object(object, .Map)), Self.mapPath),
        patch(.Put(object, .Key("k"), .Scalar(.Int(1))), objectPath),
        patch(.Put(object, .Key("t"), .Object(inner, .Text)), objectPath),
        patch(
          .SpliceText(obj: inner, index: 0, value: "hi", marks: [:]),
          objectPath + [PathElement(obj: object, prop: .Key("t"))]),
      ])
    expectWayBack([.DeleteMap(small.map, "o")])
  }

  @Test func `a conflict that appears under the winner is told`() throws {
    let other = document.fork(as: 0)
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    try other.put(obj: .ROOT, key: "k", value: .Int(2))
    let heads = document.heads()
    #expect(try document.mergeWithPatches(other: other) == [patch(.Conflict(.ROOT, .Key("k")), [])])
    #expect(document.difference(since: heads) == [patch(.Conflict(.ROOT, .Key("k")), [])])
    #expect(document.difference(to: heads).isEmpty)
    #expect(
      try other.mergeWithPatches(other: document)
        == [patch(.Put(.ROOT, .Key("k"), .Scalar(.Int(1))), [])])
  }

  @Test func `merging and applying tell what they changed`() throws {
    let other = document.fork(as: 2)
    try other.put(obj: .ROOT, key: "k", value: .String("v"))
    let expected = [patch(.Put(.ROOT, .Key("k"), .Scalar(.String("v"))), [])]
    let merging = document.fork()
    #expect(try merging.mergeWithPatches(other: other) == expected)
    #expect(try merging.mergeWithPatches(other: other).isEmpty)
    let applying = document.fork()
    let bytes = try other.encodeChangesSince(heads: start)
    #expect(try applying.applyEncodedChangesWithPatches(encoded: bytes) == expected)
    #expect(try applying.applyEncodedChangesWithPatches(encoded: bytes).isEmpty)
    #expect(try applying.applyEncodedChangesWithPatches(encoded: Data()).isEmpty)
    for copy in [merging, applying] { #expect(copy.heads() == other.heads()) }
  }

  @Test func `what was edited before is not part of what arrives`() throws {
    let other = document.fork(as: 2)
    try other.spliceText(obj: small.text, start: 0, delete: 1, value: "J")
    try document.put(obj: .ROOT, key: "open", value: .Int(1))
    #expect(
      try document.mergeWithPatches(other: other).map(\.action) == [
        .SpliceText(obj: small.text, index: 0, value: "J", marks: [:]),
        .DeleteSeq(DeleteSeq(obj: small.text, index: 1, length: 1)),
      ])
  }

  @Test func `unknown heads do not count`() throws {
    let unknown = try #require(ChangeHash(hex: String(repeating: "3", count: 64)))
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    #expect(
      document.difference(since: start.union([unknown])) == document.difference(since: start))
    #expect(document.difference(since: [unknown]) == document.difference(since: []))
  }

  @Test func `a change that is refused leaves the document without patches`() throws {
    let twin = try SmallDocument(text: "other").document
    small.expectRefusal { _ = try document.mergeWithPatches(other: twin) }
    small.expectRefusal {
      _ = try document.applyEncodedChangesWithPatches(
        encoded: twin.encodeChangesSince(heads: []))
    }
  }

  private func patch(_ action: PatchAction, _ path: [PathElement]) -> Patch {
    Patch(action: action, path: path)
  }
}
