/// The identity of an operation inside one document: a Lamport timestamp.
///
/// The counter is in the upper half and the actor's index in the lower, so comparing the raw words
/// is comparing counters, then actors; that holds because a document keeps its actors sorted by
/// their bytes (format.md 4.1, 5.1).
package struct OpID: Hashable, Comparable, Sendable {
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

  /// The index of the actor in the document's list of actors.
  @inline(__always)
  package var actor: Int { Int(raw & 0xffff_ffff) }

  @inline(__always)
  package var isRoot: Bool { raw == 0 }

  @inline(__always)
  package static func < (left: OpID, right: OpID) -> Bool { left.raw < right.raw }

  /// The same operation in a document that numbers its actors differently.
  @inline(__always)
  func renumbered(_ indexes: [UInt32]) -> OpID {
    isRoot ? self : OpID(counter: counter, actor: indexes[actor])
  }
}
