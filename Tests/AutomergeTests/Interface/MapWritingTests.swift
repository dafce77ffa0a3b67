import Automerge
import Foundation
import Testing

/// Writing keys of maps.
@Suite struct MapWritingTests {
  private let small: SmallDocument
  private var document: Document { small.document }

  init() throws { small = try SmallDocument() }

  @Test func `a key gets a value, another value, and none`() throws {
    try document.put(obj: small.map, key: "k", value: .String("one"))
    #expect(try document.get(obj: small.map, key: "k") == .Scalar(.String("one")))
    try document.put(obj: small.map, key: "k", value: .Int(2))
    #expect(try document.getAll(obj: small.map, key: "k") == [.Scalar(.Int(2))])
    try document.delete(obj: small.map, key: "k")
    #expect(try document.get(obj: small.map, key: "k") == nil)
    #expect(document.length(obj: small.map) == 0)
    document.expectSound()
  }

  @Test(arguments: [
    ScalarValue.Null, .Boolean(true), .Int(-3), .Uint(3), .F64(1.5), .String("é"),
    .Bytes(Data([1, 2])), .Counter(5), .Timestamp(Date(timeIntervalSince1970: 1.5)),
    .Unknown(typeCode: 12, data: Data([9])),
  ])
  func `writing what a key has makes no change`(value: ScalarValue) throws {
    try document.put(obj: small.map, key: "k", value: value)
    try small.expectNoChange { try document.put(obj: small.map, key: "k", value: value) }
    #expect(try document.get(obj: small.map, key: "k") == .Scalar(value))
  }

  @Test func `equal numbers of different types are different values`() throws {
    let values: [ScalarValue] = [.Int(1), .Uint(1), .F64(1), .Counter(1), .Boolean(true)]
    for value in values {
      let heads = document.heads()
      try document.put(obj: .ROOT, key: "k", value: value)
      #expect(document.heads() != heads)
      #expect(try document.get(obj: .ROOT, key: "k") == .Scalar(value))
    }
  }

  @Test func `floats are compared as numbers, so NaN is always written`() throws {
    for _ in 0..<2 {
      let heads = document.heads()
      try document.put(obj: .ROOT, key: "nan", value: .F64(.nan))
      #expect(document.heads() != heads)
    }
    guard case .Scalar(.F64(let number)) = try document.get(obj: .ROOT, key: "nan") else {
      Issue.record("no float")
      return
    }
    #expect(number.isNaN)
    try document.put(obj: .ROOT, key: "zero", value: .F64(0))
    try small.expectNoChange { try document.put(obj: .ROOT, key: "zero", value: .F64(-0.0)) }
    try document.put(obj: .ROOT, key: "end", value: .F64(-.infinity))
    #expect(try document.get(obj: .ROOT, key: "end") == .Scalar(.F64(-.infinity)))
  }

  @Test func `strings and keys are compared by their bytes`() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    try document.put(obj: small.map, key: composed, value: .Int(1))
    try document.put(obj: small.map, key: decomposed, value: .Int(2))
    #expect(document.length(obj: small.map) == 2)
    #expect(try document.get(obj: small.map, key: composed) == .Scalar(.Int(1)))
    try document.put(obj: .ROOT, key: "s", value: .String(composed))
    try document.put(obj: .ROOT, key: "s", value: .String(decomposed))
    guard case .Scalar(.String(let text)) = try document.get(obj: .ROOT, key: "s") else {
      Issue.record("no string")
      return
    }
    #expect(text.utf8.elementsEqual(decomposed.utf8))
  }

  @Test func `writing the winner of a conflict again settles it`() throws {
    let other = document.fork(as: 2)
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    try other.put(obj: .ROOT, key: "k", value: .Int(2))
    try document.merge(other: other)
    #expect(try document.getAll(obj: .ROOT, key: "k") == [.Scalar(.Int(1)), .Scalar(.Int(2))])
    #expect(try document.get(obj: .ROOT, key: "k") == .Scalar(.Int(2)))
    let heads = document.heads()
    try document.put(obj: .ROOT, key: "k", value: .Int(2))
    #expect(document.heads() != heads)
    #expect(try document.getAll(obj: .ROOT, key: "k") == [.Scalar(.Int(2))])
  }

  @Test(arguments: [ObjType.Map, .List, .Text])
  func `a new object is empty and of its kind`(kind: ObjType) throws {
    let object = try document.putObject(obj: small.map, key: "o", ty: kind)
    #expect(try document.get(obj: small.map, key: "o") == .Object(object, kind))
    #expect(document.objectType(obj: object) == kind)
    #expect(document.length(obj: object) == 0)
    let next = try document.putObject(obj: small.map, key: "o", ty: kind)
    #expect(next != object)
    #expect(try document.getAll(obj: small.map, key: "o") == [.Object(next, kind)])
    document.expectSound()
  }

  @Test(arguments: [ObjType.Map, .List, .Text])
  func `an object may be the first thing an author writes`(kind: ObjType) throws {
    let new = Document()
    let object = try new.putObject(obj: .ROOT, key: "o", ty: kind)
    #expect(try new.get(obj: .ROOT, key: "o") == .Object(object, kind))
    document.actor = try #require(ActorId(data: Data([0])))
    let other = try document.putObject(obj: small.map, key: "o", ty: kind)
    #expect(try document.get(obj: small.map, key: "o") == .Object(other, kind))
    document.actor = try #require(ActorId(data: Data([3])))
    let inserted = try document.insertObject(obj: small.list, index: 1, ty: kind)
    #expect(try document.get(obj: small.list, index: 1) == .Object(inserted, kind))
    document.expectSound()
  }

  @Test func `an object that was replaced can still be written`() throws {
    let old = try document.putObject(obj: .ROOT, key: "o", ty: .Map)
    try document.put(obj: .ROOT, key: "o", value: .Null)
    try document.put(obj: old, key: "k", value: .Int(1))
    #expect(try document.get(obj: old, key: "k") == .Scalar(.Int(1)))
    document.expectSound()
  }

  @Test func `deleting a key that is not there makes no change`() throws {
    try small.expectNoChange { try document.delete(obj: .ROOT, key: "none") }
    try document.delete(obj: .ROOT, key: "map")
    try small.expectNoChange { try document.delete(obj: .ROOT, key: "map") }
  }

  @Test func `the empty key is a key`() throws {
    try document.put(obj: small.map, key: "", value: .Int(1))
    #expect(document.keys(obj: small.map) == [""])
    #expect(try document.get(obj: small.map, key: "") == .Scalar(.Int(1)))
    try document.delete(obj: small.map, key: "")
    #expect(document.keys(obj: small.map).isEmpty)
  }

  @Test func `a counter is incremented, also down`() throws {
    try document.put(obj: small.map, key: "c", value: .Counter(10))
    try document.increment(obj: small.map, key: "c", by: 5)
    try document.increment(obj: small.map, key: "c", by: -20)
    #expect(try document.get(obj: small.map, key: "c") == .Scalar(.Counter(-5)))
    document.expectSound()
  }

  @Test func `a counter that overflows does not stop the program`() throws {
    try document.put(obj: small.map, key: "c", value: .Counter(.max))
    try document.increment(obj: small.map, key: "c", by: .max)
    try document.increment(obj: small.map, key: "c", by: .min)
    guard case .Scalar(.Counter) = try document.get(obj: small.map, key: "c") else {
      Issue.record("no counter")
      return
    }
    document.expectSound()
  }

  @Test func `an increment reaches all counters in conflict and hides the rest`() throws {
    let other = document.fork(as: 2)
    let third = document.fork(as: 3)
    try document.put(obj: .ROOT, key: "k", value: .Counter(1))
    try other.put(obj: .ROOT, key: "k", value: .Counter(50))
    try third.put(obj: .ROOT, key: "k", value: .String("s"))
    try document.merge(other: other)
    try document.merge(other: third)
    #expect(try document.get(obj: .ROOT, key: "k") == .Scalar(.String("s")))
    try document.increment(obj: .ROOT, key: "k", by: 5)
    #expect(
      try document.getAll(obj: .ROOT, key: "k") == [.Scalar(.Counter(6)), .Scalar(.Counter(55))])
    #expect(try document.get(obj: .ROOT, key: "k") == .Scalar(.Counter(55)))
    document.expectSound()
  }

  @Test func `what is no counter cannot be incremented`() throws {
    try document.put(obj: .ROOT, key: "n", value: .Int(1))
    let message = "there is no counter to increment"
    small.expectRefusal(message) { try document.increment(obj: .ROOT, key: "n", by: 1) }
    small.expectRefusal(message) { try document.increment(obj: .ROOT, key: "none", by: 1) }
    small.expectRefusal(message) { try document.increment(obj: .ROOT, key: "map", by: 1) }
  }

  @Test func `keys belong to maps`() throws {
    for object in [small.list, small.text] {
      let message = "wrong object type"
      small.expectRefusal(message) { try document.put(obj: object, key: "k", value: .Null) }
      small.expectRefusal(message) { _ = try document.putObject(obj: object, key: "k", ty: .Map) }
      small.expectRefusal(message) { try document.delete(obj: object, key: "k") }
      small.expectRefusal(message) { try document.increment(obj: object, key: "k", by: 1) }
    }
  }
}
