import Automerge
import Foundation
import Testing

@Suite struct EncodingTests {
  private let place = CodableDocument()
  private var document: Document { place.document }

  // MARK: What becomes what

  @Test func `every scalar type has its value`() throws {
    struct Model: Codable {
      var bool = true
      var string = "a"
      var int = -1
      var int8 = Int8.min
      var int16 = Int16.max
      var int32 = Int32.min
      var int64 = Int64.max
      var uint = UInt(1)
      var uint8 = UInt8.max
      var uint16 = UInt16.max
      var uint32 = UInt32.max
      var uint64 = UInt64.max
      var float = Float(0.5)
      var double = -2.5
      var data = Data([7])
      var date = Date(timeIntervalSince1970: 10)
      var url = URL(string: "https://a.b/c")
      var counter = Counter(3)
    }
    try place.encoder.encode(Model())
    let expected: [String: ScalarValue] = [
      "bool": .Boolean(true), "string": .String("a"), "int": .Int(-1), "int8": .Int(-128),
      "int16": .Int(32_767), "int32": .Int(-2_147_483_648), "int64": .Int(.max), "uint": .Uint(1),
      "uint8": .Uint(255), "uint16": .Uint(65_535), "uint32": .Uint(4_294_967_295),
      "uint64": .Uint(.max), "float": .F64(0.5), "double": .F64(-2.5), "data": .Bytes(Data([7])),
      "date": .Timestamp(Date(timeIntervalSince1970: 10)), "url": .String("https://a.b/c"),
      "counter": .Counter(3),
    ]
    #expect(document.keys(obj: .ROOT).sorted() == expected.keys.sorted())
    for (key, scalar) in expected { #expect(try place.scalar(key) == scalar) }
  }

  @Test func `containers are objects`() throws {
    struct Model: Codable {
      var map = ["a": ["b": 1]]
      var list = [[1], []]
      var text = AutomergeText("x")
    }
    try place.encoder.encode(Model())
    #expect(document.objectType(obj: try place.object("map.a")) == .Map)
    #expect(document.objectType(obj: try place.object("list.[1]")) == .List)
    #expect(document.length(obj: try place.object("list.[1]")) == 0)
    #expect(try document.text(obj: place.object("text")) == "x")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `numbers that are none are refused everywhere`(number: Double) throws {
    let keyed = try error(EncodingError.self) { try place.encoder.encode(["value": number]) }
    #expect(keyed.refused is Double && keyed.explanation.contains("Automerge"))
    let list = try error(EncodingError.self) {
      try place.encoder.encode(["list": [Float(number)]])
    }
    #expect(list.refused is Float)
    let single = try error(EncodingError.self) {
      try place.encoder.encode(number, at: [AnyCodingKey("value")])
    }
    #expect(single.refused is Double)
    #expect(try place.value("value") == nil)
  }

  @Test(arguments: [1e16, -1e16, .nan, .infinity])
  func `dates no timestamp can be are refused`(seconds: Double) throws {
    let error = try error(EncodingError.self) {
      try place.encoder.encode(["value": Date(timeIntervalSince1970: seconds)])
    }
    #expect(error.refused is Date)
  }

  @Test(arguments: [0, 1, -1, 1_001, 1_768_249_551_123, -905_182_979, 253_402_300_799_999])
  func `timestamps do not drift when they are read and written`(milliseconds: Int64) throws {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    var random = SeededGenerator(seed: UInt64(bitPattern: milliseconds))
    for _ in 0..<200 {
      let nearby = date.addingTimeInterval(Double(random.below(1_000_000)) / 1000)
      let stored = try place.roundTrip(["value": nearby])
      let heads = document.heads()
      #expect(try place.roundTrip(stored) == stored)
      #expect(document.heads() == heads)
    }
    #expect(try place.roundTrip(["value": date]) == ["value": date])
  }

  @Test func `dates are cut to milliseconds`() throws {
    let early = Date(timeIntervalSince1970: -1.0019)
    #expect(
      try place.roundTrip(["value": early]) == ["value": Date(timeIntervalSince1970: -1.001)])
    let date = Date(timeIntervalSince1970: 1.0019)
    #expect(try place.roundTrip(["value": date]) == ["value": Date(timeIntervalSince1970: 1.001)])
  }

  @Test func `dictionaries with integer keys are refused, those with numbers as text are not`()
    throws
  {
    struct Wrapper: Codable {
      var years = [2026: "a"]
    }
    let error = try error(DocError.self) { try place.encoder.encode(Wrapper()) }
    #expect(error.errorDescription == "wrong object type")
    #expect(try place.roundTrip(["2026": ["1": "a"]]) == ["2026": ["1": "a"]])
  }

  @Test func `the root must be a map`() throws {
    let list = try error(CodingKeyLookupError.self) { try place.encoder.encode([1]) }
    #expect(list.name == "InvalidIndexLookup")
    let empty = try error(CodingKeyLookupError.self) { try place.encoder.encode([Int]()) }
    #expect(empty.name == "InvalidIndexLookup")
    let scalar = try error(CodingKeyLookupError.self) { try place.encoder.encode(1) }
    #expect(scalar.name == "InvalidIndexLookup")
    struct Silent: Encodable {
      func encode(to encoder: any Encoder) {}
    }
    let nothing = try error(EncodingError.self) { try place.encoder.encode(Silent()) }
    #expect(nothing.refused is Silent)
    // In a list it takes its place, as an empty map.
    try place.encoder.encode(["list": [Silent(), Silent()]])
    #expect(document.length(obj: try place.object("list")) == 2)
  }

  // MARK: Nil

  @Test func `nil at the root changes nothing`() throws {
    try place.encoder.encode(["a": 1])
    let heads = document.heads()
    try place.encoder.encode([String: Int]?.none)
    #expect(document.heads() == heads)
  }

  @Test func `nil is null where it is encoded and absent where it is not`() throws {
    struct Absent: Codable {
      var value: Int?
    }
    struct Null: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyCodingKey.self)
        try container.encodeNil(forKey: AnyCodingKey("nil"))
        try container.encode(Counter?.none, forKey: AnyCodingKey("counter"))
        var list = container.nestedUnkeyedContainer(forKey: AnyCodingKey("list"))
        try list.encodeNil()
        try list.encode(Int?.none)
        try list.encode(Int?.some(3))
      }
    }
    try place.encoder.encode(Absent())
    #expect(document.keys(obj: .ROOT) == [])
    try place.encoder.encode(Null())
    #expect(try place.scalar("nil") == .Null)
    #expect(try place.scalar("counter") == .Null)
    #expect(
      try document.values(obj: place.object("list"))
        == [.Scalar(.Null), .Scalar(.Null), .Scalar(.Int(3))])
    #expect(try place.roundTrip(["list": [nil, 1, nil]]) == ["list": [nil, 1, nil]])
  }

  @Test func `an object takes the place of a null`() throws {
    try place.encoder.encode(["value": [Int]?.none, "other": nil])
    try document.put(obj: .ROOT, key: "value", value: .Null)
    try place.encoder.encode(["value": [1], "other": [2]])
    #expect(try place.decoder.decode([String: [Int]].self) == ["value": [1], "other": [2]])
    #expect(try place.roundTrip(["list": [[Int]?.none, [2]]]) == ["list": [nil, [2]]])
    #expect(try place.roundTrip(["list": [[1], nil, [3]]]) == ["list": [[1], nil, [3]]])
  }

  // MARK: What was there before

  @Test func `keys that are not written are deleted, at every depth`() throws {
    try place.encoder.encode(["a": ["x": 1, "y": 2], "b": ["z": 3]])
    let inner = try place.object("a")
    try place.encoder.encode(["a": ["x": 1]])
    #expect(document.keys(obj: .ROOT) == ["a"])
    #expect(try place.object("a") == inner)
    #expect(document.keys(obj: inner) == ["x"])
    try place.encoder.encode([String: Int]())
    #expect(document.keys(obj: .ROOT) == [])
  }

  @Test func `keys that are equal as strings only are not the same key`() throws {
    try document.put(obj: .ROOT, key: "\u{e9}", value: .Int(1))
    try document.put(obj: .ROOT, key: "e\u{301}", value: .Int(2))
    try place.encoder.encode(["e\u{301}": 3])
    #expect(document.keys(obj: .ROOT).map { Array($0.utf8) } == [Array("e\u{301}".utf8)])
  }

  @Test(arguments: [
    [["a"], ["b", "c"], []], [[], ["a"], ["a", "b"]], [["one", "two"], ["one"]],
    [["a", "b", "c"], ["b", "c"], ["c"], ["x", "y", "z", "c"]],
  ])
  func `a list becomes what is written`(states: [[String]]) throws {
    for state in states {
      #expect(try place.roundTrip(["list": state]) == ["list": state])
      #expect(document.length(obj: try place.object("list")) == UInt64(state.count))
    }
  }

  @Test func `containers in a list are used again`() throws {
    try place.encoder.encode(["list": [["a": 1], ["b": 2], ["c": 3]]])
    let first = try place.object("list.[0]")
    try place.encoder.encode(["list": [["z": 9]]])
    #expect(try place.object("list.[0]") == first)
    #expect(document.keys(obj: first) == ["z"])
    #expect(document.length(obj: try place.object("list")) == 1)
  }

  @Test func `writing the same again makes no change`() throws {
    var journal = try Samples.journal()
    try place.encoder.encode(journal)
    let heads = document.heads()
    journal = try place.decoder.decode(Samples.Journal.self)
    try place.encoder.encode(journal)
    #expect(document.heads() == heads)
  }

  @Test func `lists that both sides write again stay one list`() throws {
    try place.encoder.encode(["list": [1, 2, 3]])
    let other = document.fork()
    try place.encoder.encode(["list": [1, 2, 3, 4]])
    try AutomergeEncoder(doc: other).encode(["list": [0, 2, 3]])
    try document.merge(other: other)
    #expect(try place.decoder.decode([String: [Int]].self) == ["list": [0, 2, 3, 4]])
  }

  @Test func `elements of different kinds are written again in place`() throws {
    struct Mixed: Codable, Equatable {
      var number: Int
      var names: [String]

      init(_ number: Int, _ names: [String]) { (self.number, self.names) = (number, names) }

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        number = try container.decode(Int.self)
        names = try container.decode([String].self)
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(number)
        try container.encode(names)
        #expect(container.count == 2)
      }
    }
    for mixed in [Mixed(1, ["a"]), Mixed(2, ["a"]), Mixed(2, [])] {
      #expect(try place.roundTrip(["mixed": mixed]) == ["mixed": mixed])
    }
  }
}
