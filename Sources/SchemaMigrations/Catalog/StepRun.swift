import Synchronization

/// One step on one storage.
struct StepRun {
  let step: AnyMigration
  /// All steps that it is one of: what they made of each other's values tells what is still there.
  let catalog: [AnyMigration]
  private let isForced: Bool
  private let ignoresConditions: Bool
  /// The steps before it that wait.
  private let waiting: [AnyMigration]
  /// The places whose values steps before it have written in this run.
  let written: Set<StorageKey>
  var migratedCount = 0
  private var wasThere = false
  var staying: [MigrationResult.Staying] = []

  init(
    _ step: AnyMigration, of catalog: [AnyMigration], isForced: Bool = false,
    ignoresConditions: Bool = false, behind waiting: [AnyMigration] = [],
    after written: Set<StorageKey> = []
  ) {
    self.step = step
    self.catalog = catalog
    self.waiting = waiting
    self.written = written
    self.isForced = isForced
    self.ignoresConditions = ignoresConditions
  }

  mutating func perform(
    in storage: inout some MigrationStorage, _ context: MigrationContext
  ) -> MigrationResult {
    let outcome: MigrationResult.Outcome
    do throws(MigrationFailure) {
      outcome = try settledOutcome(in: &storage, context)
    } catch {
      outcome = .failed(error)
    }
    return MigrationResult(
      step: step.id, outcome: outcome, migratedCount: migratedCount, wasThere: wasThere,
      staying: staying)
  }

  private mutating func settledOutcome(
    in storage: inout some MigrationStorage, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationResult.Outcome {
    var context = context
    let records = try asking(nil) { () throws(StorageFailure) in try storage.records() }
    context.history.formUnion(records.filter { $0.stage == .done }.map(\.id))
    let former = records.last { $0.id == step.id }
    var incompleteness: String?
    if let record = former {
      switch record.stage {
      case .begun, .done:
        switch try decidedWhereabouts(of: record, among: records, in: storage) {
        case .there:
          try settle(record, in: &storage)
          if !isForced { return .alreadyDone }
        case .unreadable(let reason):
          if isForced { throw refusal(because: unreadable(because: reason)) }
          try noteStaying(of: record, in: storage)
          return .waiting(because: unreadable(because: reason))
        case .incomplete(let missing):
          incompleteness = try self.incompleteness(missing, of: record, in: storage)
        case .gone: break
        }
      case .undoing:
        let outcome = try undone(in: &storage, readers: [])
        if !isForced { return outcome }
      case .undone where !isForced:
        try noteReturn(of: record, in: storage)
        return .skipped(because: Self.undone)
      case .undone: break
      }
    }
    let readings = SourceReadings()
    context.input = try input(of: storage, noting: readings)
    context.ignoresConditions = ignoresConditions
    switch try decision(in: context) {
    case .migrate:
      // Who forces it has it made of what is there.
      if let incompleteness, !isForced { return .waiting(because: incompleteness) }
    case .skip(let reason):
      guard isForced else {
        // What it made went on into what a later step made, or the app took it away.
        guard let former, former.stage == .done else { return .skipped(because: reason) }
        if let incompleteness, reason == MigrationDecision.noSource {
          return .waiting(because: incompleteness)
        }
        try noteStaying(of: former, in: storage)
        return .alreadyDone
      }
      throw refusal(because: reason)
    case .wait(let reason):
      guard isForced else { return .waiting(because: reason) }
      throw refusal(because: reason)
    }
    let output = try step.migrate(context.input, context)
    let there = try read(step.destination, of: storage)
    let digest = ValueDigest(of: output.value)
    wasThere = there != nil && former?.hasWritten(digest) != true
    let record = StepRecord(
      id: step.id, .begun, value: digest, wasThere: wasThere,
      replaced: try replaced(by: output, readings), moment: context.moment)
    for key in output.ignored {
      staying.append(
        .init(
          key: key, reason: "holds something else than what was taken", remedy: Self.takesNoMore))
    }
    try write(output.value, over: there, record, in: &storage)
    try settle(record, in: &storage)
    return .migrated
  }

  /// Whether the step is to run: what it asks for itself, and what holds for every step.
  private func decision(
    in context: MigrationContext
  ) throws(MigrationFailure) -> MigrationDecision {
    let decision = try step.shouldMigrate(context)
    switch decision {
    case .skip: return decision
    case .wait(let reason):
      // A condition that is not known may be so because of what cannot be read.
      guard let (key, why) = context.input.unreachable, !reason.contains(why) else {
        return decision
      }
      return .wait(because: "\(reason); \(key) cannot be read here: \(why)")
    case .migrate: break
    }
    if case .unreachable(let reason)? = context.input.destination?.presence {
      return .wait(because: "\(step.destination) cannot be read here: \(reason)")
    }
    // What is still to be written is not absent: nothing is made without it.
    for source in context.input.sources where source.presence == .absent {
      guard let first = waiting.first(where: { source.key.isPart(of: $0.destination) }) else {
        continue
      }
      return .wait(because: "\(first.id), which writes \(first.destination.name), comes first")
    }
    return .migrate
  }

  private static let undone = "it was undone: force it to run it again"

  private static let occupied = "holds something else already"

  private static let choice = "look which of the two is right, and move the other one away"

  /// How it stands with the step; notes which sources stay though it was done.
  mutating func standing(
    in storage: some MigrationStorage, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationStanding {
    var context = context
    let records = try asking(nil) { () throws(StorageFailure) in try storage.records() }
    context.history.formUnion(records.filter { $0.stage == .done }.map(\.id))
    var incompleteness: String?
    if let record = records.last(where: { $0.id == step.id }) {
      switch record.stage {
      case .undoing: return .unfinished(because: "its undoing was stopped in the middle")
      case .undone:
        try noteReturn(of: record, in: storage)
        return .undone
      case .begun, .done:
        switch try decidedWhereabouts(of: record, among: records, in: storage) {
        case .there: return try standing(after: record, in: storage)
        case .unreadable(let reason):
          try noteStaying(of: record, in: storage)
          return .waiting(because: unreadable(because: reason))
        case .incomplete(let missing):
          incompleteness = try self.incompleteness(missing, of: record, in: storage)
        case .gone: break
        }
      }
    }
    context.input = try input(of: storage, noting: SourceReadings())
    switch try decision(in: context) {
    case .migrate:
      if let incompleteness { return .waiting(because: incompleteness) }
      let problem = try occupation(in: context, of: storage)
      return problem.map { .waiting(because: "\($0): \(Self.choice)") } ?? .pending
    case .skip(let reason):
      guard let record = records.last(where: { $0.id == step.id }), record.stage == .done else {
        return .skipped(because: reason)
      }
      // What it used could be made once more, and that would not be all of it.
      if let incompleteness, reason == MigrationDecision.noSource {
        return .waiting(because: incompleteness)
      }
      // What it used is still to be made once more.
      for source in record.replaced {
        if try isMadeAnew(source.key, among: records, of: storage) {
          return .skipped(because: reason)
        }
      }
      try noteStaying(of: record, in: storage)
      return .applied
    case .wait(let reason): return .waiting(because: reason)
    }
  }

  /// Why a step that was done cannot be said to be.
  private func unreadable(because reason: String) -> String {
    "\(step.destination), which holds its value, cannot be read here: \(reason); once that is away, "
      + "undoing the step brings back what it was made of"
  }

  /// Returns why a step that is to run cannot: its destination holds another value than it would write
  /// there; nil if it does not.
  private func occupation(
    in context: MigrationContext, of storage: some MigrationStorage
  ) throws(MigrationFailure) -> String? {
    guard case .present? = context.input.destination?.presence else { return nil }
    let output: MigrationOutput
    do throws(MigrationFailure) {
      output = try step.migrate(context.input, context)
    } catch {
      // What else is wrong with its input is told by the run.
      return nil
    }
    guard let there = try read(step.destination, of: storage), there != output.value else {
      return nil
    }
    return "\(step.destination) \(Self.occupied)"
  }

  /// How it stands with a step whose value is in place.
  private mutating func standing(
    after record: StepRecord, in storage: some MigrationStorage
  ) throws(MigrationFailure) -> MigrationStanding {
    let rest = try remainder(of: record, in: storage)
    staying += rest.staying
    if record.stage == .begun {
      return .unfinished(because: "a run was stopped in the middle of it")
    }
    if rest.leaving.isEmpty { return .applied }
    let names = rest.leaving.map(\.name).joined(separator: ", ")
    return .unfinished(
      because: "what it used is still there, and is set aside by the next run: \(names)")
  }

  private func refusal(because reason: String) -> MigrationFailure {
    .conditionalMigrationFailed(
      .init(step.id, "it was to be forced, but \(reason)", remedy: "see to that first"))
  }

  // MARK: Reading

  private func input(
    of storage: some MigrationStorage, noting readings: SourceReadings
  ) throws(MigrationFailure) -> MigrationInput {
    var sources: [(key: StorageKey, presence: MigrationInput.Presence)] = []
    for source in step.sources {
      sources.append((source.key, try presence(at: source.key, of: storage)))
    }
    let id = step.id
    let known = Set(sources.map(\.key) + [step.destination])
    return MigrationInput(
      sources: sources,
      destination: (step.destination, try presence(at: step.destination, of: storage))
    ) { [storage] key throws(MigrationFailure) in
      guard known.contains(key) else {
        throw .validationFailed(
          .init(
            id, at: key, "the step asks for what is none of its sources",
            remedy: "declare it as a source of the step; nothing was written"))
      }
      let value = try MigrationFailure.wrapping(at: key, of: id) { () throws(StorageFailure) in
        try storage.value(at: key)
      }
      if let value { readings.note(value, at: key) }
      return value
    }
  }

  func presence(
    at key: StorageKey, of storage: some MigrationStorage
  ) throws(MigrationFailure) -> MigrationInput.Presence {
    try asking(key) { () throws(StorageFailure) in try storage.presence(at: key) }
  }

  /// What is at a place, as far as it can be compared with what was there.
  enum Content: Hashable {
    case nothing
    case value(ValueDigest)
    case unreadable
  }

  func content(
    of key: StorageKey, in storage: some MigrationStorage
  ) throws(MigrationFailure) -> Content {
    switch try presence(at: key, of: storage) {
    case .absent: .nothing
    case .unreachable: .unreadable
    case .present: try read(key, of: storage).map { .value(ValueDigest(of: $0)) } ?? .nothing
    }
  }

  private func read(
    _ key: StorageKey, of storage: some MigrationStorage
  ) throws(MigrationFailure) -> MigrationValue? {
    try asking(key) { () throws(StorageFailure) in try storage.value(at: key) }
  }

  /// The sources that a step says are in its output. It can only have used what it read.
  private func replaced(
    by output: MigrationOutput, _ readings: SourceReadings
  ) throws(MigrationFailure) -> [StepRecord.Replaced] {
    var replaced: [StepRecord.Replaced] = []
    for key in output.replaced {
      guard step.sources.contains(where: { $0.key == key }), let value = readings[key] else {
        throw .validationFailed(
          .init(
            step.id, at: key,
            "it says that it used what it did not read, or what is none of its sources",
            remedy: "mend the step; nothing was written"))
      }
      replaced.append(.init(key, value))
    }
    return replaced
  }

  // MARK: Writing

  private func write(
    _ value: MigrationValue, over there: MigrationValue?, _ record: StepRecord,
    in storage: inout some MigrationStorage
  ) throws(MigrationFailure) {
    let destination = step.destination
    guard there == nil || there == value else {
      throw .validationFailed(
        .init(
          step.id, at: destination, "it \(Self.occupied)", remedy: Self.choice))
    }
    try asking(destination) { () throws(StorageFailure) in
      try storage.keep(record)
      if there == nil { try storage.write(value, at: destination) }
    }
    guard try read(destination, of: storage) == value else {
      throw .storageFailed(
        .init(
          step.id, at: destination, "what was written does not read back as it was",
          remedy: "look at the storage; all sources are where they were"))
    }
  }

  /// Records that a step is done, and sets those of its sources aside that are still what it used.
  private mutating func settle(
    _ record: StepRecord, in storage: inout some MigrationStorage
  ) throws(MigrationFailure) {
    if record.stage == .begun {
      try asking(nil) { () throws(StorageFailure) in try storage.keep(record.reaching(.done)) }
    }
    let rest = try remainder(of: record, in: storage)
    staying += rest.staying
    for key in rest.leaving {
      try asking(key) { () throws(StorageFailure) in try storage.setAside(key, for: step.id) }
      migratedCount += 1
    }
  }

  func asking<Answer>(
    _ key: StorageKey?, _ question: () throws(StorageFailure) -> Answer
  ) throws(MigrationFailure) -> Answer {
    try MigrationFailure.wrapping(at: key, of: step.id, question)
  }
}

/// What a step has read of its sources.
private final class SourceReadings: Sendable {
  private let digests = Mutex<[StorageKey: ValueDigest]>([:])

  func note(_ value: MigrationValue, at key: StorageKey) {
    let digest = ValueDigest(of: value)
    digests.withLock { $0[key] = digest }
  }

  subscript(key: StorageKey) -> ValueDigest? { digests.withLock { $0[key] } }
}
