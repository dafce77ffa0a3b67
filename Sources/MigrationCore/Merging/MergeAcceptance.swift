import Automerge

/// The rule by which a merged document is accepted: every change of every input is in it, nothing
/// that no input holds is, and every key readers of an input see they still see, unless a change of
/// another input deleted it. The merge's own change deletes none.
///
/// Holds only what is needed of the inputs, not the inputs, and judges the result as it was loaded
/// again from disk.
struct MergeAcceptance: Sendable {
  private struct Input: Sendable {
    var changes: [ChangeHash]
    var waiting: [ChangeHash]
    var heads: [ChangeHash]
    var visibleKeys: [[UInt8]]
  }

  private var inputs: [Input] = []
  /// The changes the merge made itself.
  private var added: Set<ChangeHash> = []
  /// The keys that readers saw before the merge added a change of its own.
  private var keysBefore: [[UInt8]] = []

  init() {}

  /// Takes in a document that is part of the merge.
  mutating func add(_ document: DocumentState) {
    inputs.append(
      Input(
        changes: document.allHashes, waiting: document.queuedHashes, heads: document.heads,
        visibleKeys: document.visibleKeys))
  }

  /// Takes in a change that is part of no input, and what all inputs together were before it.
  mutating func add(_ change: ChangeHash, to document: DocumentState) {
    added.insert(change)
    keysBefore += document.visibleKeys
  }

  /// Returns why bytes read back from disk are not accepted, nil if they are.
  func defect(of bytes: [UInt8]) -> String? {
    do throws(FormatError) {
      return defect(of: try DocumentState(loading: bytes))
    } catch {
      return error.problem
    }
  }

  /// Returns why a result is not accepted, nil if it is.
  func defect(of result: DocumentState) -> String? {
    let waiting = Set(result.queuedHashes)
    var known = added
    for input in inputs {
      known.formUnion(input.changes)
      known.formUnion(input.waiting)
      guard input.changes.allSatisfy(result.contains),
        input.waiting.allSatisfy({ result.contains($0) || waiting.contains($0) })
      else { return "a change of an input is not in the result" }
    }
    for hash in result.allHashes where !known.contains(hash) {
      return "the result holds a change that no input holds"
    }
    for input in inputs {
      // What an input's own changes show, its heads still show; so what readers do not see any more
      // a change from outside the input took away.
      let view = result.view(at: input.heads)
      let isWhole = input.changes.count == result.changeCount
      for key in input.visibleKeys {
        guard let group = result.group(of: .root, key: key), result.isVisible(group, at: view),
          !isWhole || result.isVisible(group)
        else { return "a key that an input shows is not in the result" }
      }
    }
    for key in keysBefore where result.value(of: .root, key: key) == nil {
      return "a key is not in the result because of the merge's own change"
    }
    return nil
  }
}

extension DocumentState {
  /// The hashes of all changes, in the order of application.
  var allHashes: [ChangeHash] { (0..<changeCount).map { change(at: $0).hash } }

  /// The keys of the root that readers see.
  fileprivate var visibleKeys: [[UInt8]] {
    var keys: [[UInt8]] = []
    forEachKey(of: .root) { name, group in
      if isVisible(group) { keys.append(Array(pool[name])) }
    }
    return keys
  }
}
