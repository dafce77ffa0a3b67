/// The type code of a scalar value (format.md 2.6); 10 to 15 are kept without being understood.
package struct ValueType: Hashable, Sendable {
  package let code: UInt8

  @inline(__always)
  package init(code: UInt8) { self.code = code }

  package static let null = ValueType(code: 0)
  package static let boolFalse = ValueType(code: 1)
  package static let boolTrue = ValueType(code: 2)
  package static let uint = ValueType(code: 3)
  package static let int = ValueType(code: 4)
  package static let float64 = ValueType(code: 5)
  package static let string = ValueType(code: 6)
  package static let bytes = ValueType(code: 7)
  package static let counter = ValueType(code: 8)
  package static let timestamp = ValueType(code: 9)

  package static let unknown: ClosedRange<UInt8> = 10...15
}
