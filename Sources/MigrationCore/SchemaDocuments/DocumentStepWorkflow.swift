import Backups
import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles
import SchemaMigrations

/// Runs the steps of plans over the documents of a folder, or undoes one.
///
/// A step is one change in each document, whose message is its record. Nothing is in its place before
/// everything is on disk, proven and noted; a run that is stopped then is finished by the next one.
package struct DocumentStepWorkflow: StepWorkflow {
  private var options: SchemaOptions
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
    return report
  }

  /// Returns what the steps would do; nothing is written.
  package func plan() throws(MigrationError) -> SchemaReport {
    let directory = folder.directory
    let look = try look(at: folder)
    try look.standing.requireRunnable(options, isDryRun: true)
    var report = look.report
    report.isDryRun = true
    if look.standing.isIdle(options) {
      report.seconds = clock.seconds
      return report
    }
    if let journal = try StepJournal(in: directory) {
      // What else would run would do so over what that leaves.
      report.note(finished: look.standing, try journal.lacking(in: directory, context: context))
      if !look.standing.running.isEmpty || options.undone != nil {
        report.findings.append(
          Finding(
            .notLookedAt, .info,
            message: "what else would be done is not shown before the run that was stopped is "
              + "finished"))
      }
      report.seconds = clock.seconds
      return report
    }
    try requireWhole(look, in: directory)
    if let undone = options.undone {
      var undoing = try self.undoing(undone, look, in: directory, notesChanges: true)
      try undoing.run()
      undoing.complete(&report, hadEffect: !look.standing.hasNoEffect(undone))
    } else {
      var run = self.run(look, in: directory, with: nil)
      try run.run()
      complete(&report, run, look)
    }
    report.seconds = clock.seconds
    return report
  }

  /// Runs the steps, or undoes one, under the lock of the folder.
  package func perform() throws(MigrationError) -> SchemaReport {
    let directory = folder.directory
    // Before the first trace of a run is in the folder, and under the lock once more.
    let first = try look(at: folder)
    try first.standing.requireRunnable(options, isDryRun: false)
    try first.standing.requireLeadDevice(options)
    if first.standing.isIdle(options) {
      var report = first.report
      report.finish(clock)
      return report
    }
    // What is refused makes no backup.
    if let undone = options.undone, !first.standing.isUnfinished {
      _ = try first.standing.undoable(undone, options)
    }
    if !first.standing.isUnfinished { try requireWhole(first, in: directory) }
    let backup = try FolderBackup.make(of: folder.path, options, context: context)
    return try WritingRun.perform(
      in: directory, clock: clock, context: context, unfinishedSteps: .expected
    ) { writing throws(MigrationError) in
      writing.relies(on: backup.hold)
      return try perform(first, in: directory, writing, relyingOn: backup)
    }
  }

  private func perform(
    _ first: Look, in directory: Directory, _ writing: WritingRun,
    relyingOn backup: FolderBackup
  ) throws(MigrationError) -> SchemaReport {
    guard let journal = try StepJournal(in: directory) else {
      return try perform(first, in: directory, writing, relyingOn: backup, finished: nil)
    }
    writing.beginWriting()
    let finished = try journal.finish(in: directory, begun: clock.begin, context: context)
    var rest = self
    // What was asked for is done where it was begun: once more would do it twice.
    let isUndone = journal.isUndoing && journal.steps.contains(options.undone?.rawValue ?? "")
    if !journal.isUndoing {
      rest.options.forced = options.forced.filter { !journal.steps.contains($0.rawValue) }
    }
    return try rest.perform(
      first, in: directory, writing, relyingOn: backup, finished: finished, isUndone: isUndone)
  }

  private func perform(
    _ first: Look, in directory: Directory, _ writing: WritingRun, relyingOn backup: FolderBackup,
    finished: (findings: [Finding], documentCount: Int)?, isUndone: Bool = false
  ) throws(MigrationError) -> SchemaReport {
    let look = try look(
      at: folder.again(for: writing, context), after: first.survey, isFinishing: finished != nil)
    try look.standing.requireRunnable(options, isDryRun: false)
    var report = look.report
    if let finished { report.note(finished: first.standing, finished) }
    guard !isUndone, !look.standing.isIdle(options) else {
      report.finish(clock)
      return report
    }
    try requireWhole(look, in: directory)
    let publisher = DocumentPublisher(directory)
    defer { publisher.discard() }
    let documents: [BuiltDocument]
    let journal: StepJournal
    if let undone = options.undone {
      var undoing = try self.undoing(undone, look, in: directory, notesChanges: false)
      try undoing.run()
      documents = try undoing.finish(publisher)
      journal = StepJournal(undoing.patches.values, of: [undone], isUndoing: true)
      undoing.complete(&report, hadEffect: !look.standing.hasNoEffect(undone))
    } else {
      var run = self.run(look, in: directory, with: publisher)
      try run.run()
      for step in run.steps where step.isFollowing && run.hasEffect(step) {
        try options.requireConsent(to: step.stage.step)
      }
      documents = try run.finish(publisher)
      journal = StepJournal(run.patches.values, of: run.steps.map(\.stage.step.id))
      complete(&report, run, look)
    }
    if context.isInterrupted() { throw .interrupted }
    if !documents.isEmpty {
      try backup.require(documents.map { ($0.path, $0.replaced?.hash) })
      writing.beginWriting()
      if let version = look.standing.taken { try TakenVersion.note(version, in: directory) }
      try journal.write(in: directory)
      try publisher.publish(documents, context: context)
      try directory.removeStepJournal()
    }
    let isMadeAgain = look.standing.running.contains {
      $0.makesTotals && options.forced.contains($0.id)
    }
    if !report.totals.isEmpty || isMadeAgain {
      // What was not known before the run, and what a remedy says that was just done.
      var after = self
      after.options = options.looking
      let folder = try folder.again(for: writing, context)
      report.tell(of: try after.look(at: folder, after: look.survey).report.totals)
    }
    report.documentCount = documents.count + report.finishedDocumentCount
    report.writtenByteCount = documents.reduce(0) { $0 + $1.byteCount }
    report.finish(clock)
    return report
  }

  // MARK: Looking

  /// What a look at the folder says.
  private struct Look {
    var survey: StepSurvey
    var standing: PlanStanding
    var report: SchemaReport
  }

  private func look(
    at folder: ListedFolder, after earlier: StepSurvey? = nil, isFinishing: Bool = false
  ) throws(MigrationError) -> Look {
    let survey = try StepSurvey(of: folder, options, earlier: earlier, context: context)
    let unfinished = try StepJournal(in: folder.directory)?.steps ?? []
    var known = survey.known(unfinished: Set(unfinished))
    known.isFinishing = isFinishing || !unfinished.isEmpty
    if options.baseline != nil { known.taken = try TakenVersion.noted(in: folder.directory) }
    let standing = try PlanStanding(options, known)
    var report = SchemaReport(.documents, standing, options)
    report.findings =
      survey.findings + survey.revivals(besides: options.forced, undoing: options.undone)
      + standing.deprivations(options)
    report.tell(of: standing.totals(options, unheld: survey.unheld(of:)))
    return Look(survey: survey, standing: standing, report: report)
  }

  private func requireWhole(_ look: Look, in directory: Directory) throws(MigrationError) {
    if options.undone != nil { return }
    try look.survey.requireWhole(options.forced, in: directory, context)
  }

  // MARK: Running

  private func run(
    _ look: Look, in directory: Directory, with publisher: DocumentPublisher?
  ) -> DocumentStepRun {
    DocumentStepRun(
      look.standing.steps(options, of: context.kinds), in: directory, look.survey,
      publisher: publisher, context: context)
  }

  private func undoing(
    _ id: MigrationID, _ look: Look, in directory: Directory, notesChanges: Bool
  ) throws(MigrationError) -> StepUndoing {
    let step = try look.standing.undoable(id, options)
    return StepUndoing(
      of: step, options, in: directory, look.survey, notesChanges: notesChanges, context: context)
  }

  /// Says in a report what was done.
  private func complete(
    _ report: inout SchemaReport, _ run: DocumentStepRun, _ look: Look
  ) {
    // What only follows is told where it had something to do.
    let running = run.steps.filter {
      $0.reach != .none && (!$0.isFollowing || run.hasEffect($0))
    }
    report.effects += running.map { running in
      let step = running.stage.step
      return SchemaReport.Effect(
        id: step.id, risk: step.risk, changedCount: run.changedCounts[running.number],
        madeCount: run.madeCounts[running.number], lost: step.lost)
    }
    report.changes = Array(run.changes.prefix(SchemaReport.largestChangeCount))
    report.furtherChangeCount = run.changes.count - report.changes.count
    report.findings += run.findings
    report.documentCount = run.patches.values.count { !$0.isEmpty }
    report.addedByteCount = run.patches.values.reduce(0) { $0 + $1.chunks.count }
    guard !report.isDryRun else { return }
    if look.survey.documents.isEmpty, run.patches.isEmpty { return report.noteNothing(of: running) }
    let done = running.filter { $0.number < run.failed ?? .max }
    report.note(done: done.map(\.stage.step), of: look.standing)
  }
}
