extension Value {
  /// The kind of the value as messages name it; values of one kind have equal names.
  var kind: String {
    switch self {
    case .Object(_, .Map): "a map"
    case .Object(_, .List): "a list"
    case .Object(_, .Text): "a text"
    case .Scalar(.Bytes): "bytes"
    case .Scalar(.String): "a string"
    case .Scalar(.Uint): "an unsigned integer"
    case .Scalar(.Int): "an integer"
    case .Scalar(.F64): "a floating-point number"
    case .Scalar(.Counter): "a counter"
    case .Scalar(.Timestamp): "a timestamp"
    case .Scalar(.Boolean): "a boolean"
    case .Scalar(.Unknown(let typeCode, _)): "a value of type \(typeCode)"
    case .Scalar(.Null): "null"
    }
  }
}

extension Optional where Wrapped == Value {
  /// Whether nothing would be lost by making an object here.
  var isVacant: Bool { self == nil || self == .Scalar(.Null) }
}
