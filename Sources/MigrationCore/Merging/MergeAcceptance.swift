import Automerge
import Diagnostics
import FolderState
import Folders
import SafeFiles

/// The rule by which a merged document is accepted: every change of every input is in it, nothing
/// that no input holds is, and every key readers of an input see they still see, unless a change of
/// another input deleted it. The merge's own change deletes none.
///
/// Holds only what is needed of the inputs, not the inputs, and what they share once; judges the
/// result as it was loaded again from disk.
struct MergeAcceptance: Sendable {
  /// What is remembered of an input.
  struct Input: Sendable {
    /// The changes that no earlier input held.
    fileprivate var changes: [ChangeHash]
    fileprivate var changeCount: Int
    fileprivate var waiting: [ChangeHash]
    fileprivate var heads: [ChangeHash]
    /// The keys that readers see, as numbers in the table of all keys.
    fileprivate var visibleKeys: [UInt32]
  }

  private var inputs: [Input] = []
  /// The changes the merge made itself.
  private var added: [ChangeHash] = []
  /// The keys that readers saw before the merge added a change of its own.
  private var keysBefore: Set<UInt32> = []

  private var keys: [[UInt8]] = []
  private var numbers: [[UInt8]: UInt32] = [:]

  init() {}

  /// Takes in a document that is part of the merge.
  mutating func add(_ document: DocumentState) { add(input(document, besides: nil)) }

  /// Takes in what was remembered of a document once it is part of the merge.
  mutating func add(_ input: Input) { inputs.append(input) }

  /// Returns what is remembered of a document.
  ///
  /// - Parameter merged: what the inputs so far are together.
  mutating func input(_ document: DocumentState, besides merged: DocumentState?) -> Input {
    Input(
      changes: document.allHashes.filter { merged?.contains($0) != true },
      changeCount: document.changeCount, waiting: document.queuedHashes, heads: document.heads,
      visibleKeys: visibleKeys(of: document))
  }

  /// Takes in a change that is part of no input, and what all inputs together were before it.
  mutating func add(_ change: ChangeHash, to document: DocumentState) {
    added.append(change)
    keysBefore.formUnion(visibleKeys(of: document))
  }

  private mutating func visibleKeys(of document: DocumentState) -> [UInt32] {
    var visible: [UInt32] = []
    let pool = document.pool
    document.forEachKey(of: .root) { name, group in
      guard document.isVisible(group) else { return }
      let key = Array(pool[name])
      if let number = numbers[key] {
        visible.append(number)
      } else {
        let number = UInt32(truncatingIfNeeded: keys.count)
        keys.append(key)
        numbers[key] = number
        visible.append(number)
      }
    }
    return visible
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
      for key in input.visibleKeys {
        guard let group = result.group(of: .root, key: keys[Int(key)]),
          result.isVisible(group, at: view), !isWhole || result.isVisible(group)
        else { return "a key that an input shows is not in the result" }
      }
    }
    for key in keysBefore where result.value(of: .root, key: keys[Int(key)]) == nil {
      return "a key is not in the result because of the merge's own change"
    }
    return nil
  }

  private static let missingChange = "a change of an input is not in the result"
}

extension DocumentState {
  /// The hashes of all changes, in the order of application.
  var allHashes: [ChangeHash] { (0..<changeCount).map(hash(ofChange:)) }
}

/// Copies of one base with those set apart that are, byte for byte, like another: a sync service may
/// leave thousands, and one look at each content is enough.
struct EqualCopies {
  /// One copy of each content.
  private(set) var distinct: [MergeDecider.ReadCopy] = []
  /// The others, each with the copy it is equal to.
  private var others: [(copy: MergeDecider.ReadCopy, original: RelativePath)] = []

  init(among copies: [MergeDecider.ReadCopy]) {
    // Of equal ones the copy that may take the place of a base is looked at.
    var originals: [ContentHash: Int] = [:]
    for index in MergeDecider.candidates(copies) + Array(copies.indices)
    where originals[copies[index].file.version.hash] == nil {
      originals[copies[index].file.version.hash] = index
    }
    for index in copies.indices {
      guard let original = originals[copies[index].file.version.hash], original != index else {
        distinct.append(copies[index])
        continue
      }
      var copy = copies[index]
      copy.file.bytes = []
      others.append((copy, copies[original].file.path))
    }
  }

  /// Notes about each of the others what was decided about the one it is equal to.
  func note(in decision: inout MergeDecision) {
    if others.isEmpty { return }
    var outcomes: [String: MergeDecision.Outcome] = [:]
    for copy in decision.report.copies { outcomes[copy.path] = copy.outcome }
    var identities: [RelativePath: [Identity]] = [:]
    for file in decision.redundant { identities[file.path] = file.identities }
    if let adopted = decision.adopted { identities[adopted.path] = decision.adoptedIdentities }
    let differing = Set(decision.report.differences.lazy.map(\.source))
    let findings = Dictionary(grouping: decision.findings, by: \.path)
    for ((copy, file), original) in others {
      let name = original.description
      guard let outcome = outcomes[name] else { continue }
      guard outcome.leavesItsName else {
        decision.note(copy, at: file.path, outcome)
        for var finding in findings[name] ?? [] {
          finding.path = file.path.description
          decision.findings.append(finding)
        }
        continue
      }
      // The report has what the base has another value for; the rest is in the base.
      decision.note(copy, at: file.path, differing.contains(name) ? .merged : .redundant)
      decision.redundant.append(file.quarantined(identities[original] ?? []))
    }
  }
}
