import Automerge
import Foundation
import Testing

/// Places that move with what is around them.
@Suite struct CursorTests {
  private let small: SmallDocument
  private var document: Document { small.document }
  private var text: ObjId { small.text }

  init() throws { small = try SmallDocument(text: "hello world!") }

  private func position(_ cursor: Cursor) throws -> UInt64 {
    try document.position(obj: text, cursor: cursor)
  }

  @Test func `a cursor stays with its element`() throws {
    let hello = try document.cursor(obj: text, position: 0)
    let world = try document.cursor(obj: text, position: 6)
    #expect(try position(hello) == 0)
    #expect(try position(world) == 6)
    try document.spliceText(obj: text, start: 6, delete: 0, value: "wonderful ")
    #expect(try position(world) == 16)
    try document.spliceText(obj: text, start: 0, delete: 0, value: "oh, ")
    #expect(try position(hello) == 4)
    #expect(try position(world) == 20)
  }

  @Test func `a cursor stays where its element was`() throws {
    let cursor = try document.cursor(obj: text, position: 6)
    try document.spliceText(obj: text, start: 4, delete: 4)
    #expect(try position(cursor) == 4)
    try document.spliceText(obj: text, start: 0, delete: 1)
    #expect(try position(cursor) == 3)
    try document.spliceText(obj: text, start: 0, delete: 20)
    #expect(try position(cursor) == 0)
  }

  @Test func `a cursor beyond the last element stays at the end`() throws {
    let cursors = try [12, 13, .max].map { try document.cursor(obj: text, position: $0) }
    #expect(Set(cursors).count == 1)
    #expect(cursors[0].description == "0102")
    #expect(try position(cursors[0]) == 12)
    try document.spliceText(obj: text, start: 12, delete: 0, value: "!!")
    #expect(try position(cursors[0]) == 14)
    let empty = try document.putObject(obj: .ROOT, key: "e", ty: .Text)
    let cursor = try document.cursor(obj: empty, position: 0)
    #expect(try document.position(obj: empty, cursor: cursor) == 0)
  }

  @Test func `cursors also hold places of lists`() throws {
    let cursor = try document.cursor(obj: small.list, position: 1)
    try document.insert(obj: small.list, index: 0, value: .Null)
    #expect(try document.position(obj: small.list, cursor: cursor) == 2)
    try document.put(obj: small.list, index: 2, value: .String("new"))
    #expect(try document.position(obj: small.list, cursor: cursor) == 2)
    let replaced = try document.cursor(obj: small.list, position: 2)
    #expect(replaced != cursor)
    #expect(try document.position(obj: small.list, cursor: replaced) == 2)
    try document.delete(obj: small.list, index: 2)
    #expect(try document.position(obj: small.list, cursor: cursor) == 2)
    #expect(try document.position(obj: small.list, cursor: replaced) == 2)
    let end = try document.cursor(obj: small.list, position: 3)
    #expect(try document.position(obj: small.list, cursor: end) == 3)
  }

  @Test func `cursors travel in time`() throws {
    let heads = document.heads()
    try document.spliceText(obj: text, start: 0, delete: 5, value: "Greetings")
    let now = try document.cursor(obj: text, position: 10)
    let then = try document.cursor(obj: text, position: 6, heads: heads)
    #expect(then == now)
    #expect(then.description == now.description)
    #expect(try position(then) == 10)
    #expect(try document.position(obj: text, cursor: now, heads: heads) == 6)
    let end = try document.cursor(obj: text, position: 12, heads: heads)
    #expect(try document.position(obj: text, cursor: end, heads: heads) == 12)
    #expect(try position(end) == 16)
  }

  @Test(arguments: TextEncoding.all)
  func `positions count the document's units`(encoding: TextEncoding) throws {
    let small = try SmallDocument(textEncoding: encoding, text: "a😀e\u{301}z")
    let document = small.document
    let last = document.length(obj: small.text) - 1
    let cursor = try document.cursor(obj: small.text, position: last)
    #expect(try document.position(obj: small.text, cursor: cursor) == last)
    try document.spliceText(obj: small.text, start: 1, delete: 0, value: "😀")
    #expect(
      try document.position(obj: small.text, cursor: cursor)
        == document.length(obj: small.text) - 1)
  }

  @Test func `a cursor inside an element is on it`() throws {
    let small = try SmallDocument(textEncoding: .utf8, text: "a😀z")
    let cursors = try (1...4).map {
      try small.document.cursor(obj: small.text, position: UInt64($0))
    }
    #expect(Set(cursors).count == 1)
    #expect(try small.document.position(obj: small.text, cursor: cursors[3]) == 1)
  }

  @Test func `a cursor means the same in every copy`() throws {
    let cursor = try document.cursor(obj: text, position: 6)
    let copy = document.fork(as: 0)
    try copy.spliceText(obj: text, start: 0, delete: 0, value: ">")
    #expect(try copy.position(obj: text, cursor: cursor) == 7)
    #expect(try copy.cursor(obj: text, position: 7) == cursor)
    #expect(cursor.description.allSatisfy { $0.isHexDigit && !$0.isLowercase })
  }

  @Test func `a cursor of something else is refused`() throws {
    let other = Document()
    let strange = try other.putObject(obj: .ROOT, key: "t", ty: .Text)
    try other.spliceText(obj: strange, start: 0, delete: 0, value: "hello world!")
    let cursor = try other.cursor(obj: strange, position: 3)
    small.expectRefusal { _ = try position(cursor) }
    small.expectRefusal { _ = try document.marksAt(obj: text, position: .cursor(cursor)) }
    let ofList = try document.cursor(obj: small.list, position: 1)
    small.expectRefusal { _ = try position(ofList) }
    let mine = try document.cursor(obj: text, position: 1)
    for object in [small.map, .ROOT, strange] {
      small.expectRefusal { _ = try document.position(obj: object, cursor: mine) }
      small.expectRefusal { _ = try document.cursor(obj: object, position: 0) }
      small.expectRefusal { _ = try document.cursor(obj: object, position: 0, heads: []) }
    }
  }

  @Test func `a cursor has no place in a past that does not know its element`() throws {
    let heads = document.heads()
    try document.spliceText(obj: text, start: 12, delete: 0, value: " again")
    let cursor = try document.cursor(obj: text, position: 14)
    small.expectRefusal { _ = try document.position(obj: text, cursor: cursor, heads: heads) }
    small.expectRefusal {
      _ = try document.marksAt(obj: text, position: .cursor(cursor), heads: heads)
    }
  }
}
