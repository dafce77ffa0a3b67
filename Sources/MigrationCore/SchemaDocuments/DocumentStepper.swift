import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Changes documents as steps say. One worker has one.
struct DocumentStepper {
  /// What all workers share.
  struct Input: Sendable {
    let folder: Directory
    let inventory: FolderInventory
    let signs: StepSigns
    /// By the place of a step that was done over JSON files, the entities, as they are told, that show there
    /// that it was not done to them.
    let lateInFiles: [Int: Set<String>]
    /// The steps that run one behind the other, none of which has to see all entities first.
    let steps: [RunningStep]
    /// What steps before them add to documents.
    let patches: [RelativePath: DocumentPatch]
    /// Whether each document has the record of a step, also one in which it finds nothing to change: it makes
    /// entities for others of which it was done before.
    let notesAll: Bool
    /// Whether what changes is noted, entity by entity.
    let notesChanges: Bool
    /// Where documents are put as soon as they are finished; nil if more steps come, or nothing is written.
    let publisher: DocumentPublisher?
  }

  /// What became of a document.
  struct Outcome: Sendable {
    var patch: DocumentPatch
    /// The document on disk, if it is finished.
    var built: BuiltDocument?
    /// By the position of the step among those that run one behind the other.
    var changedCounts: [Int]
    var tallies: [StepStage.Tally] = []
    /// What is told of entities, of each step.
    var findings: [[Finding]]
    /// The position of the step that failed.
    var failed: Int?
    var changes: [SchemaReport.Change] = []
  }

  private let input: Input
  private let kinds: EntityKinds
  private var loader: DocumentLoader
  private var entities: StepEntities
  private var reconciler: EntityReconciler
  /// What an older version of the app writes again, beside a step that takes it away, is seen.
  private var writer = FieldUpdater(clearsWithNull: false)
  private var outcome: Outcome

  init(_ input: Input) {
    self.input = input
    kinds = input.inventory.kinds
    // Which entities a step has not seen, its changes tell, and those of imports.
    loader = DocumentLoader(
      input.folder, input.inventory,
      keepsChunks: input.steps.contains { $0.reach == .late || $0.reach == .rest })
    entities = StepEntities(kinds)
    reconciler = EntityReconciler(kinds)
    outcome = Outcome(
      patch: DocumentPatch(path: .folder, file: nil, version: nil), changedCounts: [], findings: [])
  }

  /// Runs all steps over a document.
  mutating func run(_ seen: StepSurvey.Document) throws(MigrationError) -> Outcome {
    let (loaded, patch) = try loader.load(seen, after: input.patches[seen.path])
    var document = loaded
    outcome = Outcome(
      patch: patch, changedCounts: input.steps.map { _ in 0 },
      findings: input.steps.map { _ in [] })
    let root = DocumentRoot(document, of: seen.kind, kinds)
    for position in input.steps.indices where outcome.failed == nil {
      try run(position, over: root, seen, in: &document)
    }
    guard outcome.failed == nil, let publisher = input.publisher, !outcome.patch.isEmpty else {
      return outcome
    }
    var built = try BuiltDocument(document, outcome.patch)
    try publisher.stage(&built)
    outcome.built = built
    return outcome
  }

  // MARK: One step

  private mutating func run(
    _ position: Int, over root: DocumentRoot, _ seen: StepSurvey.Document,
    in document: inout DocumentState
  ) throws(MigrationError) {
    var step = input.steps[position]
    if step.reach == .none, seen.holds(step.stage.step) {
      return outcome.tallies.append(step.stage.takeTally())
    }
    var change = try document.accepting(at: seen.path) { document throws(FormatError) in
      try UpdateChange(onto: document, message: step.note.message)
    }
    if step.reach != .none, step.stage.concerns(seen.kind) {
      let late =
        step.reach == .late
        ? LateEntities.of(
          [(step.place, step.stage.step)], input.signs, StepHistory(of: document), in: document,
          of: seen.kind
        ).first : nil
      let ofSteps = step.reach == .rest ? StepHistory(of: document).rows() : []
      for entity in root.entities {
        guard let map = entity.map else { continue }
        var sign = late?.sign(of: map, seen.kind, entity.identity) ?? .shown
        if step.reach == .rest {
          sign = input.signs.sign(
            of: map, seen.kind, notDoneBy: step.place,
            isLate: input.lateInFiles[step.place]?.contains(
              kinds.title(seen.kind, entity.identity)) ?? false, besides: ofSteps, in: document)
        }
        guard sign != .none else { continue }
        try run(
          &step.stage, position, map, entity.identity, if: sign, seen, document, &change)
      }
    }
    outcome.tallies.append(step.stage.takeTally())
    // What came later than the step, and is as after it, needs no record of its own.
    let isNeeded = step.reach != .late || input.notesAll || !change.isEmpty
    if outcome.failed != nil || !isNeeded { return }
    let chunk = try document.accepting(at: seen.path) { document throws(FormatError) in
      try change.apply(to: &document, as: .step)
    }
    outcome.patch.add(chunk, of: step.number)
  }

  /// - Parameter sign: what says whether the entity is as before the step.
  private mutating func run(
    _ stage: inout StepStage, _ position: Int, _ map: OpID, _ identity: Identity,
    if sign: LateEntities.Sign, _ seen: StepSurvey.Document, _ document: DocumentState,
    _ change: inout UpdateChange
  ) throws(MigrationError) {
    let defect = try entities.read(map, seen.kind, identity, in: document)
    if let defect, stage.changes(seen.kind) {
      return fail(position, seen, identity, defect)
    }
    if sign != .shown {
      let rewriting = input.signs.rewriting(
        of: entities.entity, by: input.steps[position].place, stage)
      guard sign.isGiven(by: rewriting) else { return }
    }
    do throws(StepDefect) {
      try stage.apply(to: &entities.entity)
    } catch {
      return fail(position, seen, identity, "\(error.property): \(error.problem)")
    }
    do throws(ConversionDefect) {
      for promise in try stage.check(entities.entity) {
        note(stage.step.promises[promise], position, seen, identity)
      }
    } catch {
      return fail(position, seen, identity, error.description)
    }
    guard entities.entity.fields.isChanged else { return }
    try write(position, map, identity, seen, document, &change)
  }

  private mutating func write(
    _ position: Int, _ map: OpID, _ identity: Identity, _ seen: StepSurvey.Document,
    _ document: DocumentState, _ change: inout UpdateChange
  ) throws(MigrationError) {
    let made = try entities.make(entities.entity, types: entities.types)
    for finding in entities.batch.findings where finding.severity > .info {
      add(finding, position, seen, identity)
    }
    guard let made else {
      outcome.failed = position
      return
    }
    let fields = reconciler.differences(
      among: entities.entity.fields.touched(of: entities.entity.tape), of: made, in: entities.batch,
      map: map, document)
    guard !fields.isEmpty else { return }
    for field in fields {
      if let group = field.group, document.hasDifferentValues(group) {
        add(
          Finding(
            .conflict, .warning,
            message: "\(DisplayText.escaping(field.name)) shows several values: the step uses the "
              + "one that readers see, the others stay in the history"), position, seen, identity)
      }
      writer.write(
        field, of: made, in: entities.batch, map: map, of: document, to: &change)
    }
    outcome.changedCounts[position] += 1
    if input.notesChanges { noteChange(seen.kind, identity) }
  }

  private mutating func noteChange(_ kind: EntityKind, _ identity: Identity) {
    guard outcome.changes.count < SchemaReport.largestChangeCount else { return }
    outcome.changes.append(
      SchemaReport.Change(entities.entity, fields: entities.fields, of: kinds))
  }

  // MARK: Findings

  private mutating func fail(
    _ position: Int, _ seen: StepSurvey.Document, _ identity: Identity, _ problem: String
  ) {
    outcome.failed = position
    add(
      Finding(
        .notConverted, .error, message: problem,
        next: "mend the value in the app, or the step; nothing of the step is written"), position,
      seen, identity)
  }

  private mutating func note(
    _ promise: EntityStep.Promise, _ position: Int, _ seen: StepSurvey.Document,
    _ identity: Identity
  ) {
    if !promise.isWarning { outcome.failed = position }
    add(
      Finding(.notConverted, promise.severity, message: promise.problem), position, seen, identity)
  }

  /// So many findings are kept of one step and one document.
  private static let largestFindingCount = 100

  private mutating func add(
    _ finding: Finding, _ position: Int, _ seen: StepSurvey.Document, _ identity: Identity
  ) {
    guard outcome.findings[position].count < Self.largestFindingCount else { return }
    var finding = finding
    finding.path = seen.path.description
    finding.message =
      "\(input.steps[position].stage.step.id): \(kinds.title(seen.kind, identity)): "
      + finding.message
    outcome.findings[position].append(finding)
  }
}
