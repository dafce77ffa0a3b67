package import Folders

extension [Identity] {
  /// Returns the identities that occur more than once; in a sound folder there are none.
  ///
  /// Sorting the first halves costs a fraction of sorting identities, and hardly ever are two equal
  /// by chance.
  package func repeated() -> Set<Identity> {
    var halves = map(\.high)
    halves.sort()
    var suspects: Set<UInt64> = []
    for index in halves.indices.dropFirst() where halves[index - 1] == halves[index] {
      suspects.insert(halves[index])
    }
    if suspects.isEmpty { return [] }
    var seen: Set<Identity> = []
    var repeated: Set<Identity> = []
    for identity in self where suspects.contains(identity.high) {
      if !seen.insert(identity).inserted { repeated.insert(identity) }
    }
    return repeated
  }
}
