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
  /// What each change of the step has seen.
  private let reaches: [[Bool]]
  private let made: Set<Int>

  private init(
    of step: EntityStep, _ number: Int, _ signs: StepSigns, _ history: StepHistory,
    made: Set<Int>, in document: DocumentState
  ) {
    (self.signs, self.number, self.document, self.made) = (signs, number, document, made)
    reaches = history.reaches(of: step.id.rawValue, in: document)
  }

  /// Looks at steps, by their numbers among those of the plans, in the history of a document of a kind that
  /// was loaded with its chunks.
  static func of(
    _ steps: [(number: Int, step: EntityStep)], _ signs: StepSigns, _ history: StepHistory,
    in document: DocumentState, of kind: EntityKind
  ) -> [LateEntities] {
    let made = history.skeletonsMade(by: signs.makers(of: kind), in: document)
    return steps.map { number, step in
      LateEntities(of: step, number, signs, history, made: made, in: document)
    }
  }

  /// Whether the step has seen an entity.
  func haveSeen(_ map: OpID) -> Bool {
    let row = document.row(ofChangeThatMade: map)
    return reaches.contains { reach in row.map { reach[$0] } ?? true }
  }

  /// What says whether an entity is one of them.
  enum Sign {
    /// It is none.
    case none
    /// It has, or lacks, what it would not after the step.
    case shown
    /// Only what its properties hold can tell.
    case inValues
    /// A step has made it, or it was imported right behind the step, and lacks what it would not after it.
    case inMaking
    /// The step has seen it. Only values of a type that it rewrites tell that somebody wrote it anew as
    /// before the step.
    case inTypes

    /// Whether an entity is one of them of which the step makes so much.
    func isGiven(by rewriting: ChangingEntity.Rewriting) -> Bool {
      switch self {
      case .none, .inMaking: false
      case .shown: true
      case .inValues: rewriting != .none
      case .inTypes: rewriting == .types
      }
    }
  }

  /// Returns what says whether an entity is one of them.
  func sign(of map: OpID, _ kind: EntityKind, _ identity: Identity) -> Sign {
    let rewritesNothing = signs.rewritten(of: kind, by: number).isEmpty
    if haveSeen(map) { return rewritesNothing ? .none : .inTypes }
    // What a step has made is as it is after it. It is joined with the change of the step, as is what an
    // import brings right behind a step that made nothing here: only its identity tells them apart.
    let isJoined = document.row(ofChangeThatMade: map).map { made.contains($0) } ?? false
    let mayBeMade = isJoined ? signs.mayMake(identity, of: kind) : false
    func shows(asMade isMade: Bool) -> Bool {
      signs.show(map, of: kind, notSeenBy: number, isMade: isMade, in: document)
    }
    if shows(asMade: mayBeMade ?? true) { return .shown }
    if mayBeMade == nil, shows(asMade: false) { return .inMaking }
    return mayBeMade != false || rewritesNothing ? .none : .inValues
  }
}
