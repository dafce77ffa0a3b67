package import Automerge
package import FolderDocuments

/// Which changes the documents of a folder hold, well enough to tell at once which legacy entities
/// are what was imported.
///
/// Eight bytes of each hash: what looks like a match by chance only keeps an entity from being
/// looked at more closely, and that happens once in 2^44 times in the largest folders.
package struct KnownChanges: Sendable {
  private var hashes: [UInt64] = []
  /// Changes that several others have as their only dependency, such as skeletons with images.
  private var branched: [UInt64] = []

  package init() {}

  /// Adds the changes of a document.
  package mutating func add(_ document: DocumentState) {
    var followers = [UInt8](repeating: 0, count: document.changeCount)
    for row in 0..<document.changeCount {
      hashes.append(document.hash(ofChange: row).leadingWord)
      guard let dependency = document.onlyDependency(ofChange: row) else { continue }
      if followers[dependency] == 1 {
        branched.append(document.hash(ofChange: dependency).leadingWord)
      }
      followers[dependency] = min(2, followers[dependency] + 1)
    }
  }

  /// Adds everything another table holds; to be sorted before it is asked.
  package mutating func merge(_ other: KnownChanges) {
    hashes += other.hashes
    branched += other.branched
  }

  /// Makes changes findable.
  package mutating func sort() {
    hashes.sort()
    branched.sort()
  }

  /// Returns whether a document holds the entity that changes were built from, and nothing says that
  /// it held another one.
  ///
  /// Of an entity of a declared kind only verification tells whether a document held more of it.
  package func hold(_ changes: borrowing EntityChanges) -> Bool {
    guard !changes.isMinuta else { return hold(changes.minuta) }
    return changes.declaredChanges.allSatisfy { hold($0.draft.hash) }
  }

  private func hold(_ changes: borrowing ConvergentChanges) -> Bool {
    guard hold(changes.content.hash) else { return false }
    return changes.hasImages
      ? hold(changes.images.hash)
      : !Self.contains(changes.skeleton.hash.leadingWord, in: branched)
  }

  /// Returns whether a document holds a change.
  package func hold(_ hash: ChangeHash) -> Bool { Self.contains(hash.leadingWord, in: hashes) }

  private static func contains(_ word: UInt64, in words: [UInt64]) -> Bool {
    var low = 0
    var high = words.count
    while low < high {
      let middle = (low + high) / 2
      if words[middle] < word { low = middle + 1 } else { high = middle }
    }
    return low < words.count && words[low] == word
  }
}
