package import Automerge

/// The change that ties the heads of a document together after an import (convergent-import.md).
package enum JoinChange {
  /// Builds the join of a document's heads, ascending, in `draft`.
  ///
  /// - Parameter maxCounter: the greatest operation counter of the document.
  package static func build(of heads: [ChangeHash], maxCounter: UInt32, in draft: inout ChangeDraft)
  {
    draft.begin(sequence: 1, startCounter: maxCounter + 1, dependencies: heads)
    draft.finish(as: .join)
  }
}
