package import Folders

/// Finds positions of a list by the identities that stand there.
///
/// A table of positions takes a fraction of the memory of a set of identities, and of the time of sorting
/// them.
struct IdentityPositions: Sendable {
  /// The keyed word of an identity says in which slot the search for it begins. A slot holds one more than
  /// a position, and zero where it is free; a power of two of them.
  private var slots: [UInt32] = []

  /// The positions of an empty list.
  init() {}

  /// Makes room for the positions of a list, and for no more.
  init(count: Int) {
    precondition(count < UInt32.max)
    if count > 0 {
      slots = Array(
        repeating: 0, count: 1 << (Int.bitWidth - (2 * count - 1).leadingZeroBitCount))
    }
  }

  /// Adds a position unless its identity has one; returns whether it was added.
  ///
  /// - Parameter isThere: whether the identity stands at a position.
  @inline(__always)
  @discardableResult
  mutating func insert(_ position: Int, of identity: Identity, where isThere: (Int) -> Bool) -> Bool
  {
    let slot = slot(of: identity, where: isThere)
    guard slots[slot] == 0 else { return false }
    slots[slot] = UInt32(position + 1)
    return true
  }

  /// Returns the first position of an identity; nil if it has none.
  @inline(__always)
  func first(of identity: Identity, where isThere: (Int) -> Bool) -> Int? {
    guard !slots.isEmpty else { return nil }
    let found = slots[slot(of: identity, where: isThere)]
    return found == 0 ? nil : Int(found) - 1
  }

  /// The slot that has the position of an identity, or would.
  @inline(__always)
  private func slot(of identity: Identity, where isThere: (Int) -> Bool) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: identity.keyedWord) & mask
    while slots[slot] > 0, !isThere(Int(slots[slot]) - 1) { slot = (slot + 1) & mask }
    return slot
  }
}

extension [Identity] {
  /// Returns the identities that occur more than once; in a sound folder there are none.
  package func repeated() -> Set<Identity> {
    guard count > 1 else { return [] }
    var positions = IdentityPositions(count: count)
    var repeated: Set<Identity> = []
    for (position, identity) in enumerated()
    where !positions.insert(position, of: identity, where: { self[$0] == identity }) {
      repeated.insert(identity)
    }
    return repeated
  }
}
