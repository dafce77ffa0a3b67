extension Array where Element == ChangeHash {
  /// The hashes in ascending order, each once.
  ///
  /// Not by way of a set: peers and files choose the hashes they name, and could choose such that
  /// all of them collide.
  func sortedWithoutDuplicates() -> [ChangeHash] {
    var result: [ChangeHash] = []
    result.reserveCapacity(count)
    for hash in sorted() where hash != result.last { result.append(hash) }
    return result
  }

  /// Whether every hash is in `other`; both ascend.
  func isSubsetOfAscending(_ other: [ChangeHash]) -> Bool {
    var rest = other[...]
    for hash in self {
      rest = rest.drop { $0 < hash }
      guard rest.first == hash else { return false }
    }
    return true
  }
}

extension Array where Element == UInt8 {
  /// Appends hashes with their number in front.
  mutating func appendHashes(_ hashes: [ChangeHash]) {
    appendULEB(hashes.count)
    for hash in hashes { hash.append(to: &self) }
  }
}
