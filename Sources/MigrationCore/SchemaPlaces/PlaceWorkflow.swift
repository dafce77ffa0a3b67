import Diagnostics
import FolderState
import Folders
package import Runs
import SafeFiles
import SchemaMigrations

/// Runs the steps of plans over the files and preferences of a folder, or undoes one.
package struct PlaceWorkflow: StepWorkflow {
  let options: SchemaOptions
  private let context: RunContext
  private let folder: String
  let steps: [PlaceStep]
  private let clock = RunClock()

  /// Creates a workflow; nothing is read yet.
  ///
  /// - Parameter folder: the path of the folder, as the user gave it.
  package init(_ options: SchemaOptions, in folder: String, context: RunContext) {
    self.options = options
    self.folder = folder
    self.context = context
    steps = options.plans.flatMap(\.places)
  }

  /// Returns how it stands with each step; nothing is written.
  package func status() throws(MigrationError) -> SchemaReport {
    let storage = FolderStorage(try FolderAccess.open(folder, context: context), of: steps)
    var report = try report(on: storage)
    report.isStatus = true
    try foresee(&report, on: storage)
    report.findings += try lost(report.standings, on: storage)
    report.seconds = clock.seconds
    return report
  }

  /// Returns what the steps would do; nothing is written.
  package func plan() throws(MigrationError) -> SchemaReport {
    let base = FolderStorage(try FolderAccess.open(folder, context: context), of: steps)
    var report = try report(on: base)
    try requireRunnable(report)
    report.isDryRun = true
    var storage = PreviewStorage(base)
    if let undone = options.undone {
      try take([undo(undone, in: &storage)], into: &report, of: storage)
    } else {
      try take(run(in: &storage), into: &report, of: storage)
    }
    for step in steps {
      for place in step.places { note(place.key, of: step, as: storage, in: &report) }
    }
    report.seconds = clock.seconds
    return report
  }

  /// Runs the steps, or undoes one, under the lock of the folder.
  package func perform() throws(MigrationError) -> SchemaReport {
    let directory = try FolderAccess.open(folder, context: context)
    // Before the first trace of a run is in the folder, and under the lock once more.
    let storage = FolderStorage(directory, of: steps)
    let first = try report(on: storage)
    try requireRunnable(first)
    if options.undone == nil {
      try requireConsent(first, on: storage)
      try requireLeadDevice(first, on: storage)
    }
    if let undone = options.undone {
      // What is refused makes no backup.
      var preview = PreviewStorage(storage)
      _ = try undo(undone, in: &preview)
    }
    let backup =
      isIdle(first) ? nil : try FolderBackup.make(of: folder, options, context: context)
    return try WritingRun.perform(in: directory, clock: clock, context: context) {
      writing throws(MigrationError) in
      try sweep(directory)
      var storage = FolderStorage(directory, of: steps)
      var report = try report(on: storage)
      try requireRunnable(report)
      if options.undone == nil { try requireConsent(report, on: storage) }
      if let backup {
        writing.relies(on: backup.hold)
        try backup.require(options.backup == nil ? [] : filesAtStake(on: storage, in: directory))
        writing.beginWriting()
      } else if !isIdle(report) {
        throw .underlying(
          Diagnostic(
            .busy, subject: folder, problem: "was written while it was looked at",
            remedy: "run the command again"))
      }
      if let undone = options.undone {
        try take([undo(undone, in: &storage)], into: &report, of: storage)
      } else {
        try take(run(in: &storage), into: &report, of: storage)
      }
      report.finish(clock)
      return report
    }
  }

  /// Whether there is nothing to be done.
  private func isIdle(_ report: SchemaReport) -> Bool {
    let asked = Set(asked.map(\.id))
    return options.undone == nil && options.forced.isEmpty
      && report.standings.allSatisfy { standing in
        switch standing.state {
        case .pending: !asked.contains(standing.id)
        case .unfinished: false
        default: true
        }
      }
  }

  /// The files that may be set aside, as they are.
  private func filesAtStake(
    on storage: FolderStorage, in directory: Directory
  ) throws(MigrationError) -> [(path: RelativePath, hash: ContentHash?)] {
    let noted = try noted(on: storage)
    let places =
      if let undone = options.undone {
        steps.first { $0.id == undone }.flatMap(\.places.last).map { [$0] } ?? []
      } else {
        // Undoing that was stopped is finished.
        asked.flatMap { step in
          noted[step.id]?.record.stage == .undoing ? step.places[...] : step.places.dropLast()
        }
      }
    var hasher = ContentHasher()
    var hashes: [RelativePath: ContentHash] = [:]
    try MigrationError.wrapping { () throws(FileError) in
      for case .file(let path, let pointer) in places where pointer.first == nil {
        guard hashes[path] == nil, try directory.stateIfPresent(of: path)?.kind == .regular,
          let (parent, name) = try directory.openParent(of: path)
        else { continue }
        hashes[path] = try hasher.hash(name, in: parent).hash
      }
    }
    return hashes.map { ($0.key, $0.value) }
  }

  /// Removes what a run that died was writing where steps write.
  private func sweep(_ directory: Directory) throws(MigrationError) {
    var parents: Set<RelativePath> = []
    for step in steps {
      guard case .file(let path, _)? = step.places.last, let parent = path.parent else { continue }
      parents.insert(parent)
    }
    try MigrationError.wrapping { () throws(FileError) in
      for parent in parents.sorted() + [RelativePath(FolderNames.state)] {
        guard let place = try directory.openDirectoryIfPresent(parent) else { continue }
        _ = try place.sweepTemporaries()
      }
    }
  }

  // MARK: Standing

  func catalog() throws(MigrationError) -> MigrationCatalog {
    do throws(MigrationCatalogError) {
      return try MigrationCatalog(steps.map(\.migration))
    } catch {
      throw .step("the plans", error.description, "give only one of these plans")
    }
  }

  private func report(on storage: FolderStorage) throws(MigrationError) -> SchemaReport {
    var report = SchemaReport()
    report.subject = .places
    report.isUndoing = options.undone != nil
    let noted = try noted(on: storage)
    let edited = Set(
      steps.filter { step in
        guard let checksum = noted[step.id]?.checksum else { return false }
        return checksum != step.checksum && !options.forced.contains(step.id)
      }.map(\.id))
    let catalog = try catalog()
    do throws(MigrationFailure) {
      let survey = try catalog.survey(storage, options.context)
      let standings = zip(steps, survey).map { StepStanding($0.id, $1.standing) }
      let done = Self.done(standings, noted)
      for (place, found) in survey.enumerated() {
        let step = steps[place]
        var standing = standings[place]
        if edited.contains(step.id) { standing = .edited(step.id) }
        if standing.state == .pending, let later = overtaking(step, among: done) {
          standing = StepStanding(
            id: step.id, state: .pending,
            reason: "\(later) has run, and reads what it makes: it runs with --out-of-order")
        }
        report.standings.append(standing)
        // What is undone now need not be cleared away first.
        if options.undone == nil { report.note(found.staying, of: step.id) }
      }
    } catch {
      throw Self.failure(error)
    }
    report.consents = consents(report, noted)
    for id in noted.keys.sorted(by: { $0.rawValue < $1.rawValue })
    where !steps.contains(where: { $0.id == id }) {
      report.standings.append(
        StepStanding(id: id, state: .unknown, reason: "no plan here has it"))
    }
    return report
  }

  /// What is noted last of each step.
  func noted(
    on storage: FolderStorage
  ) throws(MigrationError) -> [MigrationID: SchemaLine] {
    var noted: [MigrationID: SchemaLine] = [:]
    do throws(StorageFailure) {
      for line in try storage.lines() { noted[line.record.id] = line }
    } catch {
      throw Self.failure(.storageFailed(.init("schema", error.reason, remedy: error.remedy)))
    }
    return noted
  }

  /// The steps that were done, those included that wait since because their values do not load.
  static func done(
    _ standings: [StepStanding], _ noted: [MigrationID: SchemaLine]
  ) -> Set<MigrationID> {
    Set(
      standings.filter { standing in
        switch standing.state {
        case .applied, .unfinished: true
        case .waiting: noted[standing.id]?.record.stage == .done
        default: false
        }
      }.map(\.id))
  }

  /// A later step that was done and reads what a step makes, which it would not take any more.
  func overtaking(_ step: PlaceStep, among done: Set<MigrationID>) -> MigrationID? {
    guard let index = steps.firstIndex(where: { $0.id == step.id }) else { return nil }
    return steps[(index + 1)...].first { later in
      done.contains(later.id)
        && later.migration.sources.contains { $0.key.isPart(of: step.migration.destination) }
    }?.id
  }

  /// The steps up to the last one that was asked for.
  private var asked: ArraySlice<PlaceStep> {
    let end = options.target.flatMap { id in steps.firstIndex { $0.id == id } } ?? steps.count - 1
    return steps[...end]
  }

  /// Throws if a step was done as another one of its name, or is asked for and not asked for.
  private func requireRunnable(_ report: SchemaReport) throws(MigrationError) {
    if let edited = report.steps(.edited).first { throw .editedStep(edited) }
    try options.requireReachable(steps.map(\.id))
  }

  /// Throws unless the caller has agreed to what the steps that run would do, and gives what they need.
  private func requireConsent(
    _ report: SchemaReport, on storage: FolderStorage
  ) throws(MigrationError) {
    let done = Self.done(report.standings, try noted(on: storage))
    let doubtful = asked.filter { step in
      !options.allowsOtherOrder && overtaking(step, among: done) != nil
        || step.risk == .destructive && !options.allowsDestructive
        || step.parameters.contains { options.context.parameters[$0] == nil }
    }
    if doubtful.isEmpty { return }
    // What a step makes lets later ones run, so how it stands with each now does not tell.
    var preview = PreviewStorage(storage)
    let running = Set(
      try run(in: &preview).compactMap { result in
        switch result.outcome {
        case .migrated, .failed: result.step
        default: nil
        }
      })
    let steps = doubtful.filter { running.contains($0.id) }
    for step in steps where !options.allowsOtherOrder {
      guard let later = overtaking(step, among: done) else { continue }
      throw .step(
        step.id, "the step is still to be done, and \(later), which reads what it makes, was done",
        "undo \(later) first, or allow it with --out-of-order: \(later) takes nothing more then")
    }
    for step in steps where step.risk == .destructive && !options.allowsDestructive {
      throw .destructiveStep(
        step.id,
        "what it sets aside is only below \(FolderNames.state)/\(FolderNames.schema) after it")
    }
    for step in steps { try options.requireParameters(step.parameters, of: step.id) }
  }

  /// Throws if nothing is to be done here but a step that only another device may run.
  private func requireLeadDevice(
    _ report: SchemaReport, on storage: FolderStorage
  ) throws(MigrationError) {
    if report.hasStepsToRun { return }
    let waiting = report.steps(.waiting)
    let done = Self.done(report.standings, try noted(on: storage))
    for step in asked where waiting.contains(step.id) && !done.contains(step.id) {
      guard let device = step.migration.leadDevice, device != options.context.host else { continue }
      throw .ledElsewhere(step.id, by: device, options)
    }
  }

  // MARK: Running

  func run(
    in storage: inout some MigrationStorage
  ) throws(MigrationError) -> [MigrationResult] {
    let catalog = try catalog()
    do throws(MigrationCatalogError) {
      return try catalog.run(
        in: &storage, options.context,
        .init(
          forced: options.forced, ignoringConditions: options.ignoringConditions,
          last: options.target))
    } catch {
      throw .step("the plans", error.description, "mend the plan")
    }
  }

  private func undo(
    _ id: MigrationID, in storage: inout some MigrationStorage
  ) throws(MigrationError) -> MigrationResult {
    let catalog = try catalog()
    let result: MigrationResult
    do throws(MigrationCatalogError) {
      result = try catalog.undo(id, in: &storage, options.context)
    } catch {
      throw .step(id, error.description, "name a step of the plan")
    }
    guard case .skipped(let reason) = result.outcome else { return result }
    do throws(StorageFailure) {
      if try storage.records().contains(where: { $0.id == id && $0.stage == .undone }) {
        return result
      }
    } catch {
      throw Self.failure(.storageFailed(.init(id, error.reason, remedy: error.remedy)))
    }
    throw .step(id, "there is nothing to undo: \(reason)", "look with --status")
  }

  /// Says in a report what became of steps.
  private func take(
    _ results: [MigrationResult], into report: inout SchemaReport, of storage: some MigrationStorage
  ) throws(MigrationError) {
    for result in results {
      guard let step = steps.first(where: { $0.id == result.step }) else { continue }
      let isDone = result.outcome == .migrated || result.outcome == .undone
      let isFinishing =
        result.outcome == .alreadyDone
        && (result.migratedCount > 0 || report.isUnfinished(step.id))
      if isDone || isFinishing {
        var effect = SchemaReport.Effect(
          id: step.id, risk: step.risk, changedCount: result.migratedCount,
          madeCount: result.outcome == .migrated && !result.wasThere ? 1 : 0, lost: [])
        effect.isFinishing = isFinishing || result.outcome == .undone && !report.isUndoing
        report.effects.append(effect)
      }
      if let standing = StepStanding(result, isFinishing: isFinishing, isDryRun: report.isDryRun) {
        report.replace(standing)
      }
      report.note(result.staying, of: step.id)
      guard case .failed(let failure) = result.outcome else { continue }
      switch failure {
      case .storageFailed, .migrationInProgress, .sourceDataNotFound: throw Self.failure(failure)
      default:
        report.findings.append(
          Finding(
            .notConverted, .error, path: failure.details.source?.name ?? "",
            message: "\(step.id): \(failure.details.reason)", next: failure.details.remedy))
      }
    }
    if !report.isUndoing { try end(results, on: storage, in: &report) }
  }

  static func failure(_ failure: MigrationFailure) -> MigrationError {
    let details = failure.details
    var kind = Diagnostic.Kind.conflictsWithData
    if case .storageFailed = failure { kind = .inputOutput }
    if case .migrationInProgress = failure { kind = .busy }
    return .underlying(
      Diagnostic(
        kind, subject: details.step.rawValue, problem: details.reason, remedy: details.remedy))
  }
}
