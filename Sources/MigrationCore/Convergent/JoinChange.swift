import Automerge

/// The change that ties the heads of a document together after an import (design.md, section 6).
enum JoinChange {
  /// Builds the join of a document's heads in `draft`.
  static func build(of state: borrowing DocumentState, in draft: inout ChangeDraft) {
    draft.begin(sequence: 1, startCounter: state.maxCounter + 1, dependencies: state.heads)
    draft.finish(deriving: ImportLabel.join)
  }
}
