import Folders

/// Names of members, ascending by their bytes, beside which the members of a map are walked.
///
/// All lie in one buffer, so that a name is compared without anything being counted as held by it.
package struct NamesInOrder: Sendable {
  private var bytes: [UInt8] = []
  /// Where each name ends.
  private var ends: [Int] = []

  /// - Parameter names: ascending by their bytes, none twice.
  package init(_ names: some Sequence<[UInt8]>) {
    for name in names {
      bytes += name
      ends.append(bytes.count)
    }
  }

  package var count: Int { ends.count }

  /// Returns whether the name at a position is these bytes.
  package func isEqual(at position: Int, to name: Span<UInt8>) -> Bool {
    bytes.span.extracting(range(at: position)).isEqual(to: name)
  }

  /// Returns whether the name at a position comes before these bytes.
  package func precedes(at position: Int, _ name: Span<UInt8>) -> Bool {
    bytes.span.extracting(range(at: position)).precedes(name)
  }

  private func range(at position: Int) -> Range<Int> {
    (position == 0 ? 0 : ends[position - 1])..<ends[position]
  }
}
