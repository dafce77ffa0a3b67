import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles
import SchemaMigrations

/// Runs the steps of plans over the JSON files of a folder that has no documents, or undoes one.
///
/// Objects of entities change in their places; whatever else is in a file stays, to the byte. Files lie in
/// our state as they were.
package struct FileStepWorkflow: StepWorkflow {
  private let options: SchemaOptions
  private let context: RunContext
  private let folder: ListedFolder
  private let clock = RunClock()

  /// Creates a workflow for a folder that was listed before.
  package init(_ options: SchemaOptions, in folder: ListedFolder, context: RunContext) {
    self.options = options
    self.folder = folder
    self.context = context
  }

  /// Returns how it stands with each step; nothing is written.
  package func status() throws(MigrationError) -> SchemaReport {
    let look = try look(at: folder)
    var report = look.report
    report.isStatus = true
    report.seconds = clock.seconds
    try look.standing.requireUnedited()
    return report
  }

  /// Returns what the steps would do; nothing is written.
  package func plan() throws(MigrationError) -> SchemaReport {
    let directory = folder.directory
    let look = try look(at: folder)
    try refuse(look, isDryRun: true)
    var report = look.report
    report.isDryRun = true
    if let undone = options.undone {
      if !look.standing.isIdle(options) {
        let (step, record) = try undoable(undone, look, in: directory)
        report.documentCount = record.entries.count
        report.note(undone: step)
      }
    } else {
      _ = try run(look, in: directory, &report, relyingOn: nil)
    }
    report.seconds = clock.seconds
    return report
  }

  /// Runs the steps, or undoes one, under the lock of the folder.
  package func perform() throws(MigrationError) -> SchemaReport {
    let directory = folder.directory
    // Before the first trace of a run is in the folder, and under the lock once more.
    let first = try look(at: folder)
    try refuse(first, isDryRun: false)
    if first.standing.isIdle(options) { return finished(first.report) }
    let backup = try FolderBackup.make(of: folder.path, options, context: context)
    return try WritingRun.perform(
      in: directory, clock: clock, context: context, unfinishedSteps: .expected
    ) { writing throws(MigrationError) in
      writing.relies(on: backup.backup)
      writing.beginWriting()
      let storage = FileStepStorage(directory, context: context)
      let edited = try storage.settle()
      let look = try look(at: folder.again(for: writing, context))
      try refuse(look, isDryRun: false)
      var report = look.report
      report.findings += edited.map { Self.edited($0) }
      if look.standing.isIdle(options) { return finished(report) }
      if let undone = options.undone {
        try undo(undone, look, in: directory, &report, relyingOn: backup)
      } else {
        let done = try run(look, in: directory, &report, relyingOn: backup)
        report.note(done: done, of: look.standing)
      }
      return finished(report)
    }
  }

  private func finished(_ report: SchemaReport) -> SchemaReport {
    var report = report
    report.finish(clock)
    return report
  }

  private static func edited(_ path: RelativePath) -> Finding {
    Finding(
      .editedSince, .warning, path: path.description,
      message: "was edited since the step, and stays as it is",
      next: "what it was before the step is in the backup that was made then")
  }

  // MARK: Looking

  /// What a look at the folder says.
  private struct Look {
    var inventory: FolderInventory
    var files: [Int]
    var standing: PlanStanding
    var report: SchemaReport
  }

  private func look(at folder: ListedFolder) throws(MigrationError) -> Look {
    let (directory, inventory) = (folder.directory, folder.inventory)
    var findings = folder.unlisted
    var known = KnownSteps()
    let storage = FileStepStorage(directory, context: context)
    if let unfinished = try storage.unfinished() {
      known.unfinished = [unfinished.record.id.rawValue]
    }
    for (record, stage) in try storage.records() {
      if stage == .done {
        known.record.steps.append(.init(id: record.id.rawValue, checksum: record.checksum))
      } else {
        known.undone.insert(record.id.rawValue)
      }
    }
    let files = inventory.legacyGroups.flatMap { inventory.legacyFiles(of: $0) }
    let seen = try FileSurvey(of: files, in: directory, inventory, options, known, context: context)
    findings += seen.findings
    known.obstacle = seen.findings.first { $0.severity == .error }.map {
      "\($0.path): \($0.message)"
    }
    known.lateCounts = seen.lateCounts
    known.findVersion(options.steps, fitting: seen.versions)
    let standing = try PlanStanding(options, known)
    var report = SchemaReport(.files, standing, options)
    report.findings = findings
    return Look(inventory: inventory, files: files, standing: standing, report: report)
  }

  /// Throws if the run is not what the data or the caller allows.
  private func refuse(_ look: Look, isDryRun: Bool) throws(MigrationError) {
    try look.standing.requireRunnable(options, isDryRun: isDryRun)
    guard let step = look.standing.running.first(where: { !$0.creations.isEmpty }) else { return }
    throw .step(
      step.id, "the step makes entities, for which JSON files have no place of their own",
      "import the folder first, and run the plan over its documents")
  }

  // MARK: Undoing

  private func undoable(
    _ id: MigrationID, _ look: Look, in directory: Directory
  ) throws(MigrationError) -> (step: EntityStep, record: FileStepRecord) {
    let step = try look.standing.undoable(id, options)
    let records = try FileStepStorage(directory, context: context).records()
    guard let found = records.firstIndex(where: { $0.record.id == id }) else {
      throw .step(id, "the step was not done", "look with --status")
    }
    let record = records[found].record
    let paths = Set(record.entries.map(\.path))
    let later = records[(found + 1)...].last { later in
      later.stage == .done && later.record.entries.contains { paths.contains($0.path) }
    }
    if let later = later?.record.id {
      throw .step(id, "\(later) has changed the same files after it", "undo \(later) first")
    }
    return (step, record)
  }

  private func undo(
    _ id: MigrationID, _ look: Look, in directory: Directory, _ report: inout SchemaReport,
    relyingOn backup: FolderBackup
  ) throws(MigrationError) {
    let (step, record) = try undoable(id, look, in: directory)
    let storage = FileStepStorage(directory, context: context)
    let restoration = try storage.restoration(from: record)
    try backup.require(restoration.files.map { ($0.path, $0.replaced?.hash) })
    try storage.undo(record, by: restoration)
    report.documentCount = restoration.files.count
    report.findings += restoration.edited.map { Self.edited($0) }
    report.note(undone: step)
  }

  // MARK: Running

  /// Runs the steps one after the other; returns those that were done. Without a backup nothing is written.
  private func run(
    _ look: Look, in directory: Directory, _ report: inout SchemaReport,
    relyingOn backup: FolderBackup?
  ) throws(MigrationError) -> [EntityStep] {
    let storage = FileStepStorage(directory, context: context)
    let signs = StepSigns(options.steps, of: context.kinds)
    var overlay: [Int: [UInt8]] = [:]
    var changed: Set<RelativePath> = []
    var done: [EntityStep] = []
    for running in look.standing.steps(options, of: context.kinds) {
      var running = running
      let step = running.stage.step
      if running.reach == .none {
        if backup != nil { try storage.apply([], of: step) }
        continue
      }
      try survey(&running.stage, look, in: directory, overlay)
      let input = FileStepper.Input(
        folder: directory, inventory: look.inventory, signs: signs, step: running,
        overlay: overlay, notesChanges: backup == nil)
      let outcomes = try Workers.map(
        look.files.count, phase: .converting, context: context, makeState: { FileStepper(input) }
      ) { item, stepper throws(MigrationError) in
        try stepper.run(look.files[item])
      }
      var hasFailed = outcomes.contains(where: \.hasFailed)
      report.findings += outcomes.flatMap(\.findings)
      for tally in outcomes.compactMap(\.tally) {
        let twice = running.stage.findings(adding: tally, context.kinds)
        hasFailed = hasFailed || twice.holdErrors
        report.findings += twice
      }
      if running.reach == .all {
        let broken = running.stage.brokenCountFindings
        hasFailed = hasFailed || broken.holdErrors
        report.findings += broken
      }
      report.effects.append(
        SchemaReport.Effect(
          id: step.id, risk: step.risk,
          changedCount: hasFailed ? 0 : outcomes.reduce(0) { $0 + $1.changedCount }, madeCount: 0,
          lost: step.lost))
      report.changes += outcomes.flatMap(\.changes).prefix(
        max(0, SchemaReport.largestChangeCount - report.changes.count))
      if hasFailed { break }
      let files = outcomes.compactMap(\.file)
      report.documentCount += files.count
      report.addedByteCount += files.reduce(0) { $0 + $1.after.count }
      if let backup {
        // What a step before it has written is in no backup, and comes from what is in one.
        try backup.require(
          files.filter { changed.insert($0.path).inserted }.map { ($0.path, $0.version.hash) })
        try storage.apply(files, of: step)
      } else {
        for (file, outcome) in zip(look.files, outcomes) {
          if let after = outcome.file?.after { overlay[file] = after }
        }
      }
      done.append(step)
    }
    return done
  }

  /// Lets a step see all entities that it puts together.
  private func survey(
    _ stage: inout StepStage, _ look: Look, in directory: Directory, _ overlay: [Int: [UInt8]]
  ) throws(MigrationError) {
    guard !stage.step.folds.isEmpty else { return }
    var reader = FileEntities(directory, look.inventory)
    for file in look.files {
      _ = try reader.read(file, overlay: overlay[file])
      for entity in reader.batch.entities where stage.takesIn(entity.kind) {
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
