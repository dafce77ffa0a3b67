import Automerge
import FolderDocuments
import Folders
import SchemaMigrations

/// The entities of a document that a step has not seen which was done to others: they come from a device
/// that had not done it, or in a document that came later.
struct LateEntities {
  private let signs: StepSigns
  private let number: Int
  private let document: DocumentState
  /// What each change of the step builds on.
  private let pasts: [[Bool]]
  private let made: Set<Int>

  /// Looks at the history of a document that was loaded with its chunks.
  init(of step: EntityStep, _ number: Int, _ signs: StepSigns, in document: DocumentState) {
    self.signs = signs
    self.number = number
    self.document = document
    let history = StepHistory(of: document)
    made = history.skeletonsMade(in: document)
    let done = history.standing(of: step.id.rawValue, in: document).done
    pasts = done.map { document.past(ofChange: $0.row) }
  }

  /// Whether an entity is one of them.
  func contains(_ map: OpID, _ kind: EntityKind) -> Bool {
    let row = document.row(ofChangeThatMade: map)
    let isMade = row.map { made.contains($0) } ?? false
    guard signs.show(map, of: kind, notSeenBy: number, isMade: isMade, in: document) else {
      return false
    }
    return !pasts.contains { past in row.map { past[$0] } ?? true }
  }
}
