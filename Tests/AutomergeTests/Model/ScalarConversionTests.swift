import Automerge
import Foundation
import Testing

/// Swift values as scalars and back.
@Suite struct ScalarConversionTests {
  private func expectRoundTrip<T: ScalarValueRepresentable & Equatable>(
    _ value: T, as scalar: ScalarValue, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(value.toScalarValue() == scalar, sourceLocation: sourceLocation)
    #expect((try? T.fromScalarValue(scalar).get()) == value, sourceLocation: sourceLocation)
  }

  private static let scalars: [ScalarValue] = [
    .Null, .Boolean(true), .String("s"), .Int(1), .Uint(1), .F64(1), .Counter(1),
    .Timestamp(Date(timeIntervalSince1970: 1)), .Bytes(Data([1])),
    .Unknown(typeCode: 12, data: Data()),
  ]

  /// Every scalar of another type is a failure with a description.
  private func expectRefusals<T: ScalarValueRepresentable>(
    _ type: T.Type, but accepted: ScalarValue, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for scalar in Self.scalars where scalar != accepted {
      switch T.fromScalarValue(scalar) {
      case .success: Issue.record("\(scalar) as \(type)", sourceLocation: sourceLocation)
      case .failure(let error):
        #expect(error.errorDescription?.isEmpty == false, sourceLocation: sourceLocation)
        #expect(error.failureReason == nil, sourceLocation: sourceLocation)
      }
    }
  }

  @Test func `every type has its scalar`() throws {
    expectRoundTrip(true, as: .Boolean(true))
    expectRoundTrip("text", as: .String("text"))
    expectRoundTrip(Data([0, 255]), as: .Bytes(Data([0, 255])))
    expectRoundTrip(
      Date(timeIntervalSince1970: 1.5), as: .Timestamp(Date(timeIntervalSince1970: 1.5)))
    expectRoundTrip(try #require(URL(string: "https://a.b/c")), as: .String("https://a.b/c"))
    expectRoundTrip(1.5, as: .F64(1.5))
    expectRoundTrip(Float(1.5), as: .F64(1.5))
    expectRoundTrip(Int.min, as: .Int(Int64(Int.min)))
    expectRoundTrip(Int8.min, as: .Int(-128))
    expectRoundTrip(Int16.min, as: .Int(-32_768))
    expectRoundTrip(Int32.max, as: .Int(2_147_483_647))
    expectRoundTrip(Int64.max, as: .Int(.max))
    expectRoundTrip(UInt.max, as: .Uint(UInt64(UInt.max)))
    expectRoundTrip(UInt8.max, as: .Uint(255))
    expectRoundTrip(UInt16.max, as: .Uint(65_535))
    expectRoundTrip(UInt32.max, as: .Uint(4_294_967_295))
    expectRoundTrip(UInt64.max, as: .Uint(.max))
    for scalar in Self.scalars { expectRoundTrip(scalar, as: scalar) }
  }

  @Test func `another type is a failure`() {
    expectRefusals(Bool.self, but: .Boolean(true))
    expectRefusals(String.self, but: .String("s"))
    expectRefusals(URL.self, but: .String("s"))
    expectRefusals(Data.self, but: .Bytes(Data([1])))
    expectRefusals(Date.self, but: .Timestamp(Date(timeIntervalSince1970: 1)))
    expectRefusals(Double.self, but: .F64(1))
    expectRefusals(Float.self, but: .F64(1))
    expectRefusals(Int.self, but: .Int(1))
    expectRefusals(Int8.self, but: .Int(1))
    expectRefusals(UInt.self, but: .Uint(1))
    expectRefusals(UInt32.self, but: .Uint(1))
  }

  @Test func `a number that does not fit is a failure, not a trap`() {
    #expect(throws: IntScalarConversionError.self) { try Int8.fromScalarValue(.Int(128)).get() }
    #expect(throws: IntScalarConversionError.self) {
      try Int16.fromScalarValue(.Int(-32_769)).get()
    }
    #expect(throws: IntScalarConversionError.self) { try Int32.fromScalarValue(.Int(.min)).get() }
    #expect(throws: IntScalarConversionError.self) { try UInt8.fromScalarValue(.Uint(256)).get() }
    #expect(throws: IntScalarConversionError.self) { try UInt32.fromScalarValue(.Uint(.max)).get() }
  }

  @Test func `text that is no URL is a failure of its own`() {
    let text = "https://[not a host"
    switch URL.fromScalarValue(.String(text)) {
    case .failure(.notMatchingURLScheme(let refused)): #expect(refused == text)
    case let other: Issue.record("\(other)")
    }
  }

  @Test func `scalars describe themselves`() {
    #expect(ScalarValue.Int(5).description == "Int(5)")
    #expect(ScalarValue.String("x").description == "String(x)")
    #expect(ScalarValue.Uint(3).description == "UInt(3)")
    #expect(ScalarValue.Null.description == "Null()")
  }
}
