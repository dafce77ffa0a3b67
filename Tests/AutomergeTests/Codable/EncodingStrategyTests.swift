@testable import Automerge
import Foundation
import Testing

@Suite struct EncodingStrategyTests {
  private let place = CodableDocument()
  private var document: Document { place.document }

  // MARK: Strategies

  @Test func `an object or scalar of another kind is not overwritten by an object`() throws {
    try place.encoder.encode(["value": "a", "list": "b"])
    let list = try error(CodingKeyLookupError.self) { try place.encoder.encode(["value": [1]]) }
    #expect(list.name == "MismatchedSchema")
    let map = try error(CodingKeyLookupError.self) {
      try place.encoder.encode(["value": ["a": 1]])
    }
    #expect(map.name == "MismatchedSchema")
    let text = try error(CodingKeyLookupError.self) {
      try place.encoder.encode(["value": AutomergeText("a")])
    }
    #expect(text.name == "MismatchedSchema")
    #expect(try place.scalar("value") == .String("a"))
    // A scalar overwrites anything.
    _ = try document.putObject(obj: .ROOT, key: "value", ty: .Map)
    try place.encoder.encode(["value": 1])
    #expect(try place.scalar("value") == .Int(1))
  }

  @Test func `a list of strings does not become one of texts`() throws {
    try place.encoder.encode(["notes": ["Hello"]])
    let error = try error(CodingKeyLookupError.self) {
      try place.encoder.encode(["notes": [AutomergeText("Hello")]])
    }
    #expect(error.name == "MismatchedSchema")
  }

  @Test func `a read-only schema takes values where there are containers`() throws {
    let encoder = AutomergeEncoder(doc: document, strategy: .readonly)
    try encoder.encode(["a": 1])
    #expect(try place.scalar("a") == .Int(1))
    for write in [
      { try encoder.encode(["map": ["a": 1]]) }, { try encoder.encode(["map": [String: Int]()]) },
    ] {
      #expect(try error(CodingKeyLookupError.self, of: write).name == "SchemaMissing")
    }
    let text = try error(CodingKeyLookupError.self) {
      try encoder.encode(["text": AutomergeText("a")])
    }
    #expect(text.name == "SchemaMissing")
    let path = try error(CodingKeyLookupError.self) {
      try encoder.encode(1, at: AnyCodingKey.parsePath("list.[0]"))
    }
    #expect(path.name == "SchemaMissing")
    _ = try document.putObject(obj: .ROOT, key: "map", ty: .Map)
    try encoder.encode(["map": ["b": 2]])
    #expect(try place.scalar("map.b") == .Int(2))
  }

  @Test func `overriding is refused`() throws {
    let encoder = AutomergeEncoder(doc: document, strategy: .override)
    let error = try error(CodingKeyLookupError.self) { try encoder.encode(["a": 1]) }
    #expect(error.name == "UnexpectedLookupFailure")
    #expect(document.keys(obj: .ROOT) == [])
  }

  // MARK: Caution

  private func refuses<T: Codable>(_ value: T, over scalar: ScalarValue) throws -> Bool {
    try document.put(obj: .ROOT, key: "value", value: scalar)
    let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
    try document.insert(obj: list, index: 0, value: scalar)
    let path = [AnyCodingKey("value")]
    let keyed = #expect(throws: EncodingError.self) { try place.cautious.encode(Box(value)) }
    let single = #expect(throws: EncodingError.self) { try place.cautious.encode(value, at: path) }
    let element = #expect(throws: EncodingError.self) {
      try place.cautious.encode(["list": [value]])
    }
    let position = #expect(throws: EncodingError.self) {
      try place.cautious.encode(value, at: AnyCodingKey.parsePath("list.[0]"))
    }
    #expect(try place.scalar("value") == scalar)
    #expect(try place.scalar("list.[0]") == scalar)
    try place.encoder.encode(Box(value))
    return [keyed, single, element, position].allSatisfy {
      $0?.refused is T && $0?.explanation.contains("Automerge") == true
    }
  }

  @Test func `caution refuses to change the type of a value`() throws {
    #expect(try refuses(true, over: .Int(4)))
    #expect(try refuses("a", over: .Int(4)))
    #expect(try refuses(1.5, over: .Int(4)))
    #expect(try refuses(Float(1.5), over: .Uint(4)))
    #expect(try refuses(4, over: .F64(4)))
    #expect(try refuses(Int8(4), over: .Uint(4)))
    #expect(try refuses(UInt(4), over: .Int(4)))
    #expect(try refuses(UInt64(4), over: .String("4")))
    #expect(try refuses(Data(), over: .String("")))
    #expect(try refuses(Date(timeIntervalSince1970: 0), over: .Null))
    #expect(try refuses(URL(string: "a"), over: .Bytes(Data())))
    #expect(try refuses(Counter(4), over: .Int(4)))
  }

  @Test func `caution refuses a null too`() throws {
    try document.put(obj: .ROOT, key: "value", value: .F64(4))
    let error = try error(EncodingError.self) {
      try place.cautious.encode(Int?.none, at: [AnyCodingKey("value")])
    }
    #expect(error.refused is ScalarValue)
    try document.put(obj: .ROOT, key: "value", value: .Null)
    try place.cautious.encode(Int?.none, at: [AnyCodingKey("value")])
    #expect(try place.scalar("value") == .Null)
  }

  @Test func `caution refuses to replace an object`() throws {
    try place.encoder.encode(["value": [1]])
    let error = try error(EncodingError.self) { try place.cautious.encode(["value": 1]) }
    #expect(error.explanation.contains("a list"))
  }

  @Test func `caution writes what is new or of the same type`() throws {
    let journal = try Samples.journal()
    try place.cautious.encode(journal)
    try place.cautious.encode(try place.decoder.decode(Samples.Journal.self))
    #expect(try place.decoder.decode(Samples.Journal.self).title == "Journal")
    try place.cautious.encode(["value": 1])
    try place.cautious.encode(["value": 2])
    #expect(try place.scalar("value") == .Int(2))
  }

  // MARK: Paths

  @Test func `a value at a path leaves the rest alone`() throws {
    try place.encoder.encode(["notes": [["a": 1], ["b": 2]], "other": [["c": 3]]])
    try place.encoder.encode("Hello", at: [AnyCodingKey("title")])
    try place.encoder.encode(["z": 9], at: AnyCodingKey.parsePath("notes.[1]"))
    #expect(try place.scalar("title") == .String("Hello"))
    #expect(document.keys(obj: .ROOT) == ["notes", "other", "title"])
    #expect(try place.scalar("notes.[0].a") == .Int(1))
    #expect(document.keys(obj: try place.object("notes.[1]")) == ["z"])
    #expect(document.length(obj: try place.object("notes")) == 2)
  }

  @Test func `a path is made, lists by appending`() throws {
    let entry = Samples.entry(1)
    try place.encoder.encode(entry, at: AnyCodingKey.parsePath("example.[0]"))
    try place.encoder.encode(7, at: AnyCodingKey.parsePath("example.[1].deep.[0]"))
    try place.encoder.encode(8, at: AnyCodingKey.parsePath("example.[1].deep.[0]"))
    try place.encoder.encode(9, at: AnyCodingKey.parsePath("example.[1].deep.[1]"))
    let path = try AnyCodingKey.parsePath("example.[0]")
    #expect(try place.decoder.decode(Samples.Entry.self, from: path) == entry)
    #expect(
      try place.decoder.decode([Int].self, from: AnyCodingKey.parsePath("example.[1].deep"))
        == [8, 9])
    let error = try error(CodingKeyLookupError.self) {
      try place.encoder.encode(["a": 1], at: AnyCodingKey.parsePath("example.[5]"))
    }
    #expect(error.name == "IndexOutOfBounds")
    #expect(throws: DocError.self) {
      try place.encoder.encode(1, at: AnyCodingKey.parsePath("example.[5]"))
    }
  }

  @Test func `a text or counter at a path becomes one`() throws {
    try place.encoder.encode(AutomergeText("x"), at: AnyCodingKey.parsePath("list.[0]"))
    try place.encoder.encode(Counter(2), at: AnyCodingKey.parsePath("list.[1]"))
    try place.encoder.encode(Counter(5), at: AnyCodingKey.parsePath("list.[1]"))
    #expect(try document.text(obj: place.object("list.[0]")) == "x")
    #expect(try place.scalar("list.[1]") == .Counter(5))
  }

  // MARK: Records

  @Test func `a value may try another container if one does not fit`() throws {
    struct Flexible: Encodable {
      func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        do { try list.encode(1) } catch is CodingKeyLookupError {
          var single = encoder.singleValueContainer()
          try single.encode("not a list")
        }
      }
    }
    try place.encoder.encode(["a": "scalar"])
    try place.encoder.encode(["a": Flexible(), "b": Flexible()])
    #expect(try place.scalar("a") == .String("not a list"))
    #expect(try place.scalar("b.[0]") == .Int(1))
  }

  @Test func `encoders record what was written below them`() throws {
    let encoder = AutomergeEncoderImpl(
      userInfo: [:], codingPath: [], doc: document, strategy: .createWhenNeeded,
      cautiousWrite: false, logLevel: .errorOnly)
    try Samples.journal().encode(to: encoder)
    #expect(encoder.containerType == .Key)
    #expect(encoder.objectIdForContainer == .ROOT)
    #expect(
      encoder.mapKeysWritten == ["title", "entries", "tags", "cover", "page", "visits"])
    #expect(encoder.highestUnkeyedIndexWritten == nil)
    let entries = try #require(encoder.childEncoders.first)
    #expect(entries.containerType == .Index)
    #expect(entries.highestUnkeyedIndexWritten == 3)
    #expect(entries.codingPath.stringPath() == ".entries")
    #expect(entries.childEncoders.count == 4)
  }

  @Test func `a lookup that fails is thrown by the first value`() throws {
    let encoder = AutomergeEncoderImpl(
      userInfo: [:], codingPath: [AnyCodingKey("nothere")], doc: document, strategy: .readonly,
      cautiousWrite: false, logLevel: .errorOnly)
    var keyed = encoder.container(keyedBy: AnyCodingKey.self)
    var list = encoder.unkeyedContainer()
    var nested = keyed.nestedContainer(keyedBy: AnyCodingKey.self, forKey: AnyCodingKey("a"))
    var inner = list.nestedUnkeyedContainer()
    let key = AnyCodingKey("value")
    for write in [
      { try keyed.encode(true, forKey: key) }, { try keyed.encodeNil(forKey: key) },
      { try keyed.encode([1], forKey: key) }, { try list.encode(1) }, { try list.encodeNil() },
      { try nested.encode(1, forKey: key) }, { try inner.encode("a") }, { try encoder.finish() },
    ] {
      #expect(try error(CodingKeyLookupError.self, of: write).name == "SchemaMissing")
    }
  }
}
