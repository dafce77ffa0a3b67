#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ScalarValue: ScalarValueRepresentable {
  public static func fromScalarValue(
    _ val: ScalarValue
  ) -> Result<ScalarValue, ScalarValueConversionError> { .success(val) }

  public func toScalarValue() -> ScalarValue { self }
}

extension Bool: ScalarValueRepresentable {
  public static func fromScalarValue(
    _ val: ScalarValue
  ) -> Result<Bool, BooleanScalarConversionError> {
    guard case .Boolean(let value) = val else { return .failure(.notboolScalarValue(val)) }
    return .success(value)
  }

  public func toScalarValue() -> ScalarValue { .Boolean(self) }
}

extension String: ScalarValueRepresentable {
  public static func fromScalarValue(
    _ val: ScalarValue
  ) -> Result<String, StringScalarConversionError> {
    guard case .String(let value) = val else { return .failure(.notstringScalarValue(val)) }
    return .success(value)
  }

  public func toScalarValue() -> ScalarValue { .String(self) }
}

extension URL: ScalarValueRepresentable {
  public static func fromScalarValue(_ val: ScalarValue) -> Result<URL, URLScalarConversionError> {
    guard case .String(let text) = val else { return .failure(.notStringScalarValue(val)) }
    guard let url = URL(string: text) else { return .failure(.notMatchingURLScheme(text)) }
    return .success(url)
  }

  public func toScalarValue() -> ScalarValue { .String(absoluteString) }
}

extension Data: ScalarValueRepresentable {
  public static func fromScalarValue(
    _ val: ScalarValue
  ) -> Result<Data, BytesScalarConversionError> {
    guard case .Bytes(let value) = val else { return .failure(.notbytesScalarValue(val)) }
    return .success(value)
  }

  public func toScalarValue() -> ScalarValue { .Bytes(self) }
}

extension Date: ScalarValueRepresentable {
  public static func fromScalarValue(
    _ val: ScalarValue
  ) -> Result<Date, TimestampScalarConversionError> {
    guard case .Timestamp(let value) = val else { return .failure(.notTimetampScalarValue(val)) }
    return .success(value)
  }

  public func toScalarValue() -> ScalarValue { .Timestamp(self) }
}

extension UInt: ScalarValueRepresentable {
  public static func fromScalarValue(
    _ val: ScalarValue
  ) -> Result<UInt, UIntScalarConversionError> {
    guard case .Uint(let value) = val, let exact = UInt(exactly: value) else {
      return .failure(.notUIntScalarValue(val))
    }
    return .success(exact)
  }

  public func toScalarValue() -> ScalarValue { .Uint(UInt64(self)) }
}
