import Diagnostics
import Runs
import SchemaMigrations

// What a catalogue says of steps over places, as reports tell it.
extension StepStanding {
  init(_ id: MigrationID, _ standing: MigrationStanding) {
    switch standing {
    case .applied: self.init(id: id, state: .applied, reason: "")
    case .unfinished(let reason): self.init(id: id, state: .unfinished, reason: reason)
    case .undone: self.init(id: id, state: .undone, reason: "it runs again with --force \(id)")
    case .pending: self.init(id: id, state: .pending, reason: "")
    case .skipped(let reason): self.init(id: id, state: .skipped, reason: reason)
    case .waiting(let reason): self.init(id: id, state: .waiting, reason: reason)
    }
  }

  /// How it stands after a run; nil as before.
  init?(_ result: MigrationResult, isFinishing: Bool, isDryRun: Bool) {
    switch result.outcome {
    case .alreadyDone where isFinishing:
      if isDryRun { return nil }
      self.init(id: result.step, state: .applied, reason: "finished now")
    case .migrated where !isDryRun: self.init(id: result.step, state: .applied, reason: "now")
    case .undone where !isDryRun: self.init(id: result.step, state: .undone, reason: "now")
    case .migrated: self.init(id: result.step, state: .pending, reason: "")
    case .alreadyDone: self.init(id: result.step, state: .applied, reason: "")
    case .skipped(let reason): self.init(id: result.step, state: .skipped, reason: reason)
    case .waiting(let reason): self.init(id: result.step, state: .waiting, reason: reason)
    case .undone, .failed, .notBegun: return nil
    }
  }
}

extension SchemaReport {
  func isUnfinished(_ id: MigrationID) -> Bool {
    standings.contains { $0.id == id && $0.state == .unfinished }
  }

  /// Says of sources why they stay, once.
  mutating func note(_ staying: [MigrationResult.Staying], of step: MigrationID) {
    for source in staying {
      let finding = Finding(
        .staysInPlace, .info, path: source.key.name, message: "\(step): it \(source.reason)",
        next: source.remedy)
      if !findings.contains(finding) { findings.append(finding) }
    }
  }

  mutating func replace(_ standing: StepStanding) {
    guard let index = standings.firstIndex(where: { $0.id == standing.id }),
      standings[index].state != .undone || standing.state != .skipped
    else { return }
    // What was said of it before may be more.
    if standings[index].state == standing.state, standing.reason.isEmpty { return }
    standings[index] = standing
  }
}

extension PlaceWorkflow {
  /// The options without which the steps that are to run do not.
  func consents(
    _ report: SchemaReport, _ noted: [MigrationID: SchemaLine]
  ) -> [String] {
    let pending = Set(report.steps(.pending))
    let running = steps.filter { pending.contains($0.id) }
    let done = Self.done(report.standings, noted)
    var consents: [String] = []
    if !options.allowsOtherOrder,
      running.contains(where: { overtaking($0, among: done) != nil })
    {
      consents.append("--out-of-order")
    }
    if !options.allowsDestructive, running.contains(where: { $0.risk == .destructive }) {
      consents.append("--allow-destructive")
    }
    return consents
  }

  /// Says of steps that nothing is there for yet that they are to run, where those before them make that.
  func foresee(
    _ report: inout SchemaReport, on storage: FolderStorage
  ) throws(MigrationError) {
    guard report.hasStepsToRun else { return }
    var preview = PreviewStorage(storage)
    let results = try run(in: &preview)
    let running = results.filter { $0.outcome == .migrated }.map(\.step)
    for step in running where report.steps(.skipped).contains(step) {
      report.replace(StepStanding(id: step, state: .pending, reason: ""))
    }
    try end(results, on: preview, in: &report)
    report.consents = consents(report, try noted(on: storage))
  }

  /// Says how it stands with the step that a run ended at, and with those behind it, which did not begin: what
  /// it did before may let them run that could not.
  func end(
    _ results: [MigrationResult], on storage: some MigrationStorage, in report: inout SchemaReport
  ) throws(MigrationError) {
    guard let place = results.firstIndex(where: { !$0.errors.isEmpty }) else { return }
    let catalog = try catalog()
    let survey: [(standing: MigrationStanding, staying: [MigrationResult.Staying])]
    do throws(MigrationFailure) {
      survey = try catalog.survey(storage, options.context)
    } catch {
      // How it stood before the run is all that is known.
      return
    }
    // What is only to be given lets it run.
    let isAsking = steps[place].parameters.contains { options.context.parameters[$0] == nil }
    var behind: [PlaceStep] = []
    for (result, (step, found)) in zip(results, zip(steps, survey)).dropFirst(place) {
      guard let before = report.standings.first(where: { $0.id == step.id })?.state,
        [.pending, .skipped, .waiting].contains(before)
      else { continue }
      var standing = StepStanding(step.id, found.standing)
      let isBehind =
        standing.state == .pending
        || found.standing == .skipped(because: SchemaMigrations.MigrationDecision.noSource)
          && behind.contains(where: step.reads)
      if isBehind, !isAsking {
        behind.append(step)
        standing = StepStanding(
          id: step.id, state: .waiting,
          reason: result.errors.first?.details.reason ?? "a step before it failed")
      }
      report.replace(standing)
    }
  }

  /// Says what would be at a place by a step, or would leave it.
  func note(
    _ key: StorageKey, of step: PlaceStep, as preview: PreviewStorage,
    in report: inout SchemaReport
  ) {
    guard let effect = preview.effect(of: step.id, on: key), effect.before != effect.after else {
      return
    }
    report.changes.append(
      SchemaReport.Change(
        kind: key.domain, id: key.name, isNew: effect.before == nil,
        properties: [
          .init(
            name: step.id.rawValue, before: effect.before?.json, after: effect.after?.json)
        ]))
  }

  /// Tells of what steps have used and set aside, and is not there any more: they cannot be undone. Tells of their
  /// values, too, that are gone, so that only what they were made of is there, set aside.
  func lost(
    _ standings: [StepStanding], on storage: FolderStorage
  ) throws(MigrationError) -> [Finding] {
    let done = Set(
      standings.filter { [.applied, .unfinished, .waiting].contains($0.state) }.map(\.id))
    var findings: [Finding] = []
    do throws(StorageFailure) {
      let records = try storage.records()
      let applied = standings.filter { $0.state == .applied }.map(\.id)
      for record in records where applied.contains(record.id) {
        if let gone = try goneValue(of: record, among: records, on: storage) {
          findings.append(gone)
        }
      }
      for record in records
      where done.contains(record.id) && (record.stage == .done || record.stage == .undoing) {
        for source in record.replaced {
          guard case .file? = storage.places[source.key], storage.reasonToStay(source.key) == nil,
            try storage.presence(at: source.key) == .absent,
            try !storage.isSetAside(source.key, for: record.id)
          else { continue }
          findings.append(
            Finding(
              .missingFile, .warning, path: source.key.name,
              message: "\(record.id): it was set aside"
                + (storage.asidePlace(of: record.id).map { " below \($0)" } ?? "")
                + ", and is not there any more: the step cannot be undone",
              next: "to undo it copy \(source.key.name) to its place from the backup that was made "
                + "before the step"))
        }
      }
    } catch {
      throw Self.failure(.storageFailed(.init("schema", error.reason, remedy: error.remedy)))
    }
    return findings
  }

  /// Tells that the value of a step is gone, and all that it was made of is set aside; nil if not. What a later
  /// step has used went there.
  private func goneValue(
    of record: StepRecord, among records: [StepRecord], on storage: FolderStorage
  ) throws(StorageFailure) -> Finding? {
    guard let destination = steps.first(where: { $0.id == record.id })?.migration.destination,
      try storage.presence(at: destination) == .absent,
      !records.contains(where: { user in
        user.stage != .undone && user.replaced.contains { $0.key.isPart(of: destination) }
      })
    else { return nil }
    let used = record.replaced.filter { $0.key != destination }
    for source in used {
      guard try storage.presence(at: source.key) == .absent,
        try storage.isSetAside(source.key, for: record.id)
      else { return nil }
    }
    if used.isEmpty { return nil }
    return Finding(
      .missingFile, .warning, path: destination.name,
      message:
        "\(record.id): it held the value of the step, and is gone; what that was made of is only "
        + "set aside" + (storage.asidePlace(of: record.id).map { " below \($0)" } ?? ""),
      next: "--undo \(record.id) brings that back; what the app took away itself stays away")
  }
}

extension PlaceStep {
  /// Whether it reads what another one makes.
  fileprivate func reads(_ other: PlaceStep) -> Bool {
    migration.sources.contains { $0.key.isPart(of: other.migration.destination) }
  }
}
