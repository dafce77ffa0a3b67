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
      let milliseconds = (value.timeIntervalSince1970 * 1000).rounded(.towardZero)
      guard let exact = Int64(exactly: milliseconds) else { return nil }
      output.appendSLEB(exact)
      return .timestamp
    case .Unknown(let code, let data):
      guard ValueType.unknown.contains(code) else { return nil }
      output.append(contentsOf: data)
      return ValueType(code: code)
    }
  }
}
