package import Automerge

/// The rule by which a merged document is accepted: every change of every input is in it, nothing
/// that no input holds is, and every key readers of an input see they still see, unless a change of
/// another input deleted it. The merge's own change deletes none.
///
/// Holds only what is needed of the inputs, not the inputs, and what they share once; judges the
/// result as it was loaded again from disk.
package struct MergeAcceptance: Sendable {
  /// What is remembered of an input.
  package struct Input: Sendable {
    /// The changes that no earlier input held.
    fileprivate var changes: [ChangeHash]
    fileprivate var changeCount: Int
    fileprivate var waiting: [ChangeHash]
    fileprivate var heads: [ChangeHash]
    /// The keys that readers see.
    fileprivate var visibleKeys: [UInt32]
  }

  private var inputs: [Input] = []
  /// The changes the merge made itself.
  private var added: [ChangeHash] = []
  /// The keys that readers saw before the merge added a change of its own.
  private var keysBefore: [[UInt32]] = []

  private var keys = KeyTable()

  package init() {}

  /// Takes in a document that is part of the merge.
  package mutating func add(_ document: DocumentState) { add(input(document, besides: nil)) }

  /// Takes in what was remembered of a document once it is part of the merge.
  package mutating func add(_ input: Input) { inputs.append(input) }

  /// Returns what is remembered of a document.
  ///
  /// - Parameter merged: what the inputs so far are together.
  package mutating func input(_ document: DocumentState, besides merged: DocumentState?) -> Input {
    Input(
      changes: document.allHashes.filter { merged?.contains($0) != true },
      changeCount: document.changeCount, waiting: document.queuedHashes, heads: document.heads,
      visibleKeys: keys.visibleKeys(of: document))
  }

  /// Takes in changes that came by themselves, and belong to no document that could be asked what it shows.
  package mutating func add(changes: [ChangeHash]) {
    add(
      Input(
        changes: changes, changeCount: changes.count, waiting: [], heads: [], visibleKeys: []))
  }

  /// Takes in a change that is part of no input, and what all inputs together were before it.
  package mutating func add(_ change: ChangeHash, to document: DocumentState) {
    added.append(change)
    keysBefore.append(keys.visibleKeys(of: document))
  }

  /// Returns why bytes read back from disk are not accepted, nil if they are.
  ///
  /// - Parameter known: an input that was read from a file, of which most of the result is: what is the
  ///   same there is not hashed once more.
  package func defect(
    of bytes: [UInt8], besides known: DocumentState = DocumentState()
  ) -> String? {
    do throws(FormatError) {
      return defect(of: try DocumentState(loading: bytes, besides: known))
    } catch {
      return error.problem
    }
  }

  /// Returns why a result is not accepted, nil if it is.
  package func defect(of result: DocumentState) -> String? {
    let waiting = Set(result.queuedHashes)
    var isKnown = [Bool](repeating: false, count: result.changeCount)
    for change in added {
      if let row = result.row(ofChange: change) { isKnown[row] = true }
    }
    for input in inputs {
      for change in input.changes {
        guard let row = result.row(ofChange: change) else { return Self.missingChange }
        isKnown[row] = true
      }
      for change in input.waiting {
        if let row = result.row(ofChange: change) {
          isKnown[row] = true
        } else if !waiting.contains(change) {
          return Self.missingChange
        }
      }
    }
    if isKnown.contains(false) { return "the result holds a change that no input holds" }
    for input in inputs {
      // What an input's own changes show, its heads still show; so what readers do not see any more
      // a change from outside the input took away.
      let view = result.view(at: input.heads)
      let isWhole = input.changeCount == result.changeCount
      let areShown = keys.haveAll(input.visibleKeys, in: result) { group in
        result.isVisible(group, at: view) && (!isWhole || result.isVisible(group))
      }
      if !areShown { return "a key that an input shows is not in the result" }
    }
    for visible in keysBefore where !keys.haveAll(visible, in: result, { result.isVisible($0) }) {
      return "a key is not in the result because of the merge's own change"
    }
    return nil
  }

  private static let missingChange = "a change of an input is not in the result"
}

extension DocumentState {
  /// The hashes of all changes, in the order of application.
  package var allHashes: [ChangeHash] { (0..<changeCount).map(hash(ofChange:)) }
}
