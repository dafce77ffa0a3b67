import Automerge
import Foundation
import Testing

@Suite struct DecodingTests {
  private let place = CodableDocument()
  private var document: Document { place.document }

  private func decode<T: Codable>(_ type: T.Type, from scalar: ScalarValue) throws -> T {
    try document.put(obj: .ROOT, key: "value", value: scalar)
    return try place.decoder.decode(Box<T>.self).value
  }

  private func failure<T: Codable>(_ type: T.Type, from scalar: ScalarValue) throws -> String {
    try error(DecodingError.self) { try decode(type, from: scalar) }.summary
  }

  private func list(_ scalars: [ScalarValue]) throws {
    let list = try document.putObject(obj: .ROOT, key: "value", ty: .List)
    try document.splice(obj: list, start: 0, delete: 0, values: scalars)
  }

  // MARK: Scalars

  @Test func `every scalar decodes as its type`() throws {
    let date = Date(timeIntervalSince1970: -905_182.979)
    #expect(try decode(Bool.self, from: .Boolean(true)))
    #expect(try decode(String.self, from: .String("a")) == "a")
    #expect(try decode(Data.self, from: .Bytes(Data([1]))) == Data([1]))
    #expect(try decode(Date.self, from: .Timestamp(date)) == date)
    #expect(try decode(Double.self, from: .F64(-0.5)) == -0.5)
    #expect(try decode(Float.self, from: .F64(3.25)) == 3.25)
    #expect(try decode(URL.self, from: .String("a/b")) == URL(string: "a/b"))
    #expect(try decode(Counter.self, from: .Counter(7)).value == 7)
    let id = UUID()
    #expect(try decode(UUID.self, from: .String(id.uuidString)) == id)
    #expect(try decode(Double.self, from: .F64(.nan)).isNaN)
    #expect(try decode(Double.self, from: .F64(.infinity)) == .infinity)
  }

  @Test func `another scalar is a type mismatch at its path`() throws {
    #expect(try failure(Bool.self, from: .Int(1)) == "typeMismatch Bool .value")
    #expect(try failure(String.self, from: .Int(1)) == "typeMismatch String .value")
    #expect(try failure(Data.self, from: .String("a")) == "typeMismatch Data .value")
    #expect(try failure(Date.self, from: .F64(1)) == "typeMismatch Date .value")
    #expect(try failure(Double.self, from: .String("1")) == "typeMismatch Double .value")
    #expect(try failure(URL.self, from: .Bytes(Data())) == "typeMismatch URL .value")
    #expect(try failure(Counter.self, from: .Int(1)) == "typeMismatch Counter .value")
    #expect(try failure(Int.self, from: .Counter(1)) == "typeMismatch Int .value")
    #expect(
      try failure(AutomergeText.self, from: .String("a")) == "typeMismatch AutomergeText .value")
    #expect(
      try failure(Int.self, from: .Unknown(typeCode: 12, data: Data([1])))
        == "typeMismatch Int .value")
  }

  @Test func `null is nil, and no other value`() throws {
    #expect(try decode(Int?.self, from: .Null) == nil)
    #expect(try failure(Int.self, from: .Null) == "valueNotFound Int .value")
    #expect(try failure(Date.self, from: .Null) == "valueNotFound Date .value")
    #expect(try failure(Counter.self, from: .Null) == "valueNotFound Counter .value")
  }

  // MARK: Numbers

  private func expectBounds<T: FixedWidthInteger & Codable & Sendable>(_ type: T.Type) throws {
    for bound in [T.min, T.max] {
      if let stored = Int64(exactly: bound) {
        #expect(try decode(type, from: .Int(stored)) == bound)
      }
      if let stored = UInt64(exactly: bound) {
        #expect(try decode(type, from: .Uint(stored)) == bound)
      }
    }
    if let next = Int64(exactly: T.max), next < .max {
      #expect(try failure(type, from: .Int(next + 1)) == "dataCorrupted .value")
    }
    if let next = UInt64(exactly: T.max), next < .max {
      #expect(try failure(type, from: .Uint(next + 1)) == "dataCorrupted .value")
    }
    if let next = Int64(exactly: T.min), next > .min {
      #expect(try failure(type, from: .Int(next - 1)) == "dataCorrupted .value")
    }
  }

  @Test func `integers of either sign decode if they fit`() throws {
    try expectBounds(Int.self)
    try expectBounds(Int8.self)
    try expectBounds(Int16.self)
    try expectBounds(Int32.self)
    try expectBounds(Int64.self)
    try expectBounds(UInt.self)
    try expectBounds(UInt8.self)
    try expectBounds(UInt16.self)
    try expectBounds(UInt32.self)
    try expectBounds(UInt64.self)
  }

  @Test func `integers decode as floating-point numbers in containers`() throws {
    #expect(try decode(Double.self, from: .Int(-5)) == -5)
    #expect(try decode(Float.self, from: .Uint(5)) == 5)
    try list([.Int(1), .F64(2.5), .Uint(3)])
    #expect(try place.decoder.decode(Box<[Double]>.self).value == [1, 2.5, 3])
    #expect(try failure(Float.self, from: .F64(1e300)) == "dataCorrupted .value")
    #expect(try failure(Int.self, from: .F64(1)) == "typeMismatch Int .value")
  }

  @Test func `lists take integers of either sign`() throws {
    try list([.Int(1), .Uint(2)])
    #expect(try place.decoder.decode(Box<[Int8]>.self).value == [1, 2])
    #expect(try place.decoder.decode(Box<[UInt]>.self).value == [1, 2])
    try list([.Uint(1), .Int(-2)])
    let error = try error(DecodingError.self) { try place.decoder.decode(Box<[UInt]>.self) }
    #expect(error.summary == "dataCorrupted .value.[1]")
  }

  @Test func `a single value must be stored as its own type of number`() throws {
    let path = [AnyCodingKey("value")]
    try document.put(obj: .ROOT, key: "value", value: .Int(34))
    #expect(try place.decoder.decode(Int8.self, from: path) == 34)
    #expect(try place.decoder.decode(Int.self, from: path) == 34)
    let unsigned = try error(DecodingError.self) {
      try place.decoder.decode(UInt.self, from: path)
    }
    #expect(unsigned.summary == "typeMismatch UInt .value")
    let double = try error(DecodingError.self) {
      try place.decoder.decode(Double.self, from: path)
    }
    #expect(double.summary == "typeMismatch Double .value")
    try document.put(obj: .ROOT, key: "value", value: .Uint(300))
    #expect(try place.decoder.decode(UInt16.self, from: path) == 300)
    let narrow = try error(DecodingError.self) {
      try place.decoder.decode(UInt8.self, from: path)
    }
    #expect(narrow.summary == "dataCorrupted .value")
  }

  // MARK: Texts

  @Test func `a text is a string as a single value and in generic types, not as a property`() throws
  {
    let text = try document.putObject(obj: .ROOT, key: "value", ty: .Text)
    try document.updateText(obj: text, value: "Hello")
    #expect(try place.decoder.decode(String.self, from: [AnyCodingKey("value")]) == "Hello")
    #expect(try place.decoder.decode([String: String].self) == ["value": "Hello"])
    struct Property: Codable {
      var value: String
    }
    let error = try error(DecodingError.self) { try place.decoder.decode(Property.self) }
    #expect(error.summary == "typeMismatch String .value")
    let bound = try place.decoder.decode(Box<AutomergeText>.self).value
    #expect(bound.isBound && bound.value == "Hello")
  }

  // MARK: Containers

  @Test func `missing keys and wrong containers say what is missing where`() throws {
    struct Two: Codable {
      var one: Int
      var two: [Int]
    }
    let missing = try error(DecodingError.self) { try place.decoder.decode(Two.self) }
    #expect(missing.summary == "keyNotFound one .")
    try document.put(obj: .ROOT, key: "one", value: .Int(1))
    try document.put(obj: .ROOT, key: "two", value: .Int(2))
    let scalar = try error(CodingKeyLookupError.self) { try place.decoder.decode(Two.self) }
    #expect(scalar.name == "MismatchedSchema")
    _ = try document.putObject(obj: .ROOT, key: "two", ty: .Map)
    let map = try error(CodingKeyLookupError.self) { try place.decoder.decode(Two.self) }
    #expect(map.name == "MismatchedSchema")
    let root = try error(CodingKeyLookupError.self) { try place.decoder.decode([Int].self) }
    #expect(root.name == "InvalidIndexLookup")
    let value = try error(DecodingError.self) { try place.decoder.decode(Int.self) }
    #expect(value.summary == "typeMismatch Int .")
  }

  @Test func `a list ends where it ends`() throws {
    struct Pair: Codable {
      var sum: Int

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        #expect(container.count == 1 && !container.isAtEnd && container.currentIndex == 0)
        #expect(try !container.decodeNil())
        #expect(throws: DecodingError.self) { try container.decode(String.self) }
        #expect(container.currentIndex == 0)
        sum = try container.decode(Int.self)
        #expect(container.isAtEnd)
        sum += try container.decode(Int.self)
      }
    }
    try list([.Int(3)])
    let error = try error(DecodingError.self) { try place.decoder.decode(Box<Pair>.self) }
    #expect(error.summary == "valueNotFound Int .value.[1]")
  }

  @Test func `a path decodes what is there`() throws {
    try list([.Int(1), .Null])
    #expect(try place.decoder.decode([Int?].self, from: [AnyCodingKey("value")]) == [1, nil])
    let path = try AnyCodingKey.parsePath("value.[0]")
    #expect(try place.decoder.decode(Int.self, from: path) == 1)
    #expect(try place.decoder.decode(Int?.self, from: [AnyCodingKey("none")]) == nil)
    #expect(try place.decoder.decode(Box<[Int?]>.self, from: []).value == [1, nil])
    let none = try error(DecodingError.self) {
      try place.decoder.decode(Int.self, from: [AnyCodingKey("none")])
    }
    #expect(none.summary == "valueNotFound Int .none")
    for (path, name) in [
      ("none.a", "SchemaMissing"), ("value.[0].a", "PathExtendsThroughScalar"),
      ("value.[3]", "IndexOutOfBounds"),
    ] {
      let error = try error(CodingKeyLookupError.self) {
        try place.decoder.decode(Int?.self, from: AnyCodingKey.parsePath(path))
      }
      #expect(error.name == name)
    }
    let container = try error(CodingKeyLookupError.self) {
      try place.decoder.decode([Int].self, from: [AnyCodingKey("none")])
    }
    #expect(container.name == "SchemaMissing")
  }

  @Test func `a document deeper than any honest one is refused`() throws {
    indirect enum Nest: Decodable {
      case end
      case inner(Nest)

      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        self = container.isAtEnd ? .end : .inner(try container.decode(Nest.self))
      }
    }
    var list = try document.putObject(obj: .ROOT, key: "value", ty: .List)
    for _ in 1..<128 { list = try document.insertObject(obj: list, index: 0, ty: .List) }
    _ = try place.decoder.decode(Nest.self, from: [AnyCodingKey("value")])
    _ = try document.insertObject(obj: list, index: 0, ty: .List)
    let error = try error(DecodingError.self) {
      try place.decoder.decode(Nest.self, from: [AnyCodingKey("value")])
    }
    #expect(error.summary.hasPrefix("dataCorrupted .value.[0]"))
  }

  @Test func `the types that decode can ask for the user's information`() throws {
    struct Asking: Decodable {
      let answer: String?

      init(from decoder: any Decoder) throws {
        let key = try #require(CodingUserInfoKey(rawValue: "question"))
        answer = decoder.userInfo[key] as? String
      }
    }
    var decoder = place.decoder
    decoder.userInfo[try #require(CodingUserInfoKey(rawValue: "question"))] = "answer"
    #expect(try decoder.decode(Asking.self).answer == "answer")
    try list([.Int(1)])
    #expect(
      try decoder.decode(Asking.self, from: AnyCodingKey.parsePath("value.[0]")).answer == "answer")
  }
}
