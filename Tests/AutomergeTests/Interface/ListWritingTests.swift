import Automerge
import Foundation
import Testing

/// Writing elements of lists.
@Suite struct ListWritingTests {
  private let small: SmallDocument
  private var document: Document { small.document }
  private var list: ObjId { small.list }

  init() throws { small = try SmallDocument() }

  private static let beyond = "the index is beyond the end"

  @Test func `values are inserted before an index, at most at the end`() throws {
    try document.insert(obj: list, index: 0, value: .Int(0))
    try document.insert(obj: list, index: 4, value: .Int(4))
    try document.insert(obj: list, index: 2, value: .String("mid"))
    #expect(
      try small.numbers() == [.Int(0), .Int(1), .String("mid"), .Int(2), .Int(3), .Int(4)])
    document.expectSound()
    for index: UInt64 in [7, 1 << 40, .max] {
      small.expectRefusal(Self.beyond) {
        try document.insert(obj: list, index: index, value: .Null)
      }
      small.expectRefusal(Self.beyond) {
        _ = try document.insertObject(obj: list, index: index, ty: .List)
      }
    }
  }

  @Test func `an element is replaced in its place`() throws {
    try document.put(obj: list, index: 1, value: .String("two"))
    #expect(try small.numbers() == [.Int(1), .String("two"), .Int(3)])
    try small.expectNoChange { try document.put(obj: list, index: 1, value: .String("two")) }
    for index: UInt64 in [3, .max] {
      small.expectRefusal(Self.beyond) { try document.put(obj: list, index: index, value: .Null) }
      small.expectRefusal(Self.beyond) {
        _ = try document.putObject(obj: list, index: index, ty: .Map)
      }
    }
    document.expectSound()
  }

  @Test(arguments: [ObjType.Map, .List, .Text])
  func `objects are inserted and replace elements`(kind: ObjType) throws {
    let inserted = try document.insertObject(obj: list, index: 3, ty: kind)
    #expect(try document.get(obj: list, index: 3) == .Object(inserted, kind))
    let replacing = try document.putObject(obj: list, index: 0, ty: kind)
    #expect(try document.get(obj: list, index: 0) == .Object(replacing, kind))
    #expect(document.length(obj: list) == 4)
    #expect(document.length(obj: replacing) == 0)
    #expect(document.objectType(obj: inserted) == kind)
    document.expectSound()
  }

  @Test func `an element is deleted once`() throws {
    try document.delete(obj: list, index: 1)
    #expect(try small.numbers() == [.Int(1), .Int(3)])
    for index: UInt64 in [2, .max] {
      small.expectRefusal(Self.beyond) { try document.delete(obj: list, index: index) }
    }
    try document.delete(obj: list, index: 0)
    try document.delete(obj: list, index: 0)
    #expect(document.length(obj: list) == 0)
    small.expectRefusal(Self.beyond) { try document.delete(obj: list, index: 0) }
  }

  @Test func `an element's counter is incremented`() throws {
    try document.insert(obj: list, index: 1, value: .Counter(1))
    try document.increment(obj: list, index: 1, by: -3)
    #expect(try document.get(obj: list, index: 1) == .Scalar(.Counter(-2)))
    small.expectRefusal("there is no counter to increment") {
      try document.increment(obj: list, index: 0, by: 1)
    }
    small.expectRefusal(Self.beyond) { try document.increment(obj: list, index: 4, by: 1) }
    document.expectSound()
  }

  @Test(
    arguments: [
      (0, 0, [Int64(9)], [Int64(9), 1, 2, 3]),
      (1, 1, [7, 8, 9], [1, 7, 8, 9, 3]),
      (0, 3, [], []),
      (3, 0, [4, 5], [1, 2, 3, 4, 5]),
      (2, -2, [], [3]),
      (3, -1, [9], [1, 2, 9]),
      (1, 99, [9], [1, 9]),
      (3, .max, [], [1, 2, 3]),
      (2, 0, [], [1, 2, 3]),
      (5, -3, [9], [1, 2, 9]),
    ] as [(UInt64, Int64, [Int64], [Int64])])
  func `a splice deletes, forwards or backwards, and then inserts`(
    start: UInt64, delete: Int64, inserted: [Int64], expected: [Int64]
  ) throws {
    try document.splice(
      obj: list, start: start, delete: delete, values: inserted.map { .Int($0) })
    #expect(try small.numbers() == expected.map { .Int($0) })
    document.expectSound()
  }

  @Test func `a splice that does nothing makes no change`() throws {
    try small.expectNoChange { try document.splice(obj: list, start: 3, delete: 0, values: []) }
    try small.expectNoChange { try document.splice(obj: list, start: 3, delete: 9, values: []) }
  }

  @Test(arguments: [4, 1 << 32, .max] as [UInt64], [0, 1, 9, .max, -1] as [Int64])
  func `a splice beyond the end that inserts nothing does nothing`(
    start: UInt64, delete: Int64
  ) throws {
    try small.expectNoChange {
      try document.splice(obj: list, start: start, delete: delete, values: [])
    }
  }

  @Test func `a splice that reaches back from beyond the end deletes what is there`() throws {
    try document.splice(obj: list, start: 4, delete: -2, values: [])
    #expect(try small.numbers() == [.Int(1), .Int(2)])
  }

  @Test(arguments: [(4, 0), (.max, 0), (1, -2), (0, -1), (3, .min)] as [(UInt64, Int64)])
  func `a splice outside of the list changes nothing`(start: UInt64, delete: Int64) {
    small.expectRefusal(Self.beyond) {
      try document.splice(obj: list, start: start, delete: delete, values: [.Int(9)])
    }
  }

  @Test func `thousands of elements come and go`() throws {
    let values = (0..<5_000).map { ScalarValue.Int(Int64($0)) }
    try document.splice(obj: list, start: 1, delete: 1, values: values)
    #expect(try small.numbers() == [.Int(1)] + values + [.Int(3)])
    try document.splice(obj: list, start: 4_001, delete: -3_000, values: values)
    #expect(
      try small.numbers() == [.Int(1)] + values[..<1_000] + values + values[4_000...] + [.Int(3)])
    document.expectSound()
  }

  @Test func `concurrent inserts in one place stay together`() throws {
    let other = document.fork(as: 2)
    try document.splice(obj: list, start: 1, delete: 0, values: [.Int(10), .Int(11)])
    try other.splice(obj: list, start: 1, delete: 0, values: [.Int(20), .Int(21)])
    try document.merge(other: other)
    #expect(
      try small.numbers() == [1, 20, 21, 10, 11, 2, 3].map { .Int($0) })
  }

  @Test func `an update survives a concurrent delete`() throws {
    let other = document.fork(as: 2)
    try document.delete(obj: list, index: 1)
    try other.put(obj: list, index: 1, value: .String("kept"))
    try document.merge(other: other)
    #expect(try small.numbers() == [.Int(1), .String("kept"), .Int(3)])
  }

  @Test func `indexes belong to lists`() throws {
    let message = "wrong object type"
    for object in [small.map, ObjId.ROOT] {
      small.expectRefusal(message) { try document.put(obj: object, index: 0, value: .Null) }
      small.expectRefusal(message) {
        _ = try document.putObject(obj: object, index: 0, ty: .Map)
      }
      small.expectRefusal(message) { try document.insert(obj: object, index: 0, value: .Null) }
      small.expectRefusal(message) {
        _ = try document.insertObject(obj: object, index: 0, ty: .Map)
      }
      small.expectRefusal(message) { try document.delete(obj: object, index: 0) }
      small.expectRefusal(message) { try document.increment(obj: object, index: 0, by: 1) }
      small.expectRefusal(message) {
        try document.splice(obj: object, start: 0, delete: 0, values: [])
      }
    }
  }

  @Test func `a splice with a value that cannot be held changes nothing`() {
    let values: [ScalarValue] = [.Int(1), .Timestamp(Date(timeIntervalSince1970: 1e300))]
    small.expectRefusal("no document can hold the value") {
      try document.splice(obj: list, start: 1, delete: 2, values: values)
    }
  }
}
