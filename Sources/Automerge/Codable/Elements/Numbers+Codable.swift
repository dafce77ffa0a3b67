extension Int: ScalarCodable {}
extension Int8: ScalarCodable {}
extension Int16: ScalarCodable {}
extension Int32: ScalarCodable {}
extension Int64: ScalarCodable {}
extension UInt: ScalarCodable {}
extension UInt8: ScalarCodable {}
extension UInt16: ScalarCodable {}
extension UInt32: ScalarCodable {}
extension UInt64: ScalarCodable {}
extension Double: ScalarCodable {}
extension Float: ScalarCodable {}

extension FixedWidthInteger where Self: ScalarCodable {
  /// Signed types read integers and unsigned types unsigned integers, in containers both.
  static func read(from element: AutomergeDecoderImpl) throws -> Self {
    let number: Self?
    switch try element.scalar(as: Self.self) {
    case .Int(let value) where isSigned || element.takesAnyNumber: number = Self(exactly: value)
    case .Uint(let value) where !isSigned || element.takesAnyNumber: number = Self(exactly: value)
    default: throw element.mismatch(Self.self)
    }
    guard let number else { throw element.overflow(Self.self) }
    return number
  }
}

extension BinaryFloatingPoint where Self: ScalarCodable {
  /// Documents could hold infinities and not-a-numbers, but no other coder would read them back.
  func write(to element: EncodedElement) throws {
    guard isFinite else { throw element.refusal(of: self, "\(self) is no number for Automerge") }
    try element.put(toScalarValue(), as: self)
  }

  /// Reads floating-point numbers, in containers also integers.
  static func read(from element: AutomergeDecoderImpl) throws -> Self {
    switch try element.scalar(as: Self.self) {
    case .F64(let value):
      let number = Self(value)
      guard number.isFinite == value.isFinite else { throw element.overflow(Self.self) }
      return number
    case .Int(let value) where element.takesAnyNumber: return Self(value)
    case .Uint(let value) where element.takesAnyNumber: return Self(value)
    default: throw element.mismatch(Self.self)
    }
  }
}
