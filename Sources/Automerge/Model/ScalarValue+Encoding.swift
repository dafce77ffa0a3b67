#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension ScalarValue {
  /// Appends the value's bytes and returns its type (format.md 2.6); nil for a value that no document
  /// can hold: a date whose milliseconds do not fit 64 bits, an unknown value with a known type.
  func append(to output: inout [UInt8]) -> ValueType? {
    switch self {
    case .Null:
      return .null
    case .Boolean(let value):
      return value ? .boolTrue : .boolFalse
    case .Uint(let value):
      output.appendULEB(value)
      return .uint
    case .Int(let value):
      output.appendSLEB(value)
      return .int
    case .F64(let value):
      output.appendLittleEndian(value.bitPattern)
      return .float64
    case .String(let value):
      output.append(contentsOf: value.utf8)
      return .string
    case .Bytes(let value):
      output.append(contentsOf: value)
      return .bytes
    case .Counter(let value):
      output.appendSLEB(value)
      return .counter
    case .Timestamp(let value):
      guard let milliseconds = value.milliseconds else { return nil }
      output.appendSLEB(milliseconds)
      return .timestamp
    case .Unknown(let code, let data):
      guard ValueType.unknown.contains(code) else { return nil }
      output.append(contentsOf: data)
      return ValueType(code: code)
    }
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
