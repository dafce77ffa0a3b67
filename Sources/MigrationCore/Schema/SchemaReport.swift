package import Diagnostics
package import Runs
package import SchemaMigrations

/// What steps made of the data of a stream, or would make of it.
package struct SchemaReport: RunReport {
  package static let name = "migrate-schema"

  /// What steps are about.
  package enum Subject: Hashable, Sendable {
    /// The entities of a stream.
    case stream
    /// Those of the documents of a folder, or of its JSON files.
    case documents, files
    /// In which documents of a folder records are.
    case layout
    /// The files and preferences of a folder.
    case places
  }

  /// What a step did.
  package struct Effect: Hashable, Sendable {
    /// The step.
    package var id: MigrationID
    /// What it does to data that an older version of the app still reads.
    package var risk: MigrationRisk
    /// How many entities it changed.
    package var changedCount: Int
    /// How many it made.
    package var madeCount: Int
    /// The properties that are lost by it, as `kind/property`.
    package var lost: [String]
    /// Whether only what an earlier run had left was finished.
    package var isFinishing = false

    /// What is gone after it, in words; nil if nothing is that it does not use, or if nobody knows.
    package var loss: String? {
      if isFinishing { return nil }
      if !lost.isEmpty { return lost.joined(separator: ", ") }
      return risk == .destructive ? "what it overwrites and does not use" : nil
    }
  }

  /// An entity that steps change, or make.
  package struct Change: Hashable, Sendable {
    /// What its kind is called.
    package var kind: String
    /// Who it is, in display form.
    package var id: String
    /// Whether it was not there before.
    package var isNew: Bool
    /// Its properties that are different, with what they were and will be as JSON; empty if they were,
    /// or will be, absent.
    package var properties: [Property]

    /// A property that is different.
    package struct Property: Hashable, Sendable {
      package var name: String
      package var before: String
      package var after: String
      /// Whether one of them is only the beginning of what it was or will be.
      package var isCut = false
    }
  }

  /// Files that got back what they were before steps at which a run was stopped.
  package struct GivenBack: Hashable, Sendable {
    /// The steps.
    package var steps: [MigrationID]
    /// How many files, each as often as it got something back.
    package var fileCount: Int
  }

  /// How it stands with each step.
  package var standings: [StepStanding] = []
  /// What the steps that ran did.
  package var effects: [Effect] = []
  /// The entities that change; the first ones only, in a dry run.
  package var changes: [Change] = []
  /// How many more there are.
  package var furtherChangeCount = 0
  /// The version of the data before and after; nil if nobody knows.
  package var version: Int?
  package var versionAfter: Int?
  /// Whether a step is undone, and none runs.
  package var isUndoing = false
  /// Whether steps depend on the version of the data.
  package var hasVersions = true
  /// How many entities were read, and written.
  package var readCount = 0
  package var writtenCount = 0
  /// How many bytes were read, and written.
  package var readByteCount = 0
  package var writtenByteCount = 0
  /// What the steps are about.
  package var subject = Subject.stream
  /// How many documents, or files, got changes.
  package var documentCount = 0
  /// How many of them a run that was stopped had left without theirs.
  package var finishedDocumentCount = 0
  /// What a run that was stopped had changed, and is as before; nil if nothing is.
  package var givenBack: GivenBack?
  /// How many bytes of changes they got.
  package var addedByteCount = 0
  /// Whether the steps are looked at only.
  package var isStatus = false
  /// Those of the findings that tell of totals that do not hold what came later, or may not.
  package private(set) var totals: [Finding] = []
  /// Whether a step that was undone finds no more what it reads.
  var hasDeprivedSteps = false
  /// The options without which the steps that are to run do not.
  package var consents: [String] = []
  /// The step up to which all may be taken as done that were done over the JSON files of which documents were
  /// made; nil if there is none.
  package var adoptable: MigrationID?
  /// What runs the steps that a look at them says are to run.
  package var next: NextCommand?
  /// Whether a whole stream was written.
  package var isPublished = false
  package var findings: [Finding] = []
  package var isDryRun = false
  /// Seconds from start to end.
  package var seconds = 0.0

  /// So many changes of entities are told one by one.
  static let largestChangeCount = 10_000

  /// Creates a report of nothing yet.
  package init() {}

  /// The steps in a state.
  package func steps(_ state: StepStanding.State) -> [MigrationID] {
    standings.filter { $0.state == state }.map(\.id)
  }

  /// How many steps a run would do.
  package var countToRun: Int {
    standings.count { $0.state == .pending && !$0.isBeyond || $0.state == .unfinished }
  }

  /// Whether a run would do something.
  package var hasStepsToRun: Bool { countToRun > 0 }

  package var differs: Bool {
    standings.contains { $0.state == .waiting } || isStatus && hasStepsToRun
      || totals.contains { $0.severity != .info } || hasDeprivedSteps
  }

  package var items: [ReportObject] {
    standings.map(item) + changes.map(\.item)
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    for state in StepStanding.State.allCases { summary.add(state.rawValue, steps(state).count) }
    summary.add("versionBefore", version.map { .integer($0) } ?? .null)
    summary.add("versionAfter", versionAfter.map { .integer($0) } ?? .null)
    if [.documents, .files, .layout].contains(subject) {
      summary.add(subject == .files ? "files" : "documents", documentCount)
      if subject == .files { summary.add("filesGivenBack", givenBack?.fileCount ?? 0) }
      summary.add("bytesAdded", addedByteCount)
    }
    summary.add("entitiesRead", readCount)
    summary.add("entitiesWritten", writtenCount)
    summary.add("changed", effects.reduce(0) { $0 + $1.changedCount })
    summary.add("made", effects.reduce(0) { $0 + $1.madeCount })
    summary.add("bytesRead", readByteCount)
    summary.add("bytesWritten", writtenByteCount)
    summary.add("furtherChanges", furtherChangeCount)
    summary.add("isPublished", isPublished)
    if isStatus { summary.add("next", .array(next.map { [.string($0.shellText)] } ?? [])) }
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

extension SchemaReport {
  /// Says how it stands, before anything runs.
  init(_ subject: Subject, _ standing: PlanStanding, _ options: SchemaOptions) {
    self.init()
    self.subject = subject
    isUndoing = options.undone != nil
    hasVersions = options.steps.contains { $0.versions != nil }
    standings = standing.standings
    (version, versionAfter) = (standing.version, standing.target)
    consents = standing.missingConsents(options)
    adoptable = standing.adoptable(options)
    hasDeprivedSteps = !standing.deprivations(options).isEmpty
  }

  /// Says that a step was undone, or would be.
  ///
  /// - Parameters:
  ///   - other: a step that has changed the same files after it ran before, so that this stays; nil if all
  ///     of it is undone.
  ///   - hadEffect: whether there was anything to undo.
  mutating func note(
    undone step: EntityStep, changedCount: Int = 0, before other: MigrationID? = nil,
    hadEffect: Bool = true
  ) {
    effects.append(
      Effect(id: step.id, risk: step.risk, changedCount: changedCount, madeCount: 0, lost: []))
    if other == nil { versionAfter = step.versions?.from ?? version }
    guard !isDryRun else { return }
    let standing =
      other.map {
        StepStanding(
          id: step.id, state: .applied,
          reason:
            "what it did after \($0) is undone now, and what it did before stays: undo \($0), "
            + "then this once more")
      }
      ?? StepStanding(
        id: step.id, state: .undone,
        reason: hadEffect ? "now" : "now; it was only taken as done, or found nothing to change")
    standings = standings.map { $0.id == step.id ? standing : $0 }
  }

  /// Says that a step is not undone, because all files that it has changed are gone.
  mutating func note(gone step: MigrationID) {
    standings = standings.map {
      $0.id == step
        ? StepStanding(
          id: step, state: $0.state,
          reason: "its files are gone: it is undone once they, or what they were, are back") : $0
    }
  }

  /// Says which steps were done, where some that were to run may not have been.
  mutating func note(done: some Collection<EntityStep>, of standing: PlanStanding) {
    standings = standing.standings(after: done.map(\.id))
    let ids = Set(done.map(\.id))
    guard standing.running.contains(where: { !ids.contains($0.id) }) else { return }
    versionAfter = done.compactMap(\.versions).last?.to ?? version
  }

  /// Says that steps had nothing to run over, and nothing in which they could be noted.
  mutating func noteNothing(of steps: [RunningStep]) {
    let ids = Set(steps.map(\.stage.step.id))
    standings = standings.map {
      ids.contains($0.id)
        ? StepStanding(
          id: $0.id, state: .pending,
          reason: "there is no document yet, so nothing was done, and nothing noted") : $0
    }
    versionAfter = version
  }

  /// Says that the steps at which a run was stopped were finished, or would be.
  mutating func note(
    finished standing: PlanStanding, _ finished: (findings: [Finding], documentCount: Int)
  ) {
    let steps = standing.standings.filter { $0.state == .unfinished }.map(\.id)
    for id in steps {
      var effect = Effect(id: id, risk: .additive, changedCount: 0, madeCount: 0, lost: [])
      effect.isFinishing = true
      effects.append(effect)
    }
    findings += finished.findings
    documentCount += finished.documentCount
    finishedDocumentCount += finished.documentCount
    guard !isDryRun else { return }
    standings = standings.map {
      steps.contains($0.id) && ($0.state == .applied || $0.state == .undone)
        ? StepStanding(id: $0.id, state: $0.state, reason: "now") : $0
    }
  }

  /// Tells of totals that do not hold what came later, instead of what was told of them before.
  mutating func tell(of totals: [Finding]) {
    findings.removeAll(where: self.totals.contains)
    findings += totals
    self.totals = totals
  }

  /// Ends a run that writes to a folder.
  mutating func finish(_ clock: RunClock) {
    isPublished = findings.allSatisfy { $0.severity != .error }
    seconds = clock.seconds
  }
}

extension SchemaReport {
  /// A step, with what it did if it ran.
  private func item(_ standing: StepStanding) -> ReportObject {
    var item = ReportObject()
    item.add("type", "migration-step")
    item.add("id", standing.id.rawValue)
    item.add("state", standing.state.rawValue)
    item.add("reason", standing.reason)
    guard
      let effect = effects.first(where: {
        $0.id == standing.id && (!$0.isFinishing || subject == .places)
      })
    else { return item }
    item.add("risk", effect.risk.rawValue)
    item.add("changed", effect.changedCount)
    item.add("made", effect.madeCount)
    item.add("lost", .array(effect.lost.map { .string($0) }))
    return item
  }
}

extension SchemaReport.Change {
  fileprivate var item: ReportObject {
    var item = ReportObject()
    item.add("type", "changed-entity")
    item.add("kind", kind)
    item.add("id", id)
    item.add("isNew", isNew)
    item.add("properties", .array(properties.map { .object($0.item) }))
    return item
  }
}

extension SchemaReport.Change.Property {
  fileprivate var item: ReportObject {
    var item = ReportObject()
    item.add("name", name)
    item.add("before", before)
    item.add("after", after)
    item.add("isCut", isCut)
    return item
  }
}
