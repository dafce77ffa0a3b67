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
package struct DocumentStepWorkflow {
  private let options: SchemaOptions
  private let context: RunContext
  private let folder: String
  private let clock = RunClock()

  /// Creates a workflow; nothing is read yet.
  ///
  /// - Parameter folder: the path of the folder, as the user gave it.
  package init(_ options: SchemaOptions, in folder: String, context: RunContext) {
    self.options = options
    self.folder = folder
    self.context = context
  }

  /// Returns how it stands with each step; nothing is written.
  package func status() throws(MigrationError) -> SchemaReport {
    let look = try look(in: FolderAccess.open(folder, context: context))
    var report = look.report
    report.isStatus = true
    report.seconds = clock.seconds
    try refuseEdited(look.standing)
    return report
  }

  /// Returns what the steps would do; nothing is written.
  package func plan() throws(MigrationError) -> SchemaReport {
    let directory = try FolderAccess.open(folder, context: context)
    let look = try look(in: directory)
    try refuse(look, isDryRun: true)
    var report = look.report
    report.isDryRun = true
    if isIdle(look) {
      report.seconds = clock.seconds
      return report
    }
    if let undone = options.undone {
      var undoing = try self.undoing(undone, look, in: directory, notesChanges: true)
      try undoing.run()
      undoing.complete(&report)
    } else {
      var run = self.run(look, in: directory, with: nil)
      try run.run()
      complete(&report, run, look.standing)
    }
    report.seconds = clock.seconds
    return report
  }

  /// Runs the steps, or undoes one, under the lock of the folder.
  package func perform() throws(MigrationError) -> SchemaReport {
    let directory = try FolderAccess.open(folder, context: context)
    // Before the first trace of a run is in the folder, and under the lock once more.
    let first = try look(in: directory)
    try refuse(first, isDryRun: false)
    if isIdle(first) {
      var report = first.report
      report.isPublished = report.findings.allSatisfy { $0.severity != .error }
      report.seconds = clock.seconds
      return report
    }
    let backup = try FolderBackup.make(of: folder, options, context: context)
    return try WritingRun.perform(
      in: directory, clock: clock, context: context, unfinishedSteps: .expected
    ) { writing throws(MigrationError) in
      writing.relies(on: backup)
      return try perform(first, in: directory, writing, relyingOn: backup)
    }
  }

  private func perform(
    _ first: Look, in directory: Directory, _ writing: WritingRun,
    relyingOn backup: VerifiedBackup
  ) throws(MigrationError) -> SchemaReport {
    var finished: [Finding] = []
    if let journal = try StepJournal(in: directory) {
      writing.beginWriting()
      finished = try journal.finish(in: directory, context: context)
    }
    let look = try look(in: directory, after: first.survey, for: writing)
    try refuse(look, isDryRun: false)
    var report = look.report
    report.findings += finished
    guard !isIdle(look) else {
      report.isPublished = true
      return report
    }
    let publisher = DocumentPublisher(directory)
    defer { publisher.discard() }
    let documents: [BuiltDocument]
    let journal: StepJournal
    if let undone = options.undone {
      var undoing = try self.undoing(undone, look, in: directory, notesChanges: false)
      try undoing.run()
      documents = try undoing.finish(publisher)
      journal = StepJournal(undoing.patches.values, of: [undone])
      undoing.complete(&report)
    } else {
      var run = self.run(look, in: directory, with: publisher)
      try run.run()
      documents = try run.finish(publisher)
      journal = StepJournal(run.patches.values, of: look.standing.running.map(\.id))
      complete(&report, run, look.standing)
    }
    if context.isInterrupted() { throw .interrupted }
    if !documents.isEmpty {
      try require(documents, in: backup)
      writing.beginWriting()
      try journal.write(in: directory)
      try publisher.publish(documents, context: context)
      try StepJournal.remove(from: directory)
    }
    report.documentCount = documents.count
    report.writtenByteCount = documents.reduce(0) { $0 + $1.byteCount }
    report.isPublished = report.findings.allSatisfy { $0.severity != .error }
    report.seconds = clock.seconds
    return report
  }

  /// Throws unless the backup is in its place and, if somebody named it, holds what is about to change.
  private func require(
    _ documents: [BuiltDocument], in backup: VerifiedBackup
  ) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in try backup.requireInPlace() }
    guard options.backup != nil else { return }
    for document in documents {
      guard let version = document.replaced else { continue }
      guard backup.manifest.entry(at: document.path)?.hash == version.hash else {
        throw .unprovenBackup(
          path: backup.archive.path, problem: "does not hold \(document.path) as it is")
      }
    }
  }

  // MARK: Looking

  /// What a look at the folder says.
  private struct Look {
    var survey: StepSurvey
    var standing: PlanStanding
    var report: SchemaReport
  }

  private func look(
    in directory: Directory, after earlier: StepSurvey? = nil, for writing: WritingRun? = nil
  ) throws(MigrationError) -> Look {
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: directory, as: context.kinds, for: writing, noting: &unlisted)
    try inventory.requireKnownApp(in: directory, at: folder, unlisted: unlisted)
    let survey = try StepSurvey(
      of: directory, inventory, unlisted: unlisted, options, earlier: earlier, context: context)
    let unfinished = try StepJournal(in: directory)?.steps ?? []
    let standing: PlanStanding
    do throws(MigrationFailure) {
      standing = try PlanStanding(options, survey.known(unfinished: Set(unfinished)))
    } catch {
      throw .step(error.details.step, error.details.reason, error.details.remedy)
    }
    var report = SchemaReport()
    (report.isOfDocuments, report.isUndoing) = (true, options.undone != nil)
    report.hasVersions = options.steps.contains { $0.versions != nil }
    report.standings = standing.standings
    (report.version, report.versionAfter) = (standing.version, standing.target)
    report.findings = survey.findings + survey.revivals
    return Look(survey: survey, standing: standing, report: report)
  }

  private func refuseEdited(_ standing: PlanStanding) throws(MigrationError) {
    guard let edited = standing.standings.first(where: { $0.state == .edited }) else { return }
    throw .editedStep(edited.id)
  }

  /// Throws if the run is not what the data or the caller allows.
  private func refuse(_ look: Look, isDryRun: Bool) throws(MigrationError) {
    try refuseEdited(look.standing)
    if options.undone != nil { return }
    for step in look.standing.running {
      try options.requireParameters(step.parameters, of: step.id)
    }
    if !isDryRun { try look.standing.requireConsent(options) }
  }

  /// Whether nothing is to be done.
  private func isIdle(_ look: Look) -> Bool {
    if look.standing.isUnfinished { return false }
    if let undone = options.undone { return look.standing.isUndone(undone) }
    return look.standing.running.isEmpty && look.standing.adopted.isEmpty
  }

  // MARK: Running

  private func run(
    _ look: Look, in directory: Directory, with publisher: DocumentPublisher?
  ) -> DocumentStepRun {
    let all = options.steps
    let known = look.standing.record.steps.map(\.id)
    var steps: [DocumentStep] = []
    func add(_ step: EntityStep, _ reach: DocumentStep.Reach) {
      guard let place = all.firstIndex(where: { $0.id == step.id }) else { return }
      steps.append(
        DocumentStep(
          number: steps.count, place: place, reach: reach,
          stage: StepStage(step, of: context.kinds, options.context.parameters)))
    }
    for step in look.standing.adopted { add(step, .none) }
    for step in look.standing.running {
      let isLate = known.contains(step.id.rawValue) && !options.forced.contains(step.id)
      add(step, isLate ? .late : .all)
    }
    return DocumentStepRun(
      steps, in: directory, look.survey, signs: StepSigns(all, of: context.kinds),
      notesChanges: publisher == nil, publisher: publisher, context: context)
  }

  private func undoing(
    _ id: MigrationID, _ look: Look, in directory: Directory, notesChanges: Bool
  ) throws(MigrationError) -> StepUndoing {
    guard let step = options.steps.first(where: { $0.id == id }) else {
      throw .step(id, "no plan here has it", "name a step of the plan")
    }
    try look.standing.requireUndoable(step, options)
    return StepUndoing(
      of: step, options, in: directory, look.survey, notesChanges: notesChanges, context: context)
  }

  /// Says in a report what was done.
  private func complete(
    _ report: inout SchemaReport, _ run: DocumentStepRun, _ standing: PlanStanding
  ) {
    let running = standing.running
    let first = standing.adopted.count
    report.effects = running.enumerated().map { index, step in
      SchemaReport.Effect(
        id: step.id, risk: step.risk, changedCount: run.changedCounts[first + index],
        madeCount: run.madeCounts[first + index], lost: step.lost)
    }
    report.changes = Array(run.changes.prefix(SchemaReport.largestChangeCount))
    report.furtherChangeCount = run.changes.count - report.changes.count
    report.findings += run.findings
    report.documentCount = run.patches.values.count { !$0.isEmpty }
    report.addedByteCount = run.patches.values.reduce(0) { $0 + $1.chunks.count }
    guard !report.isDryRun else { return }
    let done = run.failed.map { running.prefix(max(0, $0 - first)) } ?? running[...]
    report.standings = standing.standings(after: done.map(\.id))
    if run.failed != nil {
      report.versionAfter = done.compactMap(\.versions).last?.to ?? report.version
    }
  }
}
