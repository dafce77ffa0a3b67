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
  /// The rows of the changes with which entities begin that the step has made, or one behind it.
  private let made: Set<Int>
  /// Likewise those that one before it has made, where only values show whether the step was done.
  private let madeBefore: Set<Int>
  /// The rows of the changes of such steps: what one of them has made anew is of no import.
  private let stepsBefore: Set<Int>

  /// The rows of the changes of all steps before it: what one of them has written into an entity that the step has
  /// not seen is as before it.
  private let before: Set<Int>
  /// The properties that tell of these, where only values show whether the step was done.
  private let written: [[UInt8]]

  /// The rows of the changes of the step, and of those behind it that make entities.
  private let making: Set<Int>

  private init(
    of step: EntityStep, _ number: Int, _ signs: StepSigns, _ history: StepHistory,
    written: [[UInt8]], made: Set<Int>, madeBefore: Set<Int>, by makers: Set<String>,
    behind: Set<String>,
    in document: DocumentState
  ) {
    (self.signs, self.number, self.document) = (signs, number, document)
    (self.written, self.made, self.madeBefore) = (written, made, madeBefore)
    stepsBefore = Set(
      history.entries.lazy.filter { $0.label == .step && makers.contains($0.note.id) }.map(\.row))
    let earlier = signs.ids(before: number)
    before = Set(
      history.entries.lazy.filter { $0.label == .step && earlier.contains($0.note.id) }.map(\.row))
    making = Set(
      history.entries.lazy.filter { $0.label == .step && behind.contains($0.note.id) }.map(\.row))
    reaches = history.reaches(of: step.id.rawValue, in: document)
  }

  /// Looks at steps, by their numbers among those of the plans, in the history of a document of a kind that
  /// was loaded with its chunks.
  static func of(
    _ steps: [(number: Int, step: EntityStep)], _ signs: StepSigns, _ history: StepHistory,
    in document: DocumentState, of kind: EntityKind
  ) -> [LateEntities] {
    var made: [Set<String>: Set<Int>] = [:]
    func skeletons(by makers: Set<String>) -> Set<Int> {
      let skeletons = made[makers] ?? history.skeletonsMade(by: makers, in: document)
      made[makers] = skeletons
      return skeletons
    }
    return steps.map { number, step in
      let rewritten = signs.rewritten(of: kind, by: number)
      let makers = rewritten.isEmpty ? [] : signs.makers(of: kind, before: number)
      return LateEntities(
        of: step, number, signs, history,
        written: rewritten.isEmpty ? [] : rewritten + signs.written(of: kind, before: number),
        made: skeletons(by: signs.makers(of: kind, from: number)),
        madeBefore: skeletons(by: makers), by: makers,
        behind: signs.makers(of: kind, from: number), in: document)
    }
  }

  /// Whether the step has seen an entity.
  func haveSeen(_ map: OpID) -> Bool {
    let row = document.row(ofChangeThatMade: map)
    return reaches.contains { reach in row.map { reach[$0] } ?? true }
  }

  /// Whether the step has not seen an entity for which it makes others, and has not made it, nor one behind
  /// it; nil if nothing shows that.
  func isUnseen(_ map: OpID, _ kind: EntityKind, _ identity: Identity) -> Bool? {
    haveSeen(map) ? false : isUnmade(map, kind, identity)
  }

  /// Whether there is a run of the step that has not put an entity together with others, or has not given it
  /// what these make: what that run has made does not hold it, whatever others have seen.
  func isUnfolded(_ map: OpID, _ kind: EntityKind, _ identity: Identity) -> Bool {
    let row = document.row(ofChangeThatMade: map)
    let isSeen = !reaches.isEmpty && reaches.allSatisfy { reach in row.map { reach[$0] } ?? true }
    return !isSeen && isUnmade(map, kind, identity) == true
  }

  private func isUnmade(_ map: OpID, _ kind: EntityKind, _ identity: Identity) -> Bool? {
    guard let row = document.row(ofChangeThatMade: map), !making.contains(row) else { return false }
    guard made.contains(row) else { return true }
    return signs.mayMake(identity, of: kind).map { mayBeMade in !mayBeMade }
  }

  /// What says whether an entity is one of them.
  enum Sign {
    /// It is none.
    case none
    /// It has, or lacks, what it would not after the step.
    case shown
    /// Only what its properties hold can tell.
    case inValues
    /// Files of JSON tell it, and its properties hold what these do.
    case inFiles
    /// A step has made it, or it was imported right behind the step, and lacks what it would not after it.
    case inMaking
    /// The step has seen it. Only values of a type that it rewrites tell that somebody wrote it anew as
    /// before the step.
    case inTypes

    /// Whether an entity is one of them of which the step makes so much.
    func isGiven(by rewriting: Rewriting) -> Bool {
      switch (self, rewriting) {
      case (.none, _), (.inMaking, _): false
      case (.shown, _): true
      case (.inFiles, let rewriting): rewriting != .none
      case (.inValues, .values), (.inValues, .types), (.inTypes, .types): true
      case (.inValues, _), (.inTypes, _): false
      }
    }
  }

  /// Returns what says whether an entity is one of them.
  func sign(of map: OpID, _ kind: EntityKind, _ identity: Identity) -> Sign {
    let rewritesNothing = signs.rewritten(of: kind, by: number).isEmpty
    if haveSeen(map) { return rewritesNothing ? .none : .inTypes }
    // What an earlier step was done to alone is as before this one.
    if written.contains(where: { document.shows($0, of: map, writtenBy: before) }) {
      return .shown
    }
    // What a step has made is as it is after it, and after those before it. It is joined with the change of
    // the step, as is what an import brings right behind a step that made nothing here: only its identity
    // tells them apart.
    let row = document.row(ofChangeThatMade: map)
    if let row,
      stepsBefore.contains(row)
        || madeBefore.contains(row) && signs.mayMake(identity, of: kind) == true
    {
      // It was made as before the step.
      return .shown
    }
    let isJoined = row.map { made.contains($0) } ?? false
    let mayBeMade = isJoined ? signs.mayMake(identity, of: kind) : false
    func shows(asMade isMade: Bool) -> Bool {
      signs.show(map, of: kind, notSeenBy: number, isMade: isMade, in: document)
    }
    if shows(asMade: mayBeMade ?? true) { return .shown }
    if mayBeMade == nil, shows(asMade: false) { return .inMaking }
    return mayBeMade != false || rewritesNothing ? .none : .inValues
  }
}

extension StepSigns {
  /// Returns what says whether a step was not done to an entity of a document that was made of JSON.
  ///
  /// - Parameters:
  ///   - isLate: whether the entity shows in JSON files that the step has not seen it: where no file does, an
  ///     app may have written a value since that the step would change.
  ///   - steps: the rows of the changes of steps.
  ///   - document: loaded with its chunks.
  func sign(
    of map: OpID, _ kind: EntityKind, notDoneBy step: Int, isLate: @autoclosure () -> Bool,
    besides steps: Set<Int>, in document: DocumentState
  ) -> LateEntities.Sign {
    if show(map, of: kind, notSeenBy: step, isMade: false, in: document) { return .shown }
    let rewritten = rewritten(of: kind, by: step)
    guard !rewritten.isEmpty else { return .none }
    guard isLate() else { return .inTypes }
    // Files say nothing of what was written into the document since.
    let isAsImported = document.shows(rewritten, of: map) { row in
      steps.contains(row) || document.isImport(row)
    }
    return isAsImported ? .inFiles : .inTypes
  }
}

extension DocumentState {
  /// Whether one of some changes, by their rows, has written what readers see of a property.
  fileprivate func shows(_ name: [UInt8], of map: OpID, writtenBy rows: Set<Int>) -> Bool {
    guard !rows.isEmpty, let group = group(of: map, key: name) else { return false }
    return writers(of: group, replacedBy: []).contains(where: rows.contains)
  }

  /// Whether some changes alone, by their rows, have written what readers see of properties.
  func shows(_ names: [[UInt8]], of map: OpID, onlyBy isMeant: (Int) -> Bool) -> Bool {
    names.allSatisfy { name in
      group(of: map, key: name).map { writers(of: $0, replacedBy: []).allSatisfy(isMeant) } ?? true
    }
  }
}
