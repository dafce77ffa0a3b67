/// The identity of an object of a document: the root map, or the operation that made it.
public struct ObjId: Equatable, Hashable, Sendable {
  let counter: UInt32
  /// nil for the root.
  let actor: ActorId?

  /// The map that every document has.
  public static let ROOT = ObjId(counter: 0, actor: nil)
}

extension ObjId: CustomDebugStringConvertible {
  public var debugDescription: String {
    guard let actor else { return "ObjId.ROOT" }
    var bytes: [UInt8] = [0x10]
    bytes.appendPrefixed(actor.bytes)
    bytes.appendULEB(UInt64(counter))
    return "ObjId(\(bytes.hexDigits))"
  }
}
