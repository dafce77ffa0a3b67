import Automerge
import Foundation
import Testing

/// Values as they are stored, compared and shown.
@Suite struct ValueTests {
  private let small: SmallDocument
  private var document: Document { small.document }

  init() throws { small = try SmallDocument() }

  /// Writes a value, saves, loads and reads it.
  private func stored(_ value: ScalarValue) throws -> ScalarValue? {
    try document.put(obj: .ROOT, key: "v", value: value)
    let here = try document.get(obj: .ROOT, key: "v")
    let there = try Document(document.save()).get(obj: .ROOT, key: "v")
    #expect(here == there)
    return there?.scalar
  }

  @Test(arguments: [
    ScalarValue.Null, .Boolean(false), .Boolean(true), .Int(.min), .Int(.max), .Int(-1), .Uint(0),
    .Uint(.max), .F64(0.1), .F64(.infinity), .F64(.leastNonzeroMagnitude), .String(""),
    .String("a\u{0}b"), .String("👨‍👩‍👧"), .Bytes(Data()), .Bytes(Data([0, 255])), .Counter(.min),
    .Counter(.max), .Timestamp(Date(timeIntervalSince1970: 0)),
    .Timestamp(Date(timeIntervalSince1970: -905_182_979)), .Timestamp(.distantFuture),
    .Unknown(typeCode: 10, data: Data()), .Unknown(typeCode: 15, data: Data([1, 2, 3])),
  ])
  func `a value is stored as it is`(value: ScalarValue) throws {
    #expect(try stored(value) == value)
    try document.insert(obj: small.list, index: 0, value: value)
    #expect(try document.get(obj: small.list, index: 0) == .Scalar(value))
    document.expectSound()
  }

  @Test func `a slice of bytes is stored as it is`() throws {
    let slice = Data([1, 2, 3, 4]).dropFirst(2)
    #expect(try stored(.Bytes(slice)) == .Bytes(Data([3, 4])))
    #expect(
      try stored(.Unknown(typeCode: 11, data: slice))
        == .Unknown(typeCode: 11, data: Data([3, 4])))
  }

  @Test(arguments: [
    (1.0019, 1.001), (-1.0019, -1.001), (0.0004, 0), (-0.0004, 0),
    (1_700_000_000.5, 1_700_000_000.5),
  ])
  func `a time is kept in whole milliseconds, cut off towards zero`(
    seconds: Double, expected: Double
  ) throws {
    let value = try stored(.Timestamp(Date(timeIntervalSince1970: seconds)))
    guard case .Timestamp(let date) = value else {
      Issue.record("no timestamp")
      return
    }
    #expect(abs(date.timeIntervalSince1970 - expected) < 0.000_01)
  }

  @Test(arguments: [1e300, -1e300, .infinity, -.infinity, .nan, 1e16, -1e16] as [Double])
  func `a time beyond 64 bits of milliseconds is refused`(seconds: Double) {
    let value = ScalarValue.Timestamp(Date(timeIntervalSince1970: seconds))
    let message = "no document can hold the value"
    small.expectRefusal(message) { try document.put(obj: .ROOT, key: "v", value: value) }
    small.expectRefusal(message) { try document.put(obj: small.list, index: 0, value: value) }
    small.expectRefusal(message) { try document.insert(obj: small.list, index: 0, value: value) }
  }

  @Test(arguments: [0, 6, 9, 16, 255] as [UInt8])
  func `an unknown value has an unknown type`(code: UInt8) {
    let value = ScalarValue.Unknown(typeCode: code, data: Data([1]))
    small.expectRefusal("no document can hold the value") {
      try document.put(obj: .ROOT, key: "v", value: value)
    }
  }

  @Test func `NaN is stored and equals nothing`() throws {
    try document.put(obj: .ROOT, key: "v", value: .F64(.nan))
    #expect(try document.get(obj: .ROOT, key: "v") != .Scalar(.F64(.nan)))
    guard
      case .Scalar(.F64(let loaded)) = try Document(document.save()).get(obj: .ROOT, key: "v")
    else {
      Issue.record("no float")
      return
    }
    #expect(loaded.isNaN)
  }

  @Test func `a value is equal to its like of the same type only`() {
    #expect(ScalarValue.Int(1) != .Uint(1))
    #expect(ScalarValue.Bytes(Data([1])) != .Unknown(typeCode: 10, data: Data([1])))
    #expect(Value.Scalar(.Int(1)) == .Scalar(.Int(1)))
    #expect(Value.Object(small.list, .List) == .Object(small.list, .List))
    #expect(Value.Object(small.list, .List) != .Object(small.map, .Map))
    #expect(Set([Value.Scalar(.Int(1)), .Scalar(.Int(1)), .Scalar(.Uint(1))]).count == 2)
  }

  @Test func `values describe themselves`() {
    #expect(ScalarValue.Boolean(true).description == "Boolean(true)")
    #expect(ScalarValue.F64(1.5).description == "Double(1.5)")
    #expect(ScalarValue.Counter(2).description == "Counter(2)")
    #expect(ScalarValue.Bytes(Data(repeating: 10, count: 16)).description.count == 6 + 32)
    #expect(ScalarValue.Bytes(Data(repeating: 10, count: 17)).description.count == 6 + 30)
    #expect(
      ScalarValue.Unknown(typeCode: 10, data: Data([0xab])).description
        == "Unknown(type: 10, data: ab)")
    #expect(Value.Scalar(.Int(1)).debugDescription.contains("Int(1)"))
    #expect(Value.Object(.ROOT, .Map).debugDescription.contains("ObjId.ROOT"))
    #expect([ObjType.Map, .List, .Text].map(\.debugDescription) == ["Map", "List", "Text"])
  }

  @Test func `the small types say what they were made of`() {
    let mark = Mark(start: 1, end: 2, name: "n", value: .Int(3))
    #expect((mark.start, mark.end, mark.name, mark.value) == (1, 2, "n", .Int(3)))
    #expect(Set([mark, mark, Mark(start: 1, end: 3, name: "n", value: .Int(3))]).count == 2)
    let step = PathElement(obj: small.list, prop: .Index(4))
    #expect(step.obj == small.list)
    #expect(step.prop == .Index(4))
    #expect(Prop.Key("a") != .Index(0))
    let gone = DeleteSeq(obj: small.list, index: 1, length: 2)
    #expect((gone.obj, gone.index, gone.length) == (small.list, 1, 2))
    #expect(Set([ExpandMark.before, .after, .both, .none]).count == 4)
  }

  @Test func `the verbosity of a log is ordered`() {
    #expect(LogVerbosity.errorOnly < .debug)
    #expect(LogVerbosity.debug < .tracing)
    #expect([LogVerbosity.errorOnly, .debug, .tracing].map(\.rawValue) == [3, 6, 8])
    #expect(
      [LogVerbosity.errorOnly, .debug, .tracing].map { $0.canDebug() } == [false, true, true])
    #expect(
      [LogVerbosity.errorOnly, .debug, .tracing].map { $0.canTrace() } == [false, true, true])
    #expect(LogVerbosity(rawValue: 6) == .debug)
  }
}
