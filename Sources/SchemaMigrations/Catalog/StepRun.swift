import Synchronization

/// One step on one storage.
struct StepRun {
  private let step: AnyMigration
  private let isForced: Bool
  private let ignoresConditions: Bool
  private var migratedCount = 0
  private var staying: [MigrationResult.Staying] = []

  init(_ step: AnyMigration, isForced: Bool, ignoresConditions: Bool) {
    self.step = step
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
      step: step.id, outcome: outcome, migratedCount: migratedCount, staying: staying)
  }

  private mutating func settledOutcome(
    in storage: inout some MigrationStorage, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationResult.Outcome {
    var context = context
    let records = try asking(nil) { () throws(StorageFailure) in try storage.records() }
    context.history.formUnion(records.filter { $0.stage == .done }.map(\.id))
    if let record = records.last(where: { $0.id == step.id }),
      try isInPlace(record, of: storage)
    {
      try settle(record, in: &storage)
      if !isForced { return .alreadyDone }
    }
    let readings = SourceReadings()
    context.input = try input(of: storage, noting: readings)
    context.ignoresConditions = ignoresConditions
    switch try step.shouldMigrate(context) {
    case .migrate: break
    case .skip(let reason):
      guard isForced else { return .skipped(because: reason) }
      throw refusal(because: reason)
    case .wait(let reason):
      guard isForced else { return .waiting(because: reason) }
      throw refusal(because: reason)
    }
    let output = try step.migrate(context.input, context)
    let record = StepRecord(
      id: step.id, .begun, value: ValueDigest(of: output.value),
      replaced: try replaced(by: output, readings), moment: context.moment)
    for key in output.ignored {
      staying.append(.init(key: key, reason: "holds something else than what was taken"))
    }
    try write(output.value, record, in: &storage)
    try settle(record, in: &storage)
    return .migrated
  }

  private func refusal(because reason: String) -> MigrationFailure {
    .conditionalMigrationFailed(
      .init(step.id, "it was to be forced, but \(reason)", remedy: "see to that first"))
  }

  /// Whether what a record tells of is there. After a step is done its destination is the app's, which
  /// writes what it likes; before, only what the step was about to write counts.
  private func isInPlace(
    _ record: StepRecord, of storage: some MigrationStorage
  ) throws(MigrationFailure) -> Bool {
    guard let value = try read(step.destination, of: storage) else { return false }
    return record.stage == .done || ValueDigest(of: value) == record.value
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

  private func presence(
    at key: StorageKey, of storage: some MigrationStorage
  ) throws(MigrationFailure) -> MigrationInput.Presence {
    try asking(key) { () throws(StorageFailure) in try storage.presence(at: key) }
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
    _ value: MigrationValue, _ record: StepRecord, in storage: inout some MigrationStorage
  ) throws(MigrationFailure) {
    let destination = step.destination
    let there = try read(destination, of: storage)
    guard there == nil || there == value else {
      throw .validationFailed(
        .init(
          step.id, at: destination, "it holds something else already",
          remedy: "look which of the two is right, and move the other one away"))
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
    for source in record.replaced where source.key != step.destination {
      guard let value = try read(source.key, of: storage) else { continue }
      guard ValueDigest(of: value) == source.value else {
        staying.append(.init(key: source.key, reason: "has changed since it was used"))
        continue
      }
      try asking(source.key) { () throws(StorageFailure) in
        try storage.setAside(source.key, for: step.id)
      }
      migratedCount += 1
    }
  }

  private func asking<Answer>(
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
