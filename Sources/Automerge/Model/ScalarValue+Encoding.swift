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
