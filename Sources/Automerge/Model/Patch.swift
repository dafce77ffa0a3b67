/// One step that turns an earlier state of a document into a later one.
public struct Patch: Equatable, Sendable {
  public let action: PatchAction
  /// From the root to the container that changed; empty for the root itself.
  public let path: [PathElement]
}

/// What a patch does. Patches are applied in order; indexes are those of that moment.
public enum PatchAction: Equatable, Sendable {
  /// A key or index has a new winner.
  case Put(ObjId, Prop, Value)
  /// A run of new list elements.
  case Insert(obj: ObjId, index: UInt64, values: [Value])
  /// New text, with the marks that are active on it.
  case SpliceText(obj: ObjId, index: UInt64, value: String, marks: [String: Value])
  /// A counter changed by an amount.
  case Increment(ObjId, Prop, Int64)
  case DeleteMap(ObjId, String)
  case DeleteSeq(DeleteSeq)
  case Marks(ObjId, [Mark])
  /// The winner is the same, but another value has joined it.
  case Conflict(ObjId, Prop)
}

/// A run of elements or text units that is gone.
public struct DeleteSeq: Equatable, Sendable {
  public let obj: ObjId
  public let index: UInt64
  public let length: UInt64

  public init(obj: ObjId, index: UInt64, length: UInt64) {
    self.obj = obj
    self.index = index
    self.length = length
  }
}

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
