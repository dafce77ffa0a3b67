import Automerge
import Foundation
import Testing

/// Texts and counters are bound to where they were encoded, wherever that is.
@Suite struct BindingByEncodingTests {
  private struct Note: Codable {
    var title: String
    var discussion: AutomergeText
    var summary: AutomergeText?
    var votes = Counter(0)
  }

  private struct Collection: Codable {
    var notes: [Note]
    var nested: [[AutomergeText]] = []
    var named: [String: AutomergeText] = [:]
    var counts: [Counter] = []
  }

  private let place = CodableDocument()
  private var document: Document { place.document }

  @Test func `texts and counters are bound in lists, maps, optionals and what is in them`() throws {
    let collection = Collection(
      notes: [
        Note(title: "one", discussion: AutomergeText("hello world"), summary: AutomergeText("s")),
        Note(title: "", discussion: AutomergeText()),
      ],
      nested: [[AutomergeText("a"), AutomergeText("b")], [AutomergeText("c")]],
      named: ["key": AutomergeText("d")], counts: [Counter(1), Counter(2)])
    try place.encoder.encode(collection)
    #expect(collection.notes.allSatisfy { $0.discussion.isBound && $0.votes.isBound })
    #expect(collection.notes[0].summary?.isBound == true)
    #expect(collection.nested.joined().allSatisfy { $0.isBound })
    #expect(collection.named["key"]?.isBound == true)
    #expect(collection.counts.allSatisfy { $0.isBound })

    collection.notes[1].discussion.value = "later"
    collection.nested[1][0].value += "!"
    collection.counts[1].increment(by: 5)
    collection.notes[0].votes.increment(by: 1)
    #expect(try document.text(obj: place.object("notes.[1].discussion")) == "later")
    #expect(try document.text(obj: place.object("nested.[1].[0]")) == "c!")
    #expect(try place.scalar("counts.[1]") == .Counter(7))
    #expect(try place.scalar("notes.[0].votes") == .Counter(1))
  }

  @Test func `encoding what is bound once more changes nothing`() throws {
    let collection = Collection(
      notes: [Note(title: "one", discussion: AutomergeText("x"))], counts: [Counter(3)])
    try place.encoder.encode(collection)
    let heads = document.heads()
    try place.encoder.encode(collection)
    #expect(document.heads() == heads)
    #expect(try place.scalar("counts.[0]") == .Counter(3), "a count is not added twice")
  }

  @Test func `what others did since is not undone`() throws {
    let collection = Collection(notes: [Note(title: "one", discussion: AutomergeText("x"))])
    try place.encoder.encode(collection)
    let other = document.fork()
    try other.increment(
      obj: try #require(try other.lookupPath(path: "notes.[0]")), key: "votes", by: 4)
    try document.merge(other: other)
    try place.encoder.encode(collection)
    #expect(collection.notes[0].votes.value == 4)
  }

  @Test func `a new first element takes no content from those behind it`() throws {
    var collection = Collection(
      notes: ["one", "two"].map { Note(title: $0, discussion: AutomergeText($0)) },
      nested: [[AutomergeText("a"), AutomergeText("b")]])
    try place.encoder.encode(collection)
    collection.notes.insert(Note(title: "new", discussion: AutomergeText("new")), at: 0)
    collection.nested[0].insert(AutomergeText("z"), at: 0)
    try place.encoder.encode(collection)
    let read = try place.decoder.decode(Collection.self)
    #expect(read.notes.map { $0.discussion.value } == ["new", "one", "two"])
    #expect(read.nested[0].map { $0.value } == ["z", "a", "b"])
    #expect(collection.notes.map { $0.discussion.value } == ["new", "one", "two"])
  }

  @Test func `an element that moves takes its binding with it`() throws {
    var collection = Collection(
      notes: [], nested: [["a", "b", "c"].map { AutomergeText($0) }],
      counts: [Counter(1), Counter(2), Counter(3)])
    try place.encoder.encode(collection)
    collection.nested[0].removeFirst()
    collection.counts.removeFirst()
    try place.encoder.encode(collection)
    #expect(collection.nested[0].map { $0.value } == ["b", "c"])
    #expect(collection.counts.map { $0.value } == [2, 3])
    collection.nested[0][1].value = "edited"
    collection.counts[0].increment(by: 10)
    let read = try place.decoder.decode(Collection.self)
    #expect(read.nested[0].map { $0.value } == ["b", "edited"])
    #expect(read.counts.map { $0.value } == [12, 3])
  }

  @Test func `one instance at two places keeps the one it has`() throws {
    let text = AutomergeText("twice")
    try place.encoder.encode(["a": text, "b": text])
    let object = try #require(
      try [place.object("a"), place.object("b")].first {
        try AutomergeText(doc: document, objId: $0) == text
      })
    for value in ["edited", "again"] {
      text.value = value
      try place.encoder.encode(["a": text, "b": text])
      #expect(
        try place.decoder.decode([String: String].self) == ["a": value, "b": value])
      #expect(try AutomergeText(doc: document, objId: object) == text)
    }
  }

  @Test func `what belongs to another document stays there`() throws {
    let other = CodableDocument()
    let text = try AutomergeText("kept", doc: other.document, path: "text")
    try place.encoder.encode(["notes": [text]])
    text.value = "there"
    #expect(try place.decoder.decode([String: [String]].self) == ["notes": ["kept"]])
    #expect(try other.document.text(obj: other.object("text")) == "there")
  }

  @Test func `a call that fails binds nothing`() throws {
    struct Failing: Encodable {
      var text = AutomergeText("a")
      var wrong = Double.nan
    }
    let value = Failing()
    #expect(throws: EncodingError.self) { try place.encoder.encode(value) }
    #expect(!value.text.isBound && value.text.value == "a")
  }

  // MARK: The root

  @Test func `a text or counter as the whole document has the key value`() throws {
    let text = AutomergeText("something")
    try place.encoder.encode(text)
    #expect(text.isBound)
    #expect(try document.text(obj: place.object("value")) == "something")
    let read = try place.decoder.decode(AutomergeText.self)
    #expect(read == text && read.isBound)
    #expect(try place.decoder.decode(AutomergeText?.self)?.value == "something")
    text.value = "other"
    #expect(read.value == "other")

    let counted = CodableDocument()
    try counted.encoder.encode(["old": 1])
    try counted.encoder.encode(Counter(3) as Counter?)
    #expect(counted.document.keys(obj: .ROOT) == ["value"], "it is the whole document")
    #expect(try counted.decoder.decode(Counter.self).value == 3)
  }

  @Test func `a text at a path is bound there`() throws {
    let text = AutomergeText("deep")
    try place.encoder.encode(text, at: AnyCodingKey.parsePath("list.[0].text"))
    #expect(try text.isBound && document.text(obj: place.object("list.[0].text")) == "deep")
  }

  @Test func `an empty document has no text`() throws {
    let error = try error(DecodingError.self) { try place.decoder.decode(AutomergeText.self) }
    guard case .keyNotFound(let key, _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(key.stringValue == "value")
  }
}
