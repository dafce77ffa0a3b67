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
