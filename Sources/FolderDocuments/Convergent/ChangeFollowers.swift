package import Automerge

/// Which changes of a document depend on one other change alone, as those do that fill what a skeleton
/// made.
package struct ChangeFollowers: Sendable {
  /// The rows of such changes, behind that of what they depend on; ascending.
  private let pairs: [(dependency: Int, row: Int)]

  /// Looks through the history of a document.
  package init(in document: DocumentState) {
    pairs = (0..<document.changeCount).compactMap { row in
      document.onlyDependency(ofChange: row).map { ($0, row) }
    }.sorted { ($0.dependency, $0.row) < ($1.dependency, $1.row) }
  }

  /// Returns the rows of the changes that depend on that of a row alone.
  package func rows(after dependency: Int) -> some Sequence<Int> {
    var low = 0
    var high = pairs.count
    while low < high {
      let middle = (low + high) / 2
      if pairs[middle].dependency < dependency { low = middle + 1 } else { high = middle }
    }
    return pairs[low...].prefix { $0.dependency == dependency }.map(\.row)
  }
}
