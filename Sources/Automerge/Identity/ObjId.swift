/// The identity of an object of a document: the root map, or the operation that made it.
public struct ObjId: Equatable, Hashable, Sendable {
  let counter: UInt32
  /// nil for the root.
  let actor: ActorId?
  /// The number of the actor in the document that the id came from.
  let actorHint: UInt32

  /// The map that every document has.
  public static let ROOT = ObjId(counter: 0, actor: nil, actorHint: 0)

  public static func == (left: ObjId, right: ObjId) -> Bool {
    left.counter == right.counter && left.actor == right.actor
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(counter)
    hasher.combine(actor)
  }
}

extension ObjId: CustomDebugStringConvertible {
  public var debugDescription: String {
    guard let actor else { return "ObjId.ROOT" }
    var bytes: [UInt8] = [0x10]
    bytes.appendPrefixed(actor)
    bytes.appendULEB(UInt64(counter))
    return "ObjId(\(bytes.hexDigits))"
  }
}
