#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type that can be stored as a scalar value.
public protocol ScalarValueRepresentable {
  associatedtype ConvertError: LocalizedError

  /// Converts a scalar, or says that it is of another type.
  static func fromScalarValue(_ val: ScalarValue) -> Result<Self, ConvertError>

  func toScalarValue() -> ScalarValue
}

/// The error of a conversion that cannot fail.
public enum ScalarValueConversionError: LocalizedError {}

public enum BooleanScalarConversionError: LocalizedError {
  case notboolScalarValue(ScalarValue)

  public var errorDescription: String? {
    switch self {
    case .notboolScalarValue(let value): mismatch("Boolean", value)
    }
  }
  public var failureReason: String? { nil }
}

public enum StringScalarConversionError: LocalizedError {
  case notstringScalarValue(ScalarValue)

  public var errorDescription: String? {
    switch self {
    case .notstringScalarValue(let value): mismatch("String", value)
    }
  }
  public var failureReason: String? { nil }
}

public enum URLScalarConversionError: LocalizedError {
  case notStringScalarValue(ScalarValue)
  case notMatchingURLScheme(String)

  public var errorDescription: String? {
    switch self {
    case .notStringScalarValue(let value): mismatch("String", value)
    case .notMatchingURLScheme(let text): "\(text) is not a URL"
    }
  }
  public var failureReason: String? { nil }
}

public enum BytesScalarConversionError: LocalizedError {
  case notbytesScalarValue(ScalarValue)

  public var errorDescription: String? {
    switch self {
    case .notbytesScalarValue(let value): mismatch("Bytes", value)
    }
  }
  public var failureReason: String? { nil }
}

public enum UIntScalarConversionError: LocalizedError {
  case notUIntScalarValue(ScalarValue)

  public var errorDescription: String? {
    switch self {
    case .notUIntScalarValue(let value): mismatch("Uint", value)
    }
  }
  public var failureReason: String? { nil }
}

public enum IntScalarConversionError: LocalizedError {
  case notIntScalarValue(ScalarValue)

  public var errorDescription: String? {
    switch self {
    case .notIntScalarValue(let value): mismatch("an integer that fits", value)
    }
  }
  public var failureReason: String? { nil }
}

public enum FloatingPointScalarConversionError: LocalizedError {
  case notF64ScalarValue(ScalarValue)

  public var errorDescription: String? {
    switch self {
    case .notF64ScalarValue(let value): mismatch("F64", value)
    }
  }
  public var failureReason: String? { nil }
}

public enum TimestampScalarConversionError: LocalizedError {
  case notTimetampScalarValue(ScalarValue)

  public var errorDescription: String? {
    switch self {
    case .notTimetampScalarValue(let value): mismatch("Timestamp", value)
    }
  }
  public var failureReason: String? { nil }
}

private func mismatch(_ expected: String, _ value: ScalarValue) -> String {
  "expected \(expected), found \(value)"
}
