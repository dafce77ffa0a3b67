/// Integers that are stored as signed values; one that does not fit is a failure.
extension FixedWidthInteger {
  fileprivate static func signed(_ value: ScalarValue) -> Result<Self, IntScalarConversionError> {
    guard case .Int(let stored) = value, let exact = Self(exactly: stored) else {
      return .failure(.notIntScalarValue(value))
    }
    return .success(exact)
  }

  fileprivate static func unsigned(_ value: ScalarValue) -> Result<Self, IntScalarConversionError> {
    guard case .Uint(let stored) = value, let exact = Self(exactly: stored) else {
      return .failure(.notIntScalarValue(value))
    }
    return .success(exact)
  }
}

extension Int: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<Int, IntScalarConversionError> {
    signed(val)
  }

  public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int8: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<Int8, IntScalarConversionError> {
    signed(val)
  }

  public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int16: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<Int16, IntScalarConversionError>
  {
    signed(val)
  }

  public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int32: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<Int32, IntScalarConversionError>
  {
    signed(val)
  }

  public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension Int64: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<Int64, IntScalarConversionError>
  {
    signed(val)
  }

  public func toScalarValue() -> ScalarValue { .Int(Int64(self)) }
}

extension UInt8: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<UInt8, IntScalarConversionError>
  {
    unsigned(val)
  }

  public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt16: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<UInt16, IntScalarConversionError>
  {
    unsigned(val)
  }

  public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt32: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<UInt32, IntScalarConversionError>
  {
    unsigned(val)
  }

  public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension UInt64: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<UInt64, IntScalarConversionError>
  {
    unsigned(val)
  }

  public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}

extension Double: ScalarValueRepresentable {
  public static func fromScalarValue(
    _ val: ScalarValue
  ) -> Result<Double, FloatingPointScalarConversionError> {
    guard case .F64(let value) = val else { return .failure(.notF64ScalarValue(val)) }
    return .success(Double(value))
  }

  public func toScalarValue() -> ScalarValue { .F64(self) }
}

extension Float: ScalarValueRepresentable {
  public static func fromScalarValue(
    _ val: ScalarValue
  ) -> Result<Float, FloatingPointScalarConversionError> {
    guard case .F64(let value) = val else { return .failure(.notF64ScalarValue(val)) }
    return .success(Float(value))
  }

  public func toScalarValue() -> ScalarValue { .F64(Double(self)) }
}
