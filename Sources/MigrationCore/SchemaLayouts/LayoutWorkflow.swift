import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles
import SchemaMigrations

/// Gives the records of a folder another layout, or undoes that by giving them the former one.
///
/// Whether it is done the documents show by where they are; nothing is noted in them.
package struct LayoutWorkflow: StepWorkflow {
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

  /// Returns how it stands with the step; nothing is written.
  package func status() throws(MigrationError) -> SchemaReport {
    var report = try look(at: folder).report
    report.isStatus = true
    report.seconds = clock.seconds
    return report
  }

  /// Returns what the step would do; nothing is written.
  package func plan() throws(MigrationError) -> SchemaReport {
    let look = try look(at: folder)
    var report = look.report
    report.isDryRun = true
    if let journal = try StepJournal(in: folder.directory) {
      report.note(
        finished: look.standing, try journal.lacking(in: folder.directory, context: context))
    } else if !look.standing.isIdle(options), look.mayRun(options) {
      try requireFlattening(to: look.layout)
      complete(&report, try change(look), look)
    }
    report.seconds = clock.seconds
    return report
  }

  /// Moves the records, under the lock of the folder.
  package func perform() throws(MigrationError) -> SchemaReport {
    // Before the first trace of a run is in the folder, and under the lock once more.
    let first = try look(at: folder)
    if first.standing.isIdle(options) || !first.mayRun(options) {
      var report = first.report
      report.finish(clock)
      return report
    }
    if !first.standing.isUnfinished { try requireFlattening(to: first.layout) }
    let backup = try FolderBackup.make(of: folder.path, options, context: context)
    return try WritingRun.perform(
      in: folder.directory, clock: clock, context: context, unfinishedSteps: .expected
    ) { writing throws(MigrationError) in
      writing.relies(on: backup.hold)
      return try perform(after: first, writing, relyingOn: backup)
    }
  }

  private func perform(
    after first: Look, _ writing: WritingRun, relyingOn backup: FolderBackup
  ) throws(MigrationError) -> SchemaReport {
    let directory = folder.directory
    var finished: (findings: [Finding], documentCount: Int)?
    var isUndone = false
    if let journal = try StepJournal(in: directory) {
      writing.beginWriting()
      finished = try journal.finish(in: directory, begun: clock.begin, context: context)
      isUndone = journal.isUndoing
    }
    let look = try look(
      at: folder.again(for: writing, context), after: first.survey, isUndone: isUndone)
    var report = look.report
    if let finished { report.note(finished: first.standing, finished) }
    guard !look.standing.isIdle(options), look.mayRun(options) else {
      report.finish(clock)
      return report
    }
    try requireFlattening(to: look.layout)
    var change = try change(look)
    complete(&report, change, look)
    if context.isInterrupted() { throw .interrupted }
    if !change.findings.holdErrors {
      try backup.require(files(of: change))
      let publisher = DocumentPublisher(directory)
      defer { publisher.discard() }
      for index in change.documents.indices { try publisher.stage(&change.documents[index]) }
      writing.beginWriting()
      let journal = StepJournal(
        change.entries, leaving: change.leaving, of: look.step.id,
        isUndoing: options.undone != nil)
      try journal.write(in: directory)
      try publisher.publish(change.documents, context: context)
      // What leaves does so once the others were read again in their places.
      report.findings += try journal.finish(in: directory, begun: clock.begin, context: context)
        .findings
    }
    report.writtenByteCount = change.documents.reduce(0) { $0 + $1.byteCount }
    report.finish(clock)
    return report
  }

  /// The files that change or leave, as they are.
  private func files(
    of change: LayoutChange
  ) -> [(path: RelativePath, hash: ContentHash?)] {
    change.documents.map { ($0.path, $0.replaced?.hash) }
      + change.leaving.map { ($0.path, $0.hash) }
  }

  /// Throws unless whoever asks knows that the history of records does not go along.
  private func requireFlattening(to layout: DocumentLayout) throws(MigrationError) {
    guard layout == .perRecord, !options.flattens, let step = options.layoutStep?.step else {
      return
    }
    throw .step(
      step.id, "records that share a document share its history, which none of them can take along",
      "let each get a document of its values with --flatten")
  }

  // MARK: Looking

  /// What a look at the folder says.
  private struct Look {
    var step: EntityStep
    /// The layout that records get.
    var layout: DocumentLayout
    var survey: StepSurvey
    var standing: PlanStanding
    var report: SchemaReport

    /// Whether the step is to run now, or to be undone.
    func mayRun(_ options: SchemaOptions) -> Bool {
      standing.isUnfinished || options.undone != nil || !standing.running.isEmpty
    }
  }

  /// - Parameter isUndone: whether an undoing that was stopped was just finished: the step is not done again
  ///   by the same run.
  private func look(
    at folder: ListedFolder, after earlier: StepSurvey? = nil, isUndone: Bool = false
  ) throws(MigrationError) -> Look {
    guard let (step, target) = options.layoutStep else {
      throw .brokenInvariant("a plan of a layout without one")
    }
    let layout = options.undone == nil ? target : target.other
    let inventory = folder.inventory
    let survey = try StepSurvey(of: folder, options, earlier: earlier, context: context)
    let journal = try StepJournal(in: folder.directory)
    var known = survey.known(unfinished: Set(journal?.steps ?? []))
    known.isUndoing = journal?.isUndoing ?? false
    if isUndone { known.undone.insert(step.id.rawValue) }
    var findings = survey.findings
    // What a run that was stopped had begun is ended before anything else.
    if layout == .perRecord, journal == nil, inventory.layoutEvidence == .mixed {
      findings.append(
        Finding(
          .duplicateEntity, .error,
          message: "some records have documents of their own, and others share those of months",
          next: "bring all into months first: migrate-schema with a plan of that layout"))
      known.obstacle = known.obstacle ?? "records are in both layouts"
    }
    if inventory.isWholly(in: layout) {
      if options.undone == nil {
        known.record.steps.append(.init(id: step.id.rawValue, checksum: step.checksum))
      } else {
        known.undone.insert(step.id.rawValue)
      }
    }
    let standing = try PlanStanding(options, known)
    if options.undone != nil, let obstacle = known.obstacle {
      throw .step(step.id, "it cannot be undone: \(obstacle)", "mend that first")
    }
    var report = SchemaReport(.layout, standing, options)
    report.findings = findings
    return Look(step: step, layout: layout, survey: survey, standing: standing, report: report)
  }

  // MARK: Running

  private func change(_ look: Look) throws(MigrationError) -> LayoutChange {
    let (directory, inventory) = (folder.directory, look.survey.inventory)
    if look.layout == .perRecord {
      return try RecordSplitter(directory, at: folder.path, inventory, context: context).split()
    }
    let months = MonthJoiner.months(of: inventory)
    let changes = try Workers.map(
      months.count, phase: .merging, context: context,
      makeState: { MonthJoiner(directory, inventory) }
    ) { item, joiner throws(MigrationError) in
      let month = months[item]
      return try joiner.join(month.month, month.document, month.records)
    }
    var change = LayoutChange()
    for other in changes { change.add(other) }
    return change
  }

  /// Says in a report what is done, or would be.
  private func complete(_ report: inout SchemaReport, _ change: LayoutChange, _ look: Look) {
    report.findings += change.findings
    let isDone = !change.findings.holdErrors
    report.documentCount = isDone ? change.leaving.count : 0
    report.addedByteCount = change.documents.reduce(0) { $0 + $1.byteCount }
    let count = isDone ? change.entityCount : 0
    if options.undone != nil {
      report.note(undone: look.step, changedCount: count)
    } else {
      report.effects = [
        SchemaReport.Effect(
          id: look.step.id, risk: look.step.risk, changedCount: count, madeCount: 0, lost: [])
      ]
      if !report.isDryRun { report.note(done: isDone ? [look.step] : [], of: look.standing) }
    }
  }
}
