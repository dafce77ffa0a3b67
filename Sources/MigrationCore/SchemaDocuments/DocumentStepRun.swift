import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// The steps of a run over all documents of a folder, each of which sees what those before it have left.
struct DocumentStepRun {
  private let folder: Directory
  private let survey: StepSurvey
  private let context: RunContext
  private let publisher: DocumentPublisher?

  /// The documents that there are, those that a step of the run has made included.
  private var documents: [StepSurvey.Document]
  /// What is added to documents, by their paths.
  private(set) var patches: [RelativePath: DocumentPatch] = [:]
  /// The documents that are on disk already.
  private var built: [RelativePath: BuiltDocument] = [:]
  /// Whether a step changed or made something.
  func hasEffect(_ step: RunningStep) -> Bool {
    changedCounts[step.number] + madeCounts[step.number] > 0
  }

  /// How many entities each step changed and made, by its number.
  private(set) var changedCounts: [Int]
  private(set) var madeCounts: [Int]
  private(set) var changes: [SchemaReport.Change] = []
  private(set) var findings: [Finding] = []
  /// The number of the step of which nothing is written, nor of those behind it.
  private(set) var failed: Int?

  let steps: [RunningStep]
  private var kinds: EntityKinds { context.kinds }
  /// Whether what changes is told entity by entity.
  private var notesChanges: Bool { publisher == nil }

  /// - Parameter publisher: nil if nothing is written.
  init(
    _ steps: [RunningStep], in folder: Directory, _ survey: StepSurvey,
    publisher: DocumentPublisher?, context: RunContext
  ) {
    self.steps = steps
    (self.folder, self.survey, self.context) = (folder, survey, context)
    self.publisher = publisher
    documents = survey.documents
    changedCounts = steps.map { _ in 0 }
    madeCounts = changedCounts
  }

  /// Runs the steps.
  mutating func run() throws(MigrationError) {
    var rest = steps[...]
    while let first = rest.first, failed == nil {
      let count = first.seesAll ? 1 : rest.prefix { !$0.seesAll }.count
      let part = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      if first.seesAll {
        try runAlone(first)
      } else {
        try run(part, isLast: rest.isEmpty)
      }
    }
  }

  /// Runs a step that has to see all entities, or makes some.
  private mutating func runAlone(_ step: RunningStep) throws(MigrationError) {
    var step = step
    var preparation = StepPreparation(
      folder, survey.inventory, documents, patches, context: context)
    switch step.reach {
    case .rest:
      // Where nothing says what it has seen it has seen all.
      if let sources = survey.sourcesOfFiles[step.place] {
        try preparation.prepareLate(&step.stage, at: step.place, survey.signs, besides: sources)
      }
    case .late: try preparation.prepareLate(&step.stage, at: step.place, survey.signs)
    case .all, .none: try preparation.prepare(&step.stage)
    }
    findings += preparation.findings
    guard !preparation.findings.holdErrors else {
      failed = step.number
      return
    }
    let mayBeLast = step.number == steps.count - 1 && preparation.created.isEmpty
    try run(
      [step], isLast: mayBeLast, with: preparation.created, bringingBack: preparation.takenAway)
  }

  private mutating func run(
    _ part: [RunningStep], isLast: Bool, with created: [ChangingEntity] = [],
    bringingBack takenAway: [EntityKind: [Identity: RelativePath]] = [:]
  ) throws(MigrationError) {
    let input = DocumentStepper.Input(
      folder: folder, inventory: survey.inventory, signs: survey.signs,
      lateInFiles: survey.lateInFiles,
      steps: part, patches: patches,
      notesAll: !created.isEmpty, notesChanges: notesChanges,
      publisher: isLast ? publisher : nil)
    let documents = documents
    let outcomes = try Workers.map(
      documents.count, phase: .converting, context: context,
      makeState: { DocumentStepper(input) }
    ) { item, stepper throws(MigrationError) in
      try stepper.run(documents[item])
    }
    var part = part
    var failed = outcomes.compactMap(\.failed).min()
    for outcome in outcomes {
      for position in part.indices where position <= failed ?? .max {
        findings += outcome.findings[position]
      }
      for (position, tally) in outcome.tallies.enumerated() {
        let twice = part[position].stage.findings(adding: tally, kinds)
        findings += twice
        if twice.holdErrors { failed = min(failed ?? .max, position) }
      }
    }
    try place(outcomes, part)
    if failed == nil {
      // Only a step that runs alone makes any.
      try create(created, bringingBack: takenAway, by: &part[0])
      if self.failed != nil { failed = 0 }
    }
    for position in part.indices where failed.map({ position < $0 }) ?? true {
      if !holdsCounts(part[position]) { failed = position }
    }
    guard let failed else { return }
    self.failed = part[failed].number
    for path in patches.keys { patches[path]?.drop(from: part[failed].number) }
    for number in part[failed].number..<steps.count {
      (changedCounts[number], madeCounts[number]) = (0, 0)
    }
    // What lies there has more than is wanted.
    publisher?.discard()
    built = [:]
  }

  private mutating func place(
    _ outcomes: [DocumentStepper.Outcome], _ part: [RunningStep]
  ) throws(MigrationError) {
    for outcome in outcomes {
      if !outcome.patch.isEmpty { patches[outcome.patch.path] = outcome.patch }
      built[outcome.patch.path] = outcome.built
      for (position, count) in outcome.changedCounts.enumerated() {
        changedCounts[part[position].number] += count
      }
      changes += outcome.changes
    }
  }

  private mutating func holdsCounts(_ step: RunningStep) -> Bool {
    guard step.reach == .all else { return true }
    let broken = step.stage.brokenCountFindings
    findings += broken
    return !broken.holdErrors
  }

  // MARK: Entities that a step makes

  /// Adds entities to the documents of their kinds, as an import would (convergent-import.md): two
  /// devices make one.
  private mutating func create(
    _ created: [ChangingEntity],
    bringingBack takenAway: [EntityKind: [Identity: RelativePath]], by step: inout RunningStep
  ) throws(MigrationError) {
    guard !created.isEmpty else { return }
    var entities = StepEntities(kinds)
    var returning: [RelativePath: [ChangingEntity]] = [:]
    var contents: [RelativePath: (kind: EntityKind, content: GroupContent)] = [:]
    var known: [ChangingEntity] = []
    for (number, entity) in created.enumerated() {
      let title = kinds.title(entity.kind, entity.identity)
      func tell(_ severity: Severity, _ problem: String) -> Finding {
        Finding(
          .notConverted, severity, message: "\(step.stage.step.id): \(title): \(problem)")
      }
      guard step.stage.claim(entity) else {
        known.append(entity)
        continue
      }
      let month = entity.month(of: kinds)
      if kinds.hasLayouts, kinds.hasMonths(entity.kind), month == nil {
        findings.append(tell(.error, "nothing says which month it belongs to"))
        failed = step.number
        continue
      }
      let made = try entities.make(entity)
      let told = entities.batch.findings.filter { $0.severity > .info }
      findings += told.map { tell($0.severity, $0.message) }
      guard let made else {
        failed = step.number
        continue
      }
      if let path = takenAway[entity.kind]?[entity.identity] {
        // An import would find it known, and deleted.
        returning[path, default: []].append(entity)
      } else {
        let path = kinds.documentPath(of: entity.kind, month: month)
        // Taken out, so that nothing is copied.
        var (kind, content) =
          contents.removeValue(forKey: path)
          ?? (entity.kind, GroupContent(kinds, keepsChunks: true))
        do {
          try content.add(
            made, of: entities.batch, at: SourcePosition(item: 0, element: UInt32(clamping: number))
          )
        } catch {
          findings.append(tell(.error, "it is refused: \(error)"))
          failed = step.number
        }
        contents[path] = (kind, content)
      }
      madeCounts[step.number] += 1
      do throws(ConversionDefect) {
        for number in try step.stage.check(entity) {
          let promise = step.stage.step.promises[number]
          findings.append(tell(promise.severity, promise.problem))
          if !promise.isWarning { failed = step.number }
        }
      } catch {
        findings.append(tell(.error, error.description))
        failed = step.number
      }
      if notesChanges { changes.append(SchemaReport.Change(entity, fields: nil, of: kinds)) }
    }
    if failed == step.number { return }
    for path in returning.keys.sorted() {
      try bringBack(returning[path] ?? [], at: path, by: step)
    }
    for path in contents.keys.sorted() {
      guard let (kind, content) = contents[path] else { continue }
      try add(content, of: kind, at: path, by: step)
    }
    try reunite(known, by: step)
  }

  /// Returns those of some entities that runs of a step have made, or found, which are all undone: an import right
  /// behind one may have brought others.
  private func formerlyMade(
    by step: RunningStep, among known: [ChangingEntity]
  ) throws(MigrationError) -> [ChangingEntity] {
    let id = step.note.id
    if known.isEmpty || step.stage.step.folds.isEmpty { return [] }
    if survey.documents.contains(where: { $0.holds(step.stage.step) }) { return [] }
    guard survey.documents.contains(where: { $0.undone.contains(id) }) else { return [] }
    var stage = survey.stages[step.place]
    var preparation = StepPreparation(
      folder, survey.inventory, survey.documents, context: context)
    try preparation.prepare(&stage) { document throws(MigrationError) in
      let history = StepHistory(of: document)
      let runs = history.entries.filter { $0.label == .step && $0.note.id == id }
      return try document.only(history.begun(by: runs, in: document))
    }
    let made = preparation.created
    return known.filter { entity in
      made.contains { $0.kind == entity.kind && $0.identity == entity.identity }
    }
  }

  /// Has entities that are there already hold all, where runs made them apart that nobody stands by any more.
  private mutating func reunite(
    _ known: [ChangingEntity], by step: RunningStep
  ) throws(MigrationError) {
    var rest = known
    let former = try formerlyMade(by: step, among: known)
    for seen in documents where former.contains(where: { $0.kind == seen.kind }) {
      var loader = DocumentLoader(folder, survey.inventory)
      var (document, changed) = try loader.load(seen, after: patches[seen.path])
      var totals = ReunitedTotals(former, of: seen.kind, by: step, kinds)
      guard let chunk = try totals.write(to: &document, at: seen.path) else { continue }
      changed.add(chunk, of: step.number)
      (patches[seen.path], built[seen.path]) = (changed, nil)
      changedCounts[step.number] += totals.reunited.count
      for (entity, properties) in totals.reunited {
        rest.removeAll { $0.kind == entity.kind && $0.identity == entity.identity }
        guard notesChanges else { continue }
        changes.append(
          SchemaReport.Change(
            kind: kinds.name(of: entity.kind), id: kinds.text(of: entity.identity), isNew: false,
            properties: properties))
      }
    }
    for entity in rest {
      findings.append(
        Finding(
          .notConverted, .warning,
          message: "\(step.stage.step.id): \(kinds.title(entity.kind, entity.identity)): "
            + "it is known already, and stays as it is"))
    }
  }

  private mutating func add(
    _ content: GroupContent, of kind: EntityKind, at path: RelativePath, by step: RunningStep
  ) throws(MigrationError) {
    let known = documents.first { $0.path == path }
    let seen = known ?? StepSurvey.Document(file: nil, path: path, kind: kind, state: nil)
    if known == nil { documents.append(seen) }
    var loader = DocumentLoader(folder, survey.inventory)
    var content = content
    var (document, changed) = try loader.load(seen, after: patches[path])
    do throws(FormatError) {
      if document.changeCount == 0 {
        // The record comes first, so that it shows of what is made that the step has made it.
        var record = try UpdateChange(onto: document, message: step.note.message)
        changed.add(try record.apply(to: &document, as: .step), of: step.number)
      }
      let heads = document.heads
      document = try content.document(of: kind, onto: document)
      changed.add(document.chunks(since: heads, isCompressed: false), of: step.number)
    } catch {
      throw .damagedDocument(
        path: path.description, offset: nil, problem: "does not accept the step: \(error.problem)")
    }
    patches[path] = changed
    built[path] = nil
  }

  /// Makes entities anew of which the document has only what undoing the step has left: by two changes of the
  /// step, of which one makes their maps and the other fills them.
  private mutating func bringBack(
    _ made: [ChangingEntity], at path: RelativePath, by step: RunningStep
  ) throws(MigrationError) {
    guard let seen = documents.first(where: { $0.path == path }) else {
      throw .brokenInvariant("an entity was taken away from no document")
    }
    var loader = DocumentLoader(folder, survey.inventory)
    var (document, changed) = try loader.load(seen, after: patches[path])
    var returning = ReturningEntities(made, kinds, note: step.note)
    let chunks = try returning.write(to: &document, at: path)
    changed.add(chunks, of: step.number)
    patches[path] = changed
    built[path] = nil
  }

  // MARK: Finishing

  /// Returns all documents that get something, once they are on disk under temporary names.
  mutating func finish(_ publisher: DocumentPublisher) throws(MigrationError) -> [BuiltDocument] {
    let paths = patches.values.filter { !$0.isEmpty }.map(\.path).sorted()
    let missing = paths.filter { built[$0] == nil }.compactMap { patches[$0] }
    let made = try missing.built(in: folder, survey.inventory, with: publisher, context: context)
    for document in made { built[document.path] = document }
    return paths.compactMap { built[$0] }
  }
}
