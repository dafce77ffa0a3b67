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
  let options: SchemaOptions
  let context: RunContext
  let folder: ListedFolder
  let clock = RunClock()

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
    report.consents = try consents(after: look)
    report.seconds = clock.seconds
    return report
  }

  /// Returns what the steps would do; nothing is written.
  package func plan() throws(MigrationError) -> SchemaReport {
    let directory = folder.directory
    let storage = try FileStepStorage(directory, folder.inventory, context: context)
    try storage.requireUneditedMeanwhile()
    let look = try look(at: folder)
    try look.standing.requireRunnable(options, isDryRun: true)
    try requireWhole(look)
    var report = look.report
    report.isDryRun = true
    if let undone = options.undone {
      if !look.standing.isIdle(options) {
        let undoable = try undoable(undone, look)
        let changes = try requireUnedited(undoable, look)
        report.findings += try told(changes, displaced(changes, undoable, look), undoable, look)
        report.documentCount = changes.restored.count
        if changes.isAllGone {
          report.note(gone: undone)
        } else {
          report.note(
            undone: undoable.step, before: undoable.remainder,
            hadEffect: !look.standing.hasNoEffect(undone))
        }
      }
    } else {
      let settled = try storage.settled(in: folder.inventory)
      // A run begins with giving back what one that was stopped had changed.
      let standing =
        settled == nil ? look.standing : try self.look(at: folder, after: settled).standing
      try standing.requireRunnable(options, isDryRun: true)
      if let settled {
        report.note(ended: settled, of: look.standing)
        report.note(waiting: standing)
      }
      var run = FileStepRun(
        over: folder, look.storage, options, writing: nil, after: settled, context: context)
      try run.run(standing.steps(options, of: context.kinds), &report)
    }
    report.seconds = clock.seconds
    return report
  }

  /// Runs the steps, or undoes one, under the lock of the folder.
  package func perform() throws(MigrationError) -> SchemaReport {
    let directory = folder.directory
    // Before the first trace of a run is in the folder, and under the lock once more.
    let storage = try FileStepStorage(directory, folder.inventory, context: context)
    try storage.requireUneditedMeanwhile()
    let first = try look(at: folder)
    try first.standing.requireRunnable(options, isDryRun: false)
    try first.standing.requireLeadDevice(options)
    if first.standing.isIdle(options) {
      let report = finished(first.report)
      return first.broughtBack.isEmpty ? report : try noteBroughtBack(report)
    }
    if let undone = options.undone, !first.standing.isUnfinished {
      // What is refused makes no backup.
      let undoable = try undoable(undone, first)
      let changes = try requireUnedited(undoable, first)
      if changes.isAllGone {
        var report = first.report
        report.findings += try told(changes, displaced(changes, undoable, first), undoable, first)
        report.note(gone: undone)
        return finished(report)
      }
    }
    if !first.standing.isUnfinished { try requireWhole(first) }
    let backup = try FolderBackup.make(of: folder.path, options, context: context)
    return try WritingRun.perform(
      in: directory, clock: clock, context: context, unfinishedSteps: .expected
    ) { writing throws(MigrationError) in
      writing.relies(on: backup.hold)
      writing.beginWriting()
      let listed = try self.folder.again(for: writing, context)
      let storage = try FileStepStorage(directory, listed.inventory, context: context)
      let settled = try storage.settled(in: listed.inventory)
      let edited = try storage.settle()
      let folder = try folder.again(for: writing, context)
      let look = try look(at: folder, isFinishing: settled != nil)
      try look.standing.requireRunnable(options, isDryRun: false)
      try requireWhole(look)
      var report = look.report
      report.findings += edited.map { Self.edited($0) }
      if let settled { report.note(ended: settled, of: first.standing) }
      if look.standing.isIdle(options) { return finished(report) }
      if let undone = options.undone {
        let isFinishing = settled?.isUndoing == true && first.standing.isUnfinished(undone)
        try telling(report.givenBack) { () throws(MigrationError) in
          try undo(undone, look, &report, relyingOn: backup, isFinishing: isFinishing)
        }
      } else {
        if let version = look.standing.taken { try TakenVersion.note(version, in: directory) }
        var run = FileStepRun(
          over: folder, look.storage, options, writing: (writing, backup), context: context)
        try run.run(look.standing.steps(options, of: context.kinds), &report)
        report.note(done: run.done, of: look.standing)
        // Done once more, it has nothing else that could be undone.
        for record in look.lost where run.done.contains(where: { $0.id == record.id }) {
          try storage.note(record, .undone)
        }
      }
      try retell(&report, writing)
      return finished(report)
    }
  }

  private func finished(_ report: SchemaReport) -> SchemaReport {
    var report = report
    report.finish(clock)
    return report
  }

  // MARK: Looking

  /// What a look at the folder says.
  struct Look {
    var standing: PlanStanding
    var report: SchemaReport
    var storage: FileStepStorage
    var inventory: FolderInventory
    /// What runs of steps have noted of which files show nothing any more.
    var lost: [FileStepRecord] = []
    /// Runs that were undone, without those files that undoing them left and that are as before them now.
    var broughtBack: [FileStepRecord] = []
    /// What the files were that were read.
    var hashes: [RelativePath: ContentHash] = [:]
  }

  /// - Parameter settled: what ending a run that was stopped would leave of files; nil for what is there.
  func look(
    at folder: ListedFolder, after settled: SettledFiles? = nil, isFinishing: Bool = false
  ) throws(MigrationError) -> Look {
    let (directory, inventory) = (folder.directory, folder.inventory)
    var findings = folder.unlisted
    var known = KnownSteps()
    var effects: Set<String> = []
    var storage = try FileStepStorage(directory, inventory, context: context)
    if settled == nil, let unfinished = try storage.unfinished() {
      known.unfinished = [unfinished.record.id.rawValue]
      known.isUndoing = unfinished.stage == .undoing
      findings += try storage.editedMeanwhile()
    }
    var records = try storage.records()
    if settled == nil {
      known.unfinished.formUnion(try storage.returned(among: records).map(\.record.id.rawValue))
    }
    let unfinished = try storage.unfinished()
    let files = inventory.filesOfEntities.filter { !(settled?.gone.contains($0) ?? false) }
    var seen = try FileSurvey(
      of: files, in: directory, inventory, options, records, formerPaths: storage.formerPaths,
      overlay: settled?.bytes ?? [:], context: context)
    if try storage.findExchanged(in: inventory, knowing: seen.hashes) {
      seen = try FileSurvey(
        of: files, in: directory, inventory, options, records, formerPaths: storage.formerPaths,
        overlay: settled?.bytes ?? [:], context: context)
    }
    var lost: [FileStepRecord] = []
    if settled == nil {
      var shown = try storage.log.shownAgain(among: records, knowing: seen.hashes)
      // A step that a run was at is told as that.
      if let unfinished { shown.leaveOut(unfinished.record.id) }
      if !shown.again.isEmpty {
        records = records.standing(shown.again)
        seen = try FileSurvey(
          of: files, in: directory, inventory, options, records,
          formerPaths: storage.formerPaths, context: context)
      }
      findings += shown.strays.map(Self.stray)
    }
    if unfinished == nil {
      lost = try storage.log.lost(among: records, knowing: seen.hashes)
      known.lost = Set(lost.map(\.id.rawValue))
      records.removeAll { lost.contains($0.record) }
      if options.undone == nil {
        findings += try storage.gone(of: records, knowing: seen.hashes)
      }
    }
    // Those of which a restore has taken away all that they did.
    var restored: Set<String> = []
    for (record, stage) in records where stage != .begun {
      let step = SchemaRecord.Step(id: record.id.rawValue, checksum: record.checksum)
      guard stage == .done else {
        let isRestored = record.isRestored && seen.made.isDisjoint(with: record.made)
        if isRestored { restored.insert(step.id) } else { restored.remove(step.id) }
        known.undone.insert(step.id)
        continue
      }
      known.record.steps.removeAll { $0.id == step.id }
      known.record.steps.append(step)
    }
    if let settled, settled.isUndoing, let step = unfinished?.record.id.rawValue {
      known.record.steps.removeAll { $0.id == step }
      known.undone.insert(step)
    }
    known.isFinishing = isFinishing || unfinished != nil
    if options.baseline != nil { known.taken = try TakenVersion.noted(in: directory) }
    known.undone.subtract(known.record.steps.map(\.id))
    known.lost.formUnion(restored)
    known.lost.subtract(known.record.steps.map(\.id))
    known.undone.subtract(known.lost)
    var broughtBack: [FileStepRecord] = []
    if settled == nil {
      let left = try storage.left(by: records, of: known.undone, inventory)
      findings += left.findings(besides: options.forced)
      broughtBack = left.broughtBack
    }
    for case (let record, .done) in records where !record.hasNoEffect {
      effects.insert(record.id.rawValue)
    }
    known.withoutEffect = Set(known.record.steps.map(\.id)).subtracting(effects)
    findings += seen.findings
    known.obstacle = seen.findings.first { $0.severity == .error }.map {
      "\($0.path): \($0.message)"
    }
    known.lateCounts = seen.lateCounts
    known.unheld = Set(seen.unheld.keys.map(\.rawValue))
    for step in known.record.steps
    where !options.forced.contains(MigrationID(rawValue: step.id)) {
      if let revived = seen.revived[step.id] {
        findings.append(
          .revived(
            revived.entityCount, of: step.id, at: revived.path,
            next: "look at what was written since; it stays as it is"))
      }
      guard let doubtful = seen.doubtful[step.id] else { continue }
      known.doubtfulCounts[step.id] = doubtful.entityCount
      findings.append(doubtful.doubt(about: step.id))
    }
    known.findVersion(options.steps, fitting: seen.versions)
    let standing = try PlanStanding(options, known)
    var report = SchemaReport(.files, standing, options)
    for step in options.steps where step.id != options.undone && !options.forced.contains(step.id) {
      if let unknown = seen.unknownTotals[step.id] { findings.append(unknown) }
    }
    report.findings = findings + standing.deprivations(options)
    report.tell(of: standing.totals(options) { seen.unheld[$0.id] })
    return Look(
      standing: standing, report: report, storage: storage, inventory: inventory, lost: lost,
      broughtBack: broughtBack, hashes: seen.hashes)
  }

  // MARK: Undoing

  /// What undoing a step gives back.
  struct UndoableStep {
    var step: EntityStep
    /// What its runs have noted, in their order, those left out that other steps have built on.
    var records: [FileStepRecord] = []
    /// Another step that has changed the same files after runs of this one, which stay; nil if all are undone.
    var remainder: MigrationID?
    /// The runs of all steps, in their order.
    var all: [FileStepRecord] = []
  }

  /// Returns a step that can be undone, with all its runs, but for those after which another step has changed
  /// the same files, and those before such.
  ///
  /// - Parameter isFinishing: whether an undoing of it that was stopped was just finished: there may be no other
  ///   run that can be undone.
  private func undoable(
    _ id: MigrationID, _ look: Look, isFinishing: Bool = false
  ) throws(MigrationError) -> UndoableStep {
    let storage = look.storage
    var all = try storage.records()
    all = all.standing(try storage.log.shownAgain(among: all, knowing: look.hashes).again)
    let lost = try storage.log.lost(among: all, knowing: look.hashes)
    let runs = all.map(\.record)
    var (records, remainder): ([FileStepRecord], MigrationID?) = ([], nil)
    // What keeps files from being given back as they were before earlier runs.
    var later: [(id: MigrationID, run: FileStepRecord)] = []
    for case (let record, .done) in all.reversed() {
      if record.id != id {
        if !lost.contains(record) { later.append((record.id, record)) }
        continue
      }
      let earlier = runs.before(record)
      if let other = later.first(where: { $0.run.buildsOn(record, behind: earlier) }) {
        remainder = other.id
        later.append((other.id, record))
      } else {
        records.insert(record, at: 0)
      }
    }
    // A later step that was done before its last runs is not in their way.
    let step = try look.standing.undoable(
      id, options, isRunSince: remainder != nil && (isFinishing || !records.isEmpty))
    guard isFinishing || !records.isEmpty else {
      guard let later = remainder else {
        throw .step(id, "the step was not done", "look with --status")
      }
      throw .step(id, "\(later) has changed the same files after it", "undo \(later) first")
    }
    return UndoableStep(
      step: step, records: records, remainder: remainder, all: runs)
  }

  private func undo(
    _ id: MigrationID, _ look: Look, _ report: inout SchemaReport,
    relyingOn backup: FolderBackup, isFinishing: Bool
  ) throws(MigrationError) {
    let undoable = try undoable(id, look, isFinishing: isFinishing)
    let (step, records) = (undoable.step, undoable.records)
    let changes = try requireUnedited(undoable, look)
    let displaced = try displaced(changes, undoable, look)
    report.findings += try told(changes, displaced, undoable, look)
    if changes.isAllGone { return report.note(gone: id) }
    let storage = look.storage
    var restored: Set<RelativePath> = []
    for record in records.reversed() {
      let restoration = try storage.restoration(
        from: record, behind: undoable.all.before(record))
      let paths =
        restoration.files.map { ($0.path, $0.replaced?.hash) }
        + restoration.made.map { ($0.path, $0.version.hash) }
      // What a later run of the step has given back is in no backup.
      try backup.require(paths.filter { restored.insert($0.0).inserted })
      let made = displaced.areMade ? changes.goneMade : []
      let left = record.entries.lazy.map(\.path).filter { made.contains($0) }
      try storage.undo(record.leaving(left), by: restoration)
      report.findings += restoration.edited.map { Self.edited($0) }
    }
    report.documentCount = restored.count + report.finishedDocumentCount
    report.note(
      undone: step, before: undoable.remainder, hadEffect: !look.standing.hasNoEffect(id))
  }

  /// Throws if a file was edited since a step: given back, the edit would be lost, and left, the folder
  /// would be of two versions. Returns what undoing it would do.
  private func requireUnedited(
    _ undoable: UndoableStep, _ look: Look
  ) throws(MigrationError) -> FileStepStorage.Changes {
    let changes = try look.storage.changes(since: undoable.records, among: undoable.all)
    guard let first = changes.edited.first else { return changes }
    let otherCount = changes.edited.count - 1
    throw otherCount == 0
      ? .step(
        undoable.step.id, "\(first) was edited since: it cannot be given back as it was",
        "take the edit back, or restore the backup that was made before the step, and edit that")
      : .step(
        undoable.step.id,
        "\(first) and \(otherCount.counted("other file")) were edited since: they cannot be given back "
          + "as they were",
        "take the edits back, or restore the backup that was made before the step, and edit that")
  }
}

extension FileStepWorkflow {
  /// Whether the steps of a folder run over JSON files: it has some and no documents, or had some when steps
  /// ran over them.
  package static func concerns(
    _ folder: ListedFolder, context: RunContext
  ) throws(MigrationError) -> Bool {
    if folder.isOfFiles { return true }
    guard folder.unlisted.isEmpty, folder.inventory.kindsOfDocuments.isEmpty else { return false }
    return try FileStepStorage(folder.directory, context: context).hasTraces()
  }
}
