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
