import Automerge
import Diagnostics
import FolderState
import Folders
import SafeFiles

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
