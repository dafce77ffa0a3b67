/// A scalar without bytes of its own, to be written by a `ChangeDraft`.
package enum DraftValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case int(Int64)
  case uint(UInt64)
  case float(Double)
  case counter(Int64)
  /// Milliseconds since 1970.
  case timestamp(Int64)

  /// Appends the raw bytes and returns the type (format.md 2.6).
  func append(to output: inout [UInt8]) -> ValueType {
    switch self {
    case .null:
      return .null
    case .boolean(let value):
      return value ? .boolTrue : .boolFalse
    case .int(let value):
      output.appendSLEB(value)
      return .int
    case .uint(let value):
      output.appendULEB(value)
      return .uint
    case .float(let value):
      output.appendLittleEndian(value.bitPattern)
      return .float64
    case .counter(let value):
      output.appendSLEB(value)
      return .counter
    case .timestamp(let value):
      output.appendSLEB(value)
      return .timestamp
    }
  }
}
