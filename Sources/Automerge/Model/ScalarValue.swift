#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value without parts.
public enum ScalarValue: Equatable, Hashable, Sendable {
  case Bytes(Data)
  case String(String)
  case Uint(UInt64)
  case Int(Int64)
  case F64(Double)
  case Counter(Int64)
  case Timestamp(Date)
  case Boolean(Bool)
  /// A value of a type this version does not know; kept as it is.
  case Unknown(typeCode: UInt8, data: Data)
  case Null
}

extension ScalarValue {
  /// Whether the values are the same to the last byte: strings that are canonically equivalent are
  /// equal but not identical.
  func isIdentical(to other: ScalarValue) -> Bool {
    guard case .String(let left) = self, case .String(let right) = other else {
      return self == other
    }
    return left.utf8.elementsEqual(right.utf8)
  }
}

extension ScalarValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .Bytes(let data):
      let shown = data.count > 16 ? [UInt8](data.prefix(15)) : [UInt8](data)
      return "Data(\(shown.hexDigits))"
    case .String(let value): return "String(\(value))"
    case .Uint(let value): return "UInt(\(value))"
    case .Int(let value): return "Int(\(value))"
    case .F64(let value): return "Double(\(value))"
    case .Counter(let value): return "Counter(\(value))"
    case .Timestamp(let value): return "Timestamp(\(value))"
    case .Boolean(let value): return "Boolean(\(value))"
    case .Unknown(let typeCode, let data):
      return "Unknown(type: \(typeCode), data: \([UInt8](data).hexDigits))"
    case .Null: return "Null()"
    }
  }
}

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

extension ScalarValue {
  /// Appends the value's bytes and returns its type (format.md 2.6); nil for a value that no document
  /// can hold: a date whose milliseconds do not fit 64 bits, an unknown value with a known type.
  func append(to output: inout [UInt8]) -> ValueType? {
    switch self {
    case .Null: return DraftValue.null.append(to: &output)
    case .Boolean(let value): return DraftValue.boolean(value).append(to: &output)
    case .Uint(let value): return DraftValue.uint(value).append(to: &output)
    case .Int(let value): return DraftValue.int(value).append(to: &output)
    case .F64(let value): return DraftValue.float(value).append(to: &output)
    case .Counter(let value): return DraftValue.counter(value).append(to: &output)
    case .Timestamp(let value):
      return value.milliseconds.map { DraftValue.timestamp($0).append(to: &output) }
    case .String(let value):
      output.append(contentsOf: value.utf8)
      return .string
    case .Bytes(let value):
      output.append(contentsOf: value)
      return .bytes
    case .Unknown(let code, let data):
      guard ValueType.unknown.contains(code) else { return nil }
      output.append(contentsOf: data)
      return ValueType(code: code)
    }
  }
}

extension ScalarValue {
  /// The milliseconds since 1970 of a timestamp, as exact as a date is; nil of anything else.
  package var milliseconds: Int64? {
    if case .Timestamp(let date) = self { date.milliseconds } else { nil }
  }
}

extension Date {
  /// The whole milliseconds since 1970, cut off toward zero; nil if 64 bits do not hold them.
  ///
  /// Dates count seconds since 2001 in binary fractions, so that a timestamp that was read can come
  /// out a little less than it was: what is within the error of the conversion is a whole number.
  var milliseconds: Int64? {
    let exact = timeIntervalSince1970 * 1000
    let error = 2000 * max(timeIntervalSince1970.ulp, timeIntervalSinceReferenceDate.ulp)
    let isWhole = abs(exact - exact.rounded()) <= error
    return Int64(exactly: exact.rounded(isWhole ? .toNearestOrAwayFromZero : .towardZero))
  }
}
