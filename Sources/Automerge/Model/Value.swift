/// What stands at a key of a map or an index of a list.
public enum Value: Equatable, Hashable, Sendable {
  case Object(ObjId, ObjType)
  case Scalar(ScalarValue)
}

extension Value: CustomDebugStringConvertible {
  public var debugDescription: String {
    switch self {
    case .Object(let id, let type): "Object(\(id.debugDescription), \(type.debugDescription))"
    case .Scalar(let value): "Scalar(\(value))"
    }
  }
}
