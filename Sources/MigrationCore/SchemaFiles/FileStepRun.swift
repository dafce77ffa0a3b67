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
  /// The files that steps have changed so far.
  private var changed: Set<RelativePath> = []

  /// - Parameter settled: what giving back what a run that was stopped had changed would leave of files, as
  ///   long as nothing is written.
  init(
    over folder: ListedFolder, _ options: SchemaOptions,
    writing: (run: WritingRun, backup: FolderBackup)?,
    after settled: SettledFiles? = nil, context: RunContext
  ) {
    (self.folder, self.options, self.writing, self.context) = (folder, options, writing, context)
    storage = FileStepStorage(folder.directory, context: context)
    signs = StepSigns(options.steps, of: context.kinds)
    files = folder.inventory.filesOfEntities.filter { !(settled?.gone.contains($0) ?? false) }
    overlay = settled?.bytes ?? [:]
  }

  /// Runs steps up to the first that fails.
  mutating func run(
    _ steps: [RunningStep], _ report: inout SchemaReport
  ) throws(MigrationError) {
    for step in steps {
      if step.reach == .none {
        if writing != nil { try storage.apply([], of: step.stage.step) }
        continue
      }
      guard try run(step, &report, isLast: step.number == steps.count - 1) else { return }
      done.append(step.stage.step)
    }
  }

  /// Runs a step; returns whether it was done.
  private mutating func run(
    _ running: RunningStep, _ report: inout SchemaReport, isLast: Bool
  ) throws(MigrationError) -> Bool {
    var running = running
    let step = running.stage.step
    try survey(&running.stage)
    let input = FileStepper.Input(
      folder: folder.directory, inventory: folder.inventory, signs: signs,
      made: MadeEntities(running.reach == .late ? try storage.records() : []), step: running,
      overlay: overlay,
      notesChanges: writing == nil)
    let files = files
    var made: Set<String> = []
    let outcomes = try Workers.map(
      files.count, phase: .converting, context: context, makeState: { FileStepper(input) }
    ) { item, stepper throws(MigrationError) in
      try stepper.run(files[item])
    }
    var findings = outcomes.flatMap(\.findings)
    for tally in outcomes.compactMap(\.tally) {
      findings += running.stage.findings(adding: tally, context.kinds)
    }
    var stepped = outcomes.compactMap(\.file)
    var changes = outcomes.flatMap(\.changes)
    if running.reach == .all, !step.creations.isEmpty, !findings.holdErrors {
      var creator = FileCreator(
        running.stage, in: folder.directory, folder.inventory, files: stepped, overlay: overlay)
      try creator.run(over: files)
      running.stage = creator.stage
      stepped = creator.files.values.sorted { $0.path < $1.path }
      if writing == nil { changes += creator.changes }
      made = creator.made
      findings += creator.findings
    }
    if running.reach == .all { findings += running.stage.brokenCountFindings }
    let hasFailed = findings.holdErrors
    report.findings += findings
    report.effects.append(
      SchemaReport.Effect(
        id: step.id, risk: step.risk,
        changedCount: hasFailed ? 0 : outcomes.reduce(0) { $0 + $1.changedCount },
        madeCount: hasFailed ? 0 : made.count, lost: step.lost))
    report.changes += changes.prefix(
      max(0, SchemaReport.largestChangeCount - report.changes.count))
    if hasFailed { return false }
    report.documentCount += stepped.count
    report.addedByteCount += stepped.reduce(0) { $0 + $1.after.count }
    let isMaking = stepped.contains { $0.version == nil }
    if writing != nil {
      try write(stepped, of: step, making: made, isSeenByOthers: isMaking && !isLast)
    } else {
      let made = Dictionary(
        stepped.map { ($0.path, $0.after) }, uniquingKeysWith: { first, _ in first })
      for file in files {
        if let after = made[folder.inventory.path(of: file)] { overlay[file] = after }
      }
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
    isSeenByOthers: Bool
  ) throws(MigrationError) {
    guard let writing else { return }
    // What a step before it has written is in no backup, and comes from what is in one.
    try writing.backup.require(
      stepped.filter { changed.insert($0.path).inserted }.map { ($0.path, $0.version?.hash) })
    try storage.apply(stepped, of: step, making: made)
    guard isSeenByOthers else { return }
    folder = try folder.again(for: writing.run, context)
    files = folder.inventory.filesOfEntities
  }

  /// Lets a step see all entities that it puts together, or makes others of.
  private func survey(_ stage: inout StepStage) throws(MigrationError) {
    let made = stage.createdKinds
    guard !stage.step.folds.isEmpty || !made.isEmpty else { return }
    var reader = FileEntities(folder.directory, folder.inventory)
    for file in files {
      let kind = folder.inventory.kind(of: file)
      guard stage.takesIn(kind) || made.contains(kind) else { continue }
      _ = try reader.read(file, overlay: overlay[file])
      for entity in reader.batch.entities {
        do throws(ConversionDefect) {
          try stage.survey(reader.changing(entity))
        } catch {
          throw .step(
            stage.step.id, "\(context.kinds.title(entity.kind, entity.identity)): \(error)",
            "mend the value in the app, or the step")
        }
      }
    }
    stage.endSurvey()
  }
}

extension FolderInventory {
  /// The numbers of the files that hold entities, in the order in which steps read them.
  var filesOfEntities: [Int] { legacyGroups.flatMap { legacyFiles(of: $0) } }
}
