import Automerge
import Diagnostics
import FolderDocuments
import Folders

/// Properties of which readers see what a step wrote, or undoing it, though somebody wrote something else at
/// the same time elsewhere: which of both they see their authors decide, which nobody knows.
struct HiddenEdits: Sendable {
  /// One of them.
  struct Edit: Sendable {
    /// The step.
    let step: String
    /// Whether undoing it wrote what readers see, and not the step itself.
    let isOfUndoing: Bool
    let identity: Identity
    let property: [UInt8]
    /// Whether what was edited is a value beside the one that readers see, and not in one that is gone.
    let isBeside: Bool
  }

  private struct Writing {
    let step: String
    let isUndoing: Bool
    /// The changes that it has seen, by their rows.
    let past: [Bool]
  }

  private let writings: [Int: Writing]
  private let ofSteps: Set<Int>
  private(set) var edits: [Edit] = []

  /// Looks at the steps that were done in a document, or undone.
  ///
  /// - Parameter steps: the steps of all plans, whose changes are no edits.
  init(_ history: StepHistory, besides steps: [String], in document: DocumentState) {
    writings = Dictionary(
      history.entries.lazy.map { entry in
        let past = document.past(ofChange: entry.row)
        return (
          entry.row, Writing(step: entry.note.id, isUndoing: entry.label == .undo, past: past)
        )
      }, uniquingKeysWith: { first, _ in first })
    ofSteps = Set(history.entries.lazy.filter { steps.contains($0.note.id) }.map(\.row))
  }

  /// Looks at an entity.
  mutating func look(at map: OpID, _ identity: Identity, in document: DocumentState) {
    if writings.isEmpty { return }
    document.forEachKey(of: map) { name, group in
      guard let writing = writing(hiding: group, in: document) else { return }
      edits.append(
        Edit(
          step: writing.step, isOfUndoing: writing.isUndoing, identity: identity,
          property: Array(document.pool[name]),
          isBeside: document.values(in: group).count > 1))
    }
  }

  /// What hides an edit in a group, or in what it holds; nil if nothing does.
  private func writing(hiding group: ValueGroup, in document: DocumentState) -> Writing? {
    let winner = document.winner(in: group)
    if let writing = writing(thatLeft: winner, in: group, document) {
      // What comes into the value that it wrote is seen.
      let seen = winner.map { document.writers(in: $0.id, replacedBy: ofSteps) } ?? []
      let isHiding = document.writers(of: group, replacedBy: ofSteps).contains { row in
        !ofSteps.contains(row) && !writing.past[row] && !seen.contains(row)
      }
      if isHiding { return writing }
    }
    guard let winner, case .object = winner.content else { return nil }
    var found: Writing?
    document.forEachGroup(in: winner.id) { _, group in
      found = found ?? writing(hiding: group, in: document)
    }
    return found
  }

  /// What wrote what readers see in a group, or took it away; nil if no step did.
  private func writing(
    thatLeft winner: DocumentValue?, in group: ValueGroup, _ document: DocumentState
  ) -> Writing? {
    if let winner { return document.row(ofChangeThatMade: winner.id).flatMap { writings[$0] } }
    var found: Writing?
    document.forEachOperation(in: group) { _, _, successors in
      for successor in successors {
        found = found ?? document.row(ofChangeThatMade: successor).flatMap { writings[$0] }
      }
    }
    return found
  }

  /// Returns what shows both of two values that are beside each other in a property of an entity.
  static func decision(
    about property: [UInt8], of identity: Identity, _ kinds: EntityKinds
  ) -> String {
    let id = ShellWord.quoting(kinds.text(of: identity))
    return "to see both: merge-conflicts FOLDER --profile FILE --resolve \(id) "
      + "\(ShellWord.quoting(DisplayText.escaping(property))) --keep-other --dry-run; without "
      + "--dry-run it takes the other one"
  }
}
