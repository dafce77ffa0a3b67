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

/// The type code of a scalar value (format.md 2.6); 10 to 15 are kept without being understood.
package struct ValueType: Hashable, Sendable {
  package let code: UInt8

  @inline(__always)
  package init(code: UInt8) { self.code = code }

  package static let null = ValueType(code: 0)
  package static let boolFalse = ValueType(code: 1)
  package static let boolTrue = ValueType(code: 2)
  package static let uint = ValueType(code: 3)
  package static let int = ValueType(code: 4)
  package static let float64 = ValueType(code: 5)
  package static let string = ValueType(code: 6)
  package static let bytes = ValueType(code: 7)
  package static let counter = ValueType(code: 8)
  package static let timestamp = ValueType(code: 9)

  package static let unknown: ClosedRange<UInt8> = 10...15
}

/// The kind of an object.
public enum ObjType: Sendable {
  case Map
  case List
  case Text
}

extension ObjType: CustomDebugStringConvertible {
  public var debugDescription: String {
    switch self {
    case .Map: "Map"
    case .List: "List"
    case .Text: "Text"
    }
  }
}

extension ObjType {
  var kind: ObjectKind {
    switch self {
    case .Map: .map
    case .List: .list
    case .Text: .text
    }
  }

  init(_ kind: ObjectKind) {
    switch kind {
    case .map: self = .Map
    case .list: self = .List
    case .text: self = .Text
    }
  }
}
