/// One step from a container to what it holds.
public struct PathElement: Equatable, Sendable {
  public let prop: Prop
  public let obj: ObjId

  public init(obj: ObjId, prop: Prop) {
    self.obj = obj
    self.prop = prop
  }
}

/// A key of a map or an index of a list.
public enum Prop: Equatable, Sendable {
  case Key(String)
  case Index(UInt64)
}
