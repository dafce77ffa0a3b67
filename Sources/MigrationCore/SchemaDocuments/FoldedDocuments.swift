import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What a step with folds that was done has put together, in the documents of a folder.
struct FoldedDocuments {
  private let survey: StepSurvey
  private let number: Int
  private let kinds: EntityKinds
  private let context: RunContext
  private var totals: FoldedTotals
  private var loader: DocumentLoader
  private var entities: StepEntities
  private var stage: StepStage { survey.stages[number] }

  /// - Parameter number: the number of the step among those of the plans.
  init(_ number: Int, _ survey: StepSurvey, in folder: Directory, _ context: RunContext) {
    (self.survey, self.number, self.context, kinds) = (survey, number, context, context.kinds)
    totals = FoldedTotals(of: number, among: survey.stages, context.kinds) { step in
      survey.isDoneOverFiles(step) || survey.isDone(step)
    } isUndone: { step in
      survey.documents.contains { $0.undone.contains(step.id.rawValue) }
    }
    totals.knowsWriters = true
    loader = DocumentLoader(folder, survey.inventory)
    entities = StepEntities(context.kinds)
  }

  /// An entity as readers see it.
  private struct Seen {
    let entity: ChangingEntity
    let map: OpID
    /// Whether it came once the step was done, or a run of it.
    let isLate: Bool
    let document: DocumentState
    /// The rows of the changes of the step, those that undo it included.
    let steps: Set<Int>
  }

  private mutating func forEach(
    where isMeant: (EntityKind) -> Bool, _ body: (Seen) -> Void
  ) throws(MigrationError) {
    let step = stage.step
    // Where a step is only now taken as done, nothing came later.
    let isNoted = survey.documents.contains { $0.holds(step) }
    for seen in survey.documents where isMeant(seen.kind) {
      if context.isInterrupted() { throw .interrupted }
      let document = try loader.load(seen, after: nil).document
      let history = StepHistory(of: document)
      let late = LateEntities.of(
        [(number, step)], survey.signs, history, in: document, of: seen.kind
      ).first
      let id = step.id.rawValue
      let steps = Set(
        history.entries.lazy.filter { $0.note.id.utf8.elementsEqual(id.utf8) }.map(\.row))
      for entity in DocumentRoot(document, of: seen.kind, kinds).entities {
        guard let map = entity.map else { continue }
        _ = try entities.read(map, seen.kind, entity.identity, in: document)
        body(
          Seen(
            entity: entities.entity, map: map,
            isLate: isNoted && late?.isUnfolded(map, seen.kind, entity.identity) ?? false,
            document: document, steps: steps))
      }
    }
  }

  /// Whether every total is to be looked at.
  var isEndangered: Bool { totals.isEndangered }

  /// Tells which totals do not hold what came later; nil if all do.
  mutating func unheld() throws(MigrationError) -> UnheldTotals? {
    let (stage, kinds) = (stage, kinds)
    // Where the step was only taken as done, what it has put together came with an import.
    let id = stage.step.id.rawValue
    let isImported = !survey.documents.contains { $0.withEffect.contains(id) }
    var totals = totals
    try takeAll(into: &totals)
    totals.endTaking()
    totals.expectMade()
    try forEach(where: { stage.givesTotals(to: $0, kinds) }) { seen in
      totals.look(at: seen.entity, isLate: seen.isLate) { name in
        seen.document.holds(name, of: seen.map) {
          seen.steps.contains($0) || isImported && seen.document.isImport($0)
        }
      }
      totals.expectMade(for: seen.entity, isLate: seen.isLate)
    }
    try forEach(where: { [totals] in totals.expectsMade($0) }) { seen in
      totals.look(atMade: seen.entity) { name in
        seen.document.holds(name, of: seen.map) {
          seen.steps.contains($0) || seen.document.isImport($0)
        }
      }
    }
    return totals.unheldTotals
  }

  /// Takes in all that is put together: what steps have taken away of it as they found it, which the history
  /// shows also of what another device has put together apart.
  private mutating func takeAll(into totals: inout FoldedTotals) throws(MigrationError) {
    let stage = stage
    guard totals.isConsumed else {
      return try forEach(where: { stage.foldsIn($0) }) { totals.take($0.entity, isLate: $0.isLate) }
    }
    totals.holdsConsumed = true
    // Those that are there and not yet taken in, and whether each is late.
    var rest: [EntityKind: [Identity: Bool]] = [:]
    try forEach(where: { stage.foldsIn($0) }) { seen in
      rest[seen.entity.kind, default: [:]][seen.entity.identity] = seen.isLate
    }
    for step in totals.consumers {
      for seen in survey.documents where stage.foldsIn(seen.kind) {
        try forEachFormer(in: seen, of: step) { entity in
          guard rest[entity.kind]?[entity.identity] != nil,
            !stage.contributions(of: entity).isEmpty,
            let isLate = rest[entity.kind]?.removeValue(forKey: entity.identity)
          else { return }
          totals.take(entity, isLate: isLate)
        }
      }
    }
    try forEach(where: { stage.foldsIn($0) }) { seen in
      guard let isLate = rest[seen.entity.kind]?[seen.entity.identity] else { return }
      totals.take(seen.entity, isLate: isLate)
    }
  }

  /// Throws if the step, done once more, would put together less than it has, and overwrite what it has made.
  mutating func requireWhole() throws(MigrationError) {
    let (stage, kinds) = (stage, kinds)
    var totals = totals
    guard kinds.all.contains(where: { !totals.properties(of: $0).isEmpty }) else { return }
    var present: [EntityKind: [Identity: [Int: FoldContribution]]] = [:]
    try forEach(where: { stage.foldsIn($0) }) { seen in
      totals.take(seen.entity, isLate: false)
      present[seen.entity.kind, default: [:]][seen.entity.identity] =
        stage.contributions(of: seen.entity)
    }
    totals.endTaking()
    var (lost, isGone): (Set<String>, Bool) = ([], false)
    for seen in survey.documents where stage.foldsIn(seen.kind) {
      try forEachFormer(in: seen, of: stage.step) { entity in
        let now = present[entity.kind]?[entity.identity]
        let isWhole = stage.contributions(of: entity).allSatisfy { fold, added in
          now?[fold].map { !totals.isConsumed || $0 == added } ?? false
        }
        if isWhole { return }
        lost.insert(kinds.title(entity.kind, entity.identity))
        if now == nil { isGone = true }
      }
    }
    // What a step has taken away that was only taken as done, nothing shows.
    let isUnknown = totals.consumers.contains { consumer in
      !survey.documents.contains { $0.withEffect.contains(consumer.id.rawValue) }
    }
    if lost.isEmpty && !isUnknown { return }
    var replacement: String?
    try forEach(where: { [totals] in !totals.properties(of: $0).isEmpty }) { seen in
      replacement = replacement ?? totals.replacement(in: seen.entity)
    }
    guard let replacement else { return }
    throw totals.partial(
      isUnknown ? nil : lost.count, isGone: isGone || isUnknown, replacing: replacement)
  }

  /// Reads the entities of a document as runs of a step that stand have found them, the last ones first.
  private mutating func forEachFormer(
    in seen: StepSurvey.Document, of step: EntityStep, _ body: (ChangingEntity) -> Void
  ) throws(MigrationError) {
    let document = try loader.load(seen, after: nil).document
    let done = StepHistory(of: document).standing(of: step.id.rawValue, in: document).done
    for layer in StepHistory.layers(of: done, in: document) {
      var past = layer.past
      for entry in layer.entries { past[entry.row] = false }
      let moment = UndoneStep.Moment(try document.only(past), seen.kind, kinds)
      for (identity, map) in moment.maps {
        _ = try entities.read(map, seen.kind, identity, in: moment.document)
        body(entities.entity)
      }
    }
  }
}

extension StepSurvey {
  /// Looks whether what steps that were done have put together holds what came later. Documents are read once
  /// more only where something came.
  func unheld(
    in folder: Directory, _ context: RunContext
  ) throws(MigrationError) -> [Int: UnheldTotals] {
    var unheld: [Int: UnheldTotals] = [:]
    for (number, step) in steps.enumerated() where !step.folds.isEmpty {
      guard isDone(step) else { continue }
      var folded = FoldedDocuments(number, self, in: folder, context)
      let haveCome = documents.contains { seen in
        stages[number].concerns(seen.kind)
          && (seen.isUntouched || seen.unfolded.contains(number))
      }
      guard haveCome || folded.isEndangered else { continue }
      unheld[number] = try folded.unheld()
    }
    return unheld
  }

  /// Throws if steps that were done, and are forced, would put together less than they have.
  func requireWhole(
    _ forced: Set<MigrationID>, in folder: Directory, _ context: RunContext
  ) throws(MigrationError) {
    for (number, step) in steps.enumerated() where forced.contains(step.id) && !step.folds.isEmpty {
      guard isDone(step) || isDoneOverFiles(step) else { continue }
      var folded = FoldedDocuments(number, self, in: folder, context)
      try folded.requireWhole()
    }
  }
}

extension DocumentState {
  /// Whether all that readers see of a property was written by some changes, or nothing was.
  fileprivate func holds(_ name: [UInt8], of map: OpID, by isMeant: (Int) -> Bool) -> Bool {
    guard let group = group(of: map, key: name) else { return true }
    let writers = writers(of: group, replacedBy: [])
    return !writers.isEmpty && writers.allSatisfy(isMeant)
  }
}
