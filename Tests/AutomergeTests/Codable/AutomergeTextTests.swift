import Automerge
import Foundation
import Testing

@Suite struct AutomergeTextTests {
  private let place = CodableDocument()
  private var document: Document { place.document }
  private static let emoji = "🇬🇧👨‍👨‍👧‍👦😀"

  @Test func `a text that is not bound is its own`() {
    let text = AutomergeText("a")
    #expect(!text.isBound && text.value == "a")
    text.value = "b"
    #expect(text.value == "b" && text.description == "b")
    #expect(text.debugDescription == "AutomergeText(\"b\", unbound)")
    #expect(AutomergeText().value.isEmpty)
  }

  @Test func `a path makes a new text and the containers on the way`() throws {
    let text = try AutomergeText(Self.emoji, doc: document, path: "a.[0].text")
    #expect(text.isBound)
    let object = try place.object("a.[0].text")
    #expect(try document.text(obj: object) == Self.emoji)
    text.value = "🇬🇧😀"
    #expect(try document.text(obj: object) == "🇬🇧😀")
    #expect(text.debugDescription.contains(object.debugDescription))

    let list = try AutomergeText("second", doc: document, path: "a.[1]")
    #expect(list.value == "second")
    #expect(document.length(obj: try place.object("a")) == 2)

    let replacing = try AutomergeText("new", doc: document, path: "a.[0].text")
    #expect(try place.object("a.[0].text") != object)
    #expect(replacing.value == "new" && text.value == "🇬🇧😀")
  }

  @Test func `binding at a path moves the content`() throws {
    let text = AutomergeText("moved")
    try text.bind(doc: document, path: "text")
    #expect(text.isBound && text.value == "moved")
    #expect(try document.text(obj: place.object("text")) == "moved")
    let empty = AutomergeText()
    try empty.bind(doc: document, path: "empty")
    #expect(try document.text(obj: place.object("empty")) == "")
    try text.bind(doc: document, path: "copy")
    text.value += "!"
    #expect(try document.text(obj: place.object("text")) == "moved")
    #expect(try document.text(obj: place.object("copy")) == "moved!")
  }

  @Test(arguments: ["", ".", "[0]", "[0].a"])
  func `a path that is none of a text is an error`(path: String) throws {
    let error = try error(BindingError.self) {
      try AutomergeText("a", doc: document, path: path)
    }
    #expect(error == .InvalidPath(path))
    #expect(error.errorDescription?.isEmpty == false)
  }

  @Test func `a path through something else is an error, and the text stays unbound`() throws {
    try document.put(obj: .ROOT, key: "scalar", value: .Int(1))
    let text = AutomergeText("a")
    #expect(throws: PathParseError.self) { try text.bind(doc: document, path: "1") }
    let error = try error(CodingKeyLookupError.self) {
      try text.bind(doc: document, path: "scalar.a")
    }
    #expect(error.name == "PathExtendsThroughScalar")
    #expect(throws: DocError.self) { try text.bind(doc: document, path: "list.[1]") }
    #expect(!text.isBound && text.value == "a")
  }

  @Test func `an existing text is bound by its identity`() throws {
    let object = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    try document.updateText(obj: object, value: "there")
    #expect(try AutomergeText(doc: document, objId: object).value == "there")
    let empty = AutomergeText()
    try empty.bind(doc: document, id: object)
    #expect(empty.value == "there")
    try AutomergeText("replaced").bind(doc: document, id: object)
    #expect(empty.value == "replaced")
  }

  @Test func `no other object is bound`() throws {
    let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
    let foreign = try AutomergeText("a", doc: Document(), path: "a")
    #expect(foreign.isBound)
    for object in [ObjId.ROOT, list] {
      #expect(throws: BindingError.NotText) { try AutomergeText(doc: document, objId: object) }
    }
    let other = Document()
    let unknown = try other.putObject(obj: .ROOT, key: "a", ty: .Text)
    #expect(throws: BindingError.NotText) {
      try AutomergeText("a").bind(doc: document, id: unknown)
    }
  }

  @Test func `edits of both sides of a text merge`() throws {
    let text = try AutomergeText("Hello World", doc: document, path: "text")
    let other = document.fork()
    let forked = try AutomergeText(doc: other, objId: place.object("text"))
    text.value = "Hello dear World"
    forked.value = "Hello World!"
    try document.merge(other: other)
    #expect(text.value == "Hello dear World!")
  }

  // MARK: Codable

  @Test func `encoding writes a text object`() throws {
    try place.encoder.encode(["notes": AutomergeText("Hello")])
    let object = try place.object("notes")
    try place.encoder.encode(["notes": AutomergeText("Hello World!")])
    #expect(try place.object("notes") == object)
    #expect(try document.text(obj: object) == "Hello World!")
    try place.encoder.encode(["notes": AutomergeText()])
    #expect(try document.text(obj: object) == "")
  }

  @Test func `a bound text is there already, and is copied elsewhere`() throws {
    try place.encoder.encode(["notes": [AutomergeText("one"), AutomergeText("two")]])
    var notes = try place.decoder.decode([String: [AutomergeText]].self)
    notes["notes"]?.removeFirst()
    try place.encoder.encode(notes)
    #expect(
      try place.decoder.decode([String: [AutomergeText]].self)["notes"]?.map(\.value) == ["two"])
    let other = CodableDocument()
    try other.encoder.encode(notes)
    #expect(try other.decoder.decode([String: [String]].self) == ["notes": ["two"]])
  }

  @Test func `other coders see a map with a value`() throws {
    let text = try AutomergeText("a", doc: document, path: "text")
    let json = try JSONEncoder().encode(text)
    #expect(String(decoding: json, as: UTF8.self) == #"{"value":"a"}"#)
    let read = try JSONDecoder().decode(AutomergeText.self, from: json)
    #expect(!read.isBound && read.value == "a")
    #expect(AutomergeText.CodingKeys.value.stringValue == "value")
  }

  // MARK: Equality

  @Test func `texts of one document are equal if they are one object`() throws {
    let one = try AutomergeText("a", doc: document, path: "one")
    let same = try AutomergeText(doc: document, objId: place.object("one"))
    let two = try AutomergeText("a", doc: document, path: "two")
    #expect(one == same && one.hashValue == same.hashValue)
    #expect(one != two)
    let unbound = AutomergeText("a")
    #expect(one == unbound && unbound == two && one.hashValue == unbound.hashValue)
    #expect(one != AutomergeText("b"))
    #expect(Set([one, same, two]).count == 2)
    let fork = document.fork()
    let forked = try AutomergeText(doc: fork, objId: place.object("one"))
    #expect(one == forked)
    forked.value = "b"
    #expect(one != forked)
  }

  @Test func `a text may be used from many threads`() async throws {
    let text = try AutomergeText(
      doc: document,
      objId: {
        try document.putObject(obj: .ROOT, key: "text", ty: .Text)
      }())
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          text.value = String(repeating: "x", count: number)
          _ = text.value
          _ = text.isBound
        }
      }
    }
    #expect(text.value.allSatisfy { $0 == "x" })
  }
}
