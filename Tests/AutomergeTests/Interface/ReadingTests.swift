import Automerge
import Foundation
import Testing

/// Reading what a document is now.
@Suite struct ReadingTests {
  private let small: SmallDocument
  private var document: Document { small.document }

  init() throws { small = try SmallDocument() }

  /// An object of another document.
  private func stranger() throws -> ObjId {
    let other = Document()
    return try other.putObject(obj: .ROOT, key: "o", ty: .List)
  }

  @Test func `a key or index has its value, or none`() throws {
    #expect(try document.get(obj: .ROOT, key: "list") == .Object(small.list, .List))
    #expect(try document.get(obj: .ROOT, key: "none") == nil)
    #expect(try document.get(obj: small.list, index: 2) == .Scalar(.Int(3)))
    #expect(try document.get(obj: small.list, index: 3) == nil)
    #expect(try document.get(obj: small.list, index: .max) == nil)
    #expect(try document.get(obj: small.text, index: 1) == .Scalar(.String("e")))
    #expect(try document.get(obj: small.text, index: 5) == nil)
    #expect(try document.getAll(obj: .ROOT, key: "none").isEmpty)
    #expect(try document.getAll(obj: small.list, index: 3).isEmpty)
    #expect(try document.getAll(obj: small.list, index: 0) == [.Scalar(.Int(1))])
  }

  @Test func `an index inside an element of a text is the element's`() throws {
    for (encoding, indexes) in [(TextEncoding.utf8, UInt64(1)...4), (.utf16, 1...2)] {
      let small = try SmallDocument(textEncoding: encoding, text: "a😀z")
      for index in indexes {
        #expect(try small.document.get(obj: small.text, index: index) == .Scalar(.String("😀")))
      }
      #expect(
        try small.document.get(obj: small.text, index: indexes.upperBound + 1)
          == .Scalar(.String("z")))
    }
  }

  @Test func `of concurrent values the greatest id wins and all can be had`() throws {
    let other = document.fork(as: 2)
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    try document.put(obj: small.list, index: 0, value: .String("a"))
    try document.put(obj: .ROOT, key: "k", value: .Int(3))
    let map = try other.putObject(obj: .ROOT, key: "k", ty: .Map)
    try other.put(obj: small.list, index: 0, value: .String("b"))
    try document.merge(other: other)
    #expect(try document.get(obj: .ROOT, key: "k") == .Scalar(.Int(3)))
    #expect(try document.getAll(obj: .ROOT, key: "k") == [.Scalar(.Int(3)), .Object(map, .Map)])
    #expect(try document.get(obj: small.list, index: 0) == .Scalar(.String("b")))
    #expect(
      try document.getAll(obj: small.list, index: 0) == [
        .Scalar(.String("a")), .Scalar(.String("b")),
      ])
  }

  @Test func `equal values in conflict are one element of the set`() throws {
    let other = document.fork(as: 2)
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    try other.put(obj: .ROOT, key: "k", value: .Int(1))
    try document.merge(other: other)
    #expect(try document.getAll(obj: .ROOT, key: "k") == [.Scalar(.Int(1))])
  }

  @Test func `keys, values and entries come in the order of the keys' bytes`() throws {
    let keys = ["", "_", "a", "aB", "ab", "z", "é", "～", "😀"]
    for (index, key) in keys.enumerated().reversed() {
      try document.put(obj: small.map, key: key, value: .Int(Int64(index)))
    }
    #expect(document.keys(obj: small.map) == keys)
    #expect(try document.values(obj: small.map) == keys.indices.map { .Scalar(.Int(Int64($0))) })
    let entries = try document.mapEntries(obj: small.map)
    #expect(entries.map(\.0) == keys)
    #expect(try entries.map(\.1) == document.values(obj: small.map))
    #expect(document.length(obj: small.map) == UInt64(keys.count))
  }

  @Test func `the keys of a list are the ids of its elements`() throws {
    #expect(document.keys(obj: small.list) == ["4@01", "5@01", "6@01"])
    try document.insert(obj: small.list, index: 1, value: .Null)
    try document.put(obj: small.list, index: 0, value: .Null)
    #expect(document.keys(obj: small.list) == ["4@01", "12@01", "5@01", "6@01"])
  }

  @Test func `the values of a list come in sequence`() throws {
    let nested = try document.insertObject(obj: small.list, index: 1, ty: .Map)
    #expect(
      try document.values(obj: small.list) == [
        .Scalar(.Int(1)), .Object(nested, .Map), .Scalar(.Int(2)), .Scalar(.Int(3)),
      ])
    #expect(document.length(obj: small.list) == 4)
  }

  @Test func `a text is read whole`() throws {
    #expect(try document.text(obj: small.text) == "hello")
    #expect(document.length(obj: small.text) == 5)
    #expect(
      try document.values(obj: small.text) == "hello".map { .Scalar(.String(String($0))) })
  }

  @Test func `every object has its kind, a table is a map`() throws {
    #expect(document.objectType(obj: .ROOT) == .Map)
    #expect(document.objectType(obj: small.map) == .Map)
    #expect(document.objectType(obj: small.list) == .List)
    #expect(document.objectType(obj: small.text) == .Text)
    let table = try Document(Data(ForgedChange(.make(.makeTable, "t")).bytes))
    guard case .Object(let id, .Map) = try table.get(obj: .ROOT, key: "t") else {
      Issue.record("no map")
      return
    }
    #expect(table.objectType(obj: id) == .Map)
    try table.put(obj: id, key: "k", value: .Int(1))
    #expect(table.keys(obj: id) == ["k"])
    table.expectSound()
  }

  @Test func `asking for the kind of a strange object stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let id = try Document().putObject(obj: .ROOT, key: "o", ty: .List)
      _ = Document().objectType(obj: id)
    }
  }

  @Test func `a path leads from the root to an object`() throws {
    let row = try document.insertObject(obj: small.list, index: 1, ty: .Map)
    let inner = try document.putObject(obj: row, key: "in", ty: .Text)
    #expect(try document.path(obj: .ROOT).isEmpty)
    #expect(try document.path(obj: small.list) == [PathElement(obj: .ROOT, prop: .Key("list"))])
    let path = [
      PathElement(obj: .ROOT, prop: .Key("list")), PathElement(obj: small.list, prop: .Index(1)),
      PathElement(obj: row, prop: .Key("in")),
    ]
    #expect(try document.path(obj: inner) == path)
    try document.delete(obj: small.list, index: 0)
    #expect(try document.path(obj: inner)[1] == PathElement(obj: small.list, prop: .Index(0)))
  }

  @Test func `an unknown object throws, or is empty where reads cannot throw`() throws {
    let stranger = try stranger()
    let heads = document.heads()
    let reads: [() throws -> Void] = [
      { _ = try document.get(obj: stranger, key: "k") },
      { _ = try document.get(obj: stranger, index: 0) },
      { _ = try document.getAll(obj: stranger, key: "k") },
      { _ = try document.getAll(obj: stranger, index: 0) },
      { _ = try document.getAt(obj: stranger, key: "k", heads: heads) },
      { _ = try document.getAt(obj: stranger, index: 0, heads: heads) },
      { _ = try document.getAllAt(obj: stranger, key: "k", heads: heads) },
      { _ = try document.getAllAt(obj: stranger, index: 0, heads: heads) },
      { _ = try document.values(obj: stranger) },
      { _ = try document.valuesAt(obj: stranger, heads: heads) },
      { _ = try document.mapEntries(obj: stranger) },
      { _ = try document.mapEntriesAt(obj: stranger, heads: heads) },
      { _ = try document.text(obj: stranger) },
      { _ = try document.textAt(obj: stranger, heads: heads) },
      { _ = try document.path(obj: stranger) },
      { _ = try document.marks(obj: stranger) },
      { _ = try document.marksAt(obj: stranger, heads: heads) },
      { _ = try document.marksAt(obj: stranger, position: .index(0)) },
      { _ = try document.cursor(obj: stranger, position: 0) },
    ]
    for read in reads { small.expectRefusal("the object is not in this document", read) }
    #expect(document.keys(obj: stranger).isEmpty)
    #expect(document.keysAt(obj: stranger, heads: heads).isEmpty)
    #expect(document.length(obj: stranger) == 0)
    #expect(document.lengthAt(obj: stranger, heads: heads) == 0)
  }

  @Test func `the wrong kind of object throws`() {
    let reads: [() throws -> Void] = [
      { _ = try document.get(obj: small.list, key: "k") },
      { _ = try document.get(obj: small.map, index: 0) },
      { _ = try document.getAll(obj: small.text, key: "k") },
      { _ = try document.getAll(obj: .ROOT, index: 0) },
      { _ = try document.mapEntries(obj: small.list) },
      { _ = try document.mapEntriesAt(obj: small.text, heads: []) },
      { _ = try document.text(obj: small.list) },
      { _ = try document.textAt(obj: small.map, heads: []) },
      { _ = try document.marks(obj: small.list) },
      { _ = try document.marksAt(obj: .ROOT, heads: []) },
      { _ = try document.cursor(obj: small.map, position: 0) },
    ]
    for read in reads { small.expectRefusal("wrong object type", read) }
  }
}
