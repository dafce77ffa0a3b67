import Automerge
import Foundation
import Testing

/// The public reads of a document whose content is known.
@Suite struct DocumentReadingTests {
  private let document: Document
  private let list: ObjId
  private let text: ObjId
  private let map: ObjId

  init() throws {
    let changes = SampleHistory.changes.flatMap(\.bytes)
    document = try Document(Data(changes))
    func object(_ key: String, in document: Document) throws -> ObjId {
      guard case .Object(let id, _) = try document.get(obj: .ROOT, key: key) else {
        throw DocError.missing(key)
      }
      return id
    }
    list = try object("l", in: document)
    text = try object("t", in: document)
    map = try object("m", in: document)
  }

  private enum DocError: Error { case missing(String) }

  @Test func `keys come in the order of their bytes`() {
    #expect(document.keys(obj: .ROOT) == ["a", "c", "l", "m", "t"])
    #expect(document.keys(obj: map) == ["n"])
    #expect(document.length(obj: .ROOT) == 5)
  }

  @Test func `a key has the value with the greatest id`() throws {
    // 12@cd… beats 12@ab…: same counter, greater actor.
    #expect(try document.get(obj: .ROOT, key: "a") == .Scalar(.String("other")))
    #expect(
      try document.getAll(obj: .ROOT, key: "a") == [
        .Scalar(.String("other")), .Scalar(.Uint(2)),
      ])
    #expect(try document.get(obj: .ROOT, key: "none") == nil)
    #expect(try document.getAll(obj: .ROOT, key: "none") == [])
  }

  @Test func `a counter is its start and its increments`() throws {
    #expect(try document.get(obj: .ROOT, key: "c") == .Scalar(.Counter(15)))
  }

  @Test func `entries and values go together`() throws {
    let entries = try document.mapEntries(obj: .ROOT)
    #expect(entries.map(\.0) == document.keys(obj: .ROOT))
    #expect(try document.values(obj: .ROOT) == entries.map(\.1))
    #expect(entries.last?.1 == .Object(text, .Text))
  }

  @Test func `a list has the elements that are left`() throws {
    #expect(
      try document.values(obj: list) == [.Scalar(.String("z")), .Scalar(.String("y"))])
    #expect(document.length(obj: list) == 2)
    #expect(try document.get(obj: list, index: 0) == .Scalar(.String("z")))
    #expect(try document.get(obj: list, index: 1) == .Scalar(.String("y")))
    #expect(try document.get(obj: list, index: 2) == nil)
    #expect(try document.get(obj: list, index: .max) == nil)
    #expect(try document.getAll(obj: list, index: 1) == [.Scalar(.String("y"))])
    let author = hexadecimal(SampleHistory.first.author)
    #expect(document.keys(obj: list).last == "5@\(author)")
  }

  @Test func `a text is what its elements spell`() throws {
    #expect(try document.text(obj: text) == "q")
    #expect(document.length(obj: text) == 1)
  }

  @Test func `kinds and paths of objects are known`() throws {
    #expect(document.objectType(obj: .ROOT) == .Map)
    #expect(document.objectType(obj: list) == .List)
    #expect(document.objectType(obj: text) == .Text)
    #expect(try document.path(obj: .ROOT).isEmpty)
    #expect(try document.path(obj: map) == [PathElement(obj: .ROOT, prop: .Key("m"))])
  }

  @Test func `the wrong kind of object is an error`() {
    #expect(throws: Automerge.DocError.self) { try document.get(obj: list, key: "a") }
    #expect(throws: Automerge.DocError.self) { try document.get(obj: .ROOT, index: 0) }
    #expect(throws: Automerge.DocError.self) { try document.mapEntries(obj: text) }
    #expect(throws: Automerge.DocError.self) { try document.text(obj: list) }
  }

  @Test func `an object of another document is an error or empty`() throws {
    let other = Document()
    #expect(throws: Automerge.DocError.self) { try other.values(obj: list) }
    #expect(other.keys(obj: list).isEmpty)
    #expect(other.length(obj: list) == 0)
    #expect(try other.values(obj: .ROOT).isEmpty)
  }

  @Test func `the past is read at its heads`() throws {
    let first = try #require(ChangeHash(hex: hexadecimal(SampleHistory.first.hash)))
    let second = try #require(ChangeHash(hex: hexadecimal(SampleHistory.second.hash)))
    let heads: Set = [first]
    #expect(try document.getAt(obj: .ROOT, key: "a", heads: heads) == .Scalar(.Int(1)))
    #expect(try document.getAt(obj: .ROOT, key: "c", heads: heads) == .Scalar(.Counter(10)))
    #expect(try document.getAt(obj: .ROOT, key: "c", heads: [second]) == .Scalar(.Counter(15)))
    #expect(
      try document.valuesAt(obj: list, heads: heads)
        == [.Scalar(.String("x")), .Scalar(.String("y"))])
    #expect(document.lengthAt(obj: list, heads: heads) == 2)
    #expect(document.lengthAt(obj: list, heads: [second]) == 1)
    #expect(try document.getAllAt(obj: .ROOT, key: "a", heads: [second]) == [.Scalar(.Uint(2))])
    #expect(document.keysAt(obj: .ROOT, heads: []).isEmpty)
    #expect(try document.textAt(obj: text, heads: heads) == "q")
    #expect(document.keysAt(obj: .ROOT, heads: document.heads()) == document.keys(obj: .ROOT))
  }

  @Test func `a change is known by its hash`() throws {
    let history = document.getHistory()
    #expect(history.map(\.hex) == SampleHistory.changes.map { hexadecimal($0.hash) })
    let change = try #require(document.change(hash: history[0]))
    #expect(change.message == "first")
    #expect(change.timestamp == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(change.deps.isEmpty)
    #expect(Array(change.actorId.bytes) == SampleHistory.first.author)
    #expect(document.change(hash: history[1])?.message == nil)
    #expect(document.change(hash: history[1])?.deps == [history[0]])
    #expect(Document().change(hash: history[0]) == nil)
  }

  @Test func `an object id is the same wherever it comes from`() throws {
    let again = try Document(document.save())
    let other = try Document(Data(SampleHistory.first.bytes))
    for copy in [again, other] {
      #expect(try copy.get(obj: .ROOT, key: "l") == .Object(list, .List))
      #expect(copy.length(obj: list) == 2)
    }
    #expect(list != text)
    #expect(list.hashValue != ObjId.ROOT.hashValue)
    #expect(ObjId.ROOT.debugDescription == "ObjId.ROOT")
  }

  @Test(arguments: [TextEncoding.unicodeScalar, .utf8, .utf16, .graphemeCluster])
  func `a text is as long as its units`(encoding: TextEncoding) throws {
    let loaded = try Document(try Data(Fixtures.bytes("text-unicode/doc.automerge")))
    #expect(loaded.textEncoding == .unicodeScalar)
    let copy = Document(textEncoding: encoding)
    try copy.merge(other: loaded)
    guard case .Object(let text, .Text) = try copy.get(obj: .ROOT, key: "text") else {
      Issue.record("no text")
      return
    }
    let string = try copy.text(obj: text)
    let expected =
      switch encoding {
      case .unicodeScalar: string.unicodeScalars.count
      case .utf8: string.utf8.count
      case .utf16: string.utf16.count
      // One element holds one scalar here, and each is a cluster of its own.
      case .graphemeCluster: string.unicodeScalars.count
      }
    #expect(copy.length(obj: text) == UInt64(expected))
  }

  @Test func `names that differ only in composition are two names`() throws {
    let change = ForgedChange(.set("e\u{301}", .signed(1)), .set("é", .signed(2)))
    let document = try Document(Data(change.bytes))
    #expect(try document.get(obj: .ROOT, key: "e\u{301}") == .Scalar(.Int(1)))
    #expect(try document.get(obj: .ROOT, key: "é") == .Scalar(.Int(2)))
    #expect(document.keys(obj: .ROOT).map { Array($0.utf8).count } == [3, 2])
  }
}
