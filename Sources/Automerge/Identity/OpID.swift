/// The identity of an operation inside one document: a Lamport timestamp.
///
/// The counter is in the upper half and the actor's number in the lower. Two ids compare by counter,
/// then by their actors' bytes (format.md 5.1), which takes the document's `ActorTable.ranks`; only
/// where actors are numbered in ascending order, as in a document chunk, comparing `raw` is enough.
package struct OpID: Hashable, Sendable {
  package let raw: UInt64

  /// The root map as an object; as a list element, the place before the first one.
  package static let root = OpID(raw: 0)

  @inline(__always)
  init(raw: UInt64) { self.raw = raw }

  @inline(__always)
  init(counter: UInt32, actor: UInt32) {
    raw = UInt64(counter) &<< 32 | UInt64(actor)
  }

  @inline(__always)
  package var counter: UInt32 { UInt32(truncatingIfNeeded: raw &>> 32) }

  /// The number of the actor in the document.
  @inline(__always)
  package var actor: Int { Int(raw & 0xffff_ffff) }

  @inline(__always)
  package var isRoot: Bool { raw == 0 }

  /// What the same author does next; the counter must not be the greatest there is.
  @inline(__always)
  var next: OpID { OpID(raw: raw &+ (1 &<< 32)) }

  /// Whether the operation is older than another in the order that all replicas agree on.
  ///
  /// - Parameter ranks: for each actor a number that is greater the greater its id is.
  @inline(__always)
  func precedes(_ other: OpID, _ ranks: [UInt32]) -> Bool {
    if counter != other.counter { return counter < other.counter }
    return raw != other.raw && ranks[actor] < ranks[other.actor]
  }

  /// The same operation in a document that numbers its actors differently.
  @inline(__always)
  func renumbered(_ indexes: [UInt32]) -> OpID {
    isRoot ? self : OpID(counter: counter, actor: indexes[actor])
  }
}

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
