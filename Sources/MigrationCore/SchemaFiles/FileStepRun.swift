import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// The steps of a run over the JSON files of a folder, each of which sees what those before it have left.
struct FileStepRun {
  /// The steps that were done.
  private(set) var done: [EntityStep] = []

  private let options: SchemaOptions
  private let context: RunContext
  private let storage: FileStepStorage
  private let signs: StepSigns
  /// The lock and the backup that a run relies on; nil if nothing is written.
  private let writing: (run: WritingRun, backup: FolderBackup)?
  private var folder: ListedFolder
  private var files: [Int]
  /// What steps make of files, as long as nothing is written.
  private var overlay: [Int: [UInt8]] = [:]
  /// The runs of steps over entities that came later, as long as nothing is written.
  private var previewed: [(record: FileStepRecord, stage: StepRecord.Stage)] = []
  /// The files that steps have changed so far.
  private var changed: Set<RelativePath> = []

  /// - Parameters:
  ///   - storage: that of the folder, which knows where files are of which steps have noted other paths.
  ///   - settled: what giving back what a run that was stopped had changed would leave of files, as long as
  ///     nothing is written.
  init(
    over folder: ListedFolder, _ storage: FileStepStorage, _ options: SchemaOptions,
    writing: (run: WritingRun, backup: FolderBackup)?,
    after settled: SettledFiles? = nil, context: RunContext
  ) {
    (self.folder, self.options, self.writing, self.context) = (folder, options, writing, context)
    self.storage = storage
    signs = StepSigns(options.steps, of: context.kinds)
    files = folder.inventory.filesOfEntities.filter { !(settled?.gone.contains($0) ?? false) }
    overlay = settled?.bytes ?? [:]
  }

  /// Runs steps up to the first that fails.
  mutating func run(
    _ steps: [RunningStep], _ report: inout SchemaReport
  ) throws(MigrationError) {
    // What one that is taken as done has met those before it have met as well.
    let noting = steps.last { $0.reach == .none && !$0.stage.notesSources }?.number
    for step in steps {
      if step.reach == .none {
        if writing != nil {
          let sources =
            if step.number == noting { try entities() } else { try sources(of: step.stage) }
          try storage.apply([], of: step.stage.step, seeing: sources)
        }
        continue
      }
      let isLast = step.number == steps.count - 1
      guard let hasChanged = try run(step, &report, isLast: isLast) else { return }
      if hasChanged || !step.isFollowing { done.append(step.stage.step) }
    }
  }

  /// Runs a step; returns whether it has changed anything, nil if it was not done.
  private mutating func run(
    _ running: RunningStep, _ report: inout SchemaReport, isLast: Bool
  ) throws(MigrationError) -> Bool? {
    var running = running
    let step = running.stage.step
    let records = try storage.records() + previewed
    let seen = SeenEntities(records, options.steps, formerPaths: storage.formerPaths)
    var missing: MissingEntities?
    if running.reach == .all {
      try survey(&running.stage)
    } else if step.makesOthers {
      missing = try MissingEntities(
        of: &running.stage, running.place, seen, in: files, folder.directory, folder.inventory,
        overlay: overlay)
    }
    var sources = if let missing { missing.sources } else { try sources(of: running.stage) }
    let input = FileStepper.Input(
      folder: folder.directory, inventory: folder.inventory, signs: signs,
      seen: seen, step: running, overlay: overlay, notesChanges: writing == nil)
    let files = files
    var made: Set<String> = []
    let outcomes = try Workers.map(
      files.count, phase: .converting, context: context, makeState: { FileStepper(input) }
    ) { item, stepper throws(MigrationError) in
      try stepper.run(files[item])
    }
    var findings = outcomes.flatMap(\.findings) + (missing?.findings ?? [])
    for tally in outcomes.compactMap(\.tally) {
      findings += running.stage.findings(adding: tally, context.kinds)
    }
    var stepped = outcomes.compactMap(\.file)
    var changes = outcomes.flatMap(\.changes)
    let makes = missing.map { !$0.created.isEmpty } ?? !step.creations.isEmpty
    if running.reach == .all || missing != nil, makes, !findings.holdErrors {
      var creator = FileCreator(
        running.stage, in: folder.directory, folder.inventory, files: stepped, overlay: overlay)
      if let missing {
        try creator.run(making: missing.created)
      } else {
        try creator.run(over: files)
      }
      running.stage = creator.stage
      stepped = creator.files.values.sorted { $0.path < $1.path }
      if writing == nil { changes += creator.changes }
      made = creator.made
      findings += creator.findings
    }
    if running.reach == .all { findings += running.stage.brokenCountFindings }
    if running.reach == .all { findings += try displaced(from: step.id, records) }
    let hasFailed = findings.holdErrors
    report.findings += findings
    // What only follows is told, and noted, where it has something to do.
    if running.isFollowing, stepped.isEmpty { return hasFailed ? nil : false }
    if running.isFollowing, writing != nil { try options.requireConsent(to: step) }
    report.effects.append(
      SchemaReport.Effect(
        id: step.id, risk: step.risk,
        changedCount: hasFailed ? 0 : outcomes.reduce(0) { $0 + $1.changedCount },
        madeCount: hasFailed ? 0 : made.count, lost: step.lost))
    report.changes += changes.prefix(
      max(0, SchemaReport.largestChangeCount - report.changes.count))
    if hasFailed { return nil }
    let changed = stepped.filter { !$0.isAsAfter }
    report.documentCount += changed.count
    report.addedByteCount += changed.reduce(0) { $0 + $1.after.count }
    let isMaking = stepped.contains { $0.version == nil }
    let after = overlay(stepped)
    if running.reach == .all, seen.done.contains(step.id), step.makesTotals,
      try hasUnheldTotals(of: running.place, seen, overlay: after)
    {
      // What these do not hold the step has not taken in.
      sources.formIntersection(seen.sources(of: running.place))
    }
    if writing != nil {
      var late = outcomes.reduce(into: Set<String>()) { $0.formUnion($1.late) }
      if running.reach == .late { late.formUnion(made) }
      try write(
        stepped, of: step, making: made, for: late, seeing: sources,
        isSeenByOthers: isMaking && !isLast)
    } else {
      if running.reach == .late, let place = FileStepRecord.originals(of: step.id.rawValue, 0) {
        let late = outcomes.reduce(into: made) { $0.formUnion($1.late) }
        previewed.append(
          (
            FileStepRecord(
              of: step, changing: stepped, at: place, formerPaths: storage.formerPaths,
              making: made, for: late), .done
          ))
      }
      overlay = after
      if isMaking, !isLast {
        report.findings.append(
          Finding(
            .notLookedAt, .info,
            message: "\(step.id) makes files: what later steps do to these is not shown"))
      }
    }
    return true
  }

  private mutating func write(
    _ stepped: [SteppedFile], of step: EntityStep, making made: Set<String>,
    for late: Set<String>, seeing sources: Set<String>, isSeenByOthers: Bool
  ) throws(MigrationError) {
    guard let writing else { return }
    // What a step before it has written is in no backup, and comes from what is in one.
    try writing.backup.require(
      stepped.filter { changed.insert($0.path).inserted }.map { ($0.path, $0.version?.hash) })
    try storage.apply(stepped, of: step, making: made, for: late, seeing: sources)
    guard isSeenByOthers else { return }
    folder = try folder.again(for: writing.run, context)
    files = folder.inventory.filesOfEntities
  }

  /// What files are once a step has made others of some.
  private func overlay(_ stepped: [SteppedFile]) -> [Int: [UInt8]] {
    let made = Dictionary(
      stepped.map { ($0.path, $0.after) }, uniquingKeysWith: { first, _ in first })
    var overlay = overlay
    for file in files {
      if let after = made[folder.inventory.path(of: file)] { overlay[file] = after }
    }
    return overlay
  }

  /// Whether totals of a step do not hold what came later once it was done once more, as what it has made stays.
  private func hasUnheldTotals(
    of number: Int, _ seen: SeenEntities, overlay: [Int: [UInt8]]
  ) throws(MigrationError) -> Bool {
    let stages = options.steps.map {
      StepStage($0, of: context.kinds, options.context.parameters)
    }
    var folded = FoldedFiles(
      of: number, among: stages, seen, in: files, folder.directory, folder.inventory,
      overlay: overlay
    ) { seen.done.contains($0.id) }
    return try folded.unheld() != nil
  }

  /// Tells of entities that a step has changed that is done once more, and that are in other files now, so
  /// that it would be done twice to them.
  private func displaced(
    from step: MigrationID, _ records: [(record: FileStepRecord, stage: StepRecord.Stage)]
  ) throws(MigrationError) -> [Finding] {
    var gone: Set<RelativePath> = []
    for (record, stage) in records where record.id == step {
      // What it has made and finds it takes as it is.
      let changed = record.entries.lazy.filter { !$0.isNew }.map(\.path)
      if stage == .undone { gone.formUnion(record.left.intersection(changed)) }
      if stage == .done { gone.formUnion(changed) }
    }
    var away: [RelativePath] = []
    for path in gone.sorted() where try storage.hash(of: storage.path(now: path)) == nil {
      away.append(path)
    }
    return try DisplacedEntities(
      of: away, in: records.map(\.record).filter { $0.id == step }, storage, folder.inventory
    ).findings(of: step, "the step is not done once more to any", again: "run this again")
  }

  /// All entities, as they are told.
  private func entities() throws(MigrationError) -> Set<String> {
    var titles: Set<String> = []
    var reader = FileEntities(folder.directory, folder.inventory)
    try reader.forEach(in: files, overlay: overlay, where: { _ in true }) { entity, kinds in
      titles.insert(kinds.title(entity.kind, entity.identity))
    }
    return titles
  }

  /// The entities that a step sees and makes others for, or puts together, or gives what it puts together, as
  /// they are told.
  private func sources(of stage: StepStage) throws(MigrationError) -> Set<String> {
    guard stage.notesSources else { return [] }
    let hasFolds = !stage.step.folds.isEmpty
    var sources: Set<String> = hasFolds ? [FileStepRecord.foldsMark] : []
    let kinds = context.kinds
    var reader = FileEntities(folder.directory, folder.inventory)
    try reader.forEach(
      in: files, overlay: overlay, where: { stage.givesTotals(to: $0, kinds) || stage.foldsIn($0) }
    ) { entity, kinds in
      guard stage.givesTotals(to: entity.kind, kinds) || !stage.contributions(of: entity).isEmpty
      else { return }
      sources.insert(kinds.title(entity.kind, entity.identity))
    }
    return sources
  }

  /// Lets a step see all entities that it puts together, or makes others of.
  private func survey(_ stage: inout StepStage) throws(MigrationError) {
    let made = stage.createdKinds
    guard !stage.step.folds.isEmpty || !made.isEmpty else { return }
    var reader = FileEntities(folder.directory, folder.inventory)
    try reader.forEach(in: files, overlay: overlay, where: { made.contains($0) }) { entity, _ in
      stage.take(entity.identity, entity.kind)
    }
    var taken: (stage: StepStage, failure: MigrationError?) = (stage, nil)
    let kinds = context.kinds
    try reader.forEachOnce(
      in: files, overlay: overlay, where: { [stage] in stage.foldsIn($0) }, into: &taken
    ) { taken, entity in
      if taken.failure != nil { return }
      do throws(ConversionDefect) {
        try taken.stage.survey(entity)
      } catch {
        taken.failure = .step(
          taken.stage.step.id, "\(kinds.title(entity.kind, entity.identity)): \(error)",
          "mend the value in the app, or the step")
      }
    }
    if let failure = taken.failure { throw failure }
    stage = taken.stage
    stage.endSurvey()
  }
}

extension StepStage {
  /// Whether a run of it notes those entities alone that it makes others for, or puts together.
  fileprivate var notesSources: Bool { step.makesOthers || !step.folds.isEmpty }
}

extension FolderInventory {
  /// The numbers of the files that hold entities, in the order in which steps read them.
  var filesOfEntities: [Int] { legacyGroups.flatMap { legacyFiles(of: $0) } }
}
