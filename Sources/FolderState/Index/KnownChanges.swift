package import Automerge
package import FolderDocuments
import Folders

/// Which changes the documents of a folder hold, well enough to tell at once which legacy entities
/// are what was imported.
///
/// Eight bytes of each hash: what looks like a match by chance only keeps an entity from being
/// looked at more closely, and that happens once in 2^44 times in the largest folders.
package struct KnownChanges: Sendable {
  /// A change that several others have as their only dependency, such as a skeleton with images; or
  /// one, if it fills a skeleton itself, such as a property of links.
  private struct Branch {
    var word: UInt64
    var followerCount: UInt32
  }

  private var hashes: [UInt64] = []
  private var branches: [Branch] = []

  package init() {}

  /// Adds the changes of a document.
  package mutating func add(_ document: DocumentState) {
    var followers = [UInt32](repeating: 0, count: document.changeCount)
    for row in 0..<document.changeCount {
      hashes.append(document.hash(ofChange: row).leadingWord)
      if let dependency = document.onlyDependency(ofChange: row) { followers[dependency] &+= 1 }
    }
    for row in 0..<document.changeCount where followers[row] > 0 {
      guard followers[row] > 1 || document.fillsSkeleton(row) else { continue }
      branches.append(
        Branch(word: document.hash(ofChange: row).leadingWord, followerCount: followers[row]))
    }
  }

  /// Adds everything another table holds; to be sorted before it is asked.
  package mutating func merge(_ other: KnownChanges) {
    hashes += other.hashes
    branches += other.branches
  }

  /// Makes changes findable.
  package mutating func sort() {
    hashes.sort()
    branches.sort { $0.word < $1.word }
  }

  /// Returns whether a document holds the entity that changes were built from, and nothing says that
  /// it held another one.
  package func hold(_ changes: borrowing EntityChanges) -> Bool {
    guard case .declared = changes.mapping else { return hold(changes.minuta) }
    let declared = changes.declaredChanges
    guard declared.allSatisfy({ hold($0.hash) }) else { return false }
    // What an entity does not have was written by nobody if nothing else fills its skeleton.
    guard let skeleton = declared.first?.hash else { return true }
    let fillingCount = declared.count { $0.label == .declaredContent || $0.label == .property }
    return followerCount(of: skeleton) <= fillingCount && holdNoOtherLinks(declared)
  }

  private func holdNoOtherLinks(_ changes: [DeclaredChanges.Change]) -> Bool {
    changes.allSatisfy { property in
      property.label != .property
        || followerCount(of: property.hash)
          <= changes.count { $0.label == .links && $0.property == property.property }
    }
  }

  private func hold(_ changes: borrowing ConvergentChanges) -> Bool {
    guard hold(changes.content.hash) else { return false }
    return changes.hasImages
      ? hold(changes.images.hash) : followerCount(of: changes.skeleton.hash) < 2
  }

  /// Returns whether a document holds a change.
  package func hold(_ hash: ChangeHash) -> Bool {
    let word = hash.leadingWord
    let index = Self.firstIndex(in: hashes.count) { hashes[$0] < word }
    return index < hashes.count && hashes[index] == word
  }

  /// Returns how many changes of one document have a change as their only dependency; none if only one
  /// has, unless the change fills a skeleton.
  private func followerCount(of hash: ChangeHash) -> Int {
    let word = hash.leadingWord
    let first = Self.firstIndex(in: branches.count) { branches[$0].word < word }
    return branches[first...].prefix { $0.word == word }.reduce(0) {
      max($0, Int($1.followerCount))
    }
  }

  private static func firstIndex(in count: Int, isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension DocumentState {
  /// Whether a change depends on one alone that depends on none.
  fileprivate func fillsSkeleton(_ row: Int) -> Bool {
    onlyDependency(ofChange: row).map { onlyDependency(ofChange: $0) == nil } ?? false
  }
}
