/// Steps in the order in which they run, and what runs them.
///
/// A step is done in this order, so that it can be stopped at any instant and run again: record what is to
/// be written, write it, read it back, record that, and only then set the sources aside.
public struct MigrationCatalog: Sendable {
  /// The steps in order.
  public let steps: [AnyMigration]

  /// Creates a catalogue. Throws if two steps have one name or one destination, or if one reads what it
  /// or a later one writes.
  public init(_ steps: [AnyMigration]) throws(MigrationCatalogError) {
    var ids: Set<MigrationID> = []
    var destinations: [StorageKey: MigrationID] = [:]
    for step in steps {
      guard ids.insert(step.id).inserted else { throw .duplicateID(step.id) }
      if let other = destinations.updateValue(step.id, forKey: step.destination) {
        throw .duplicateDestination(step.destination, other, step.id)
      }
    }
    var written: Set<StorageKey> = []
    for step in steps {
      for key in step.sources.flatMap({ [$0.key, $0.key.whole].compactMap(\.self) })
      where destinations[key] != nil {
        guard written.contains(key) else { throw .circularSource(key, step.id) }
      }
      written.insert(step.destination)
    }
    self.steps = steps
  }

  /// Creates a catalogue of the steps of several, as `init(_:)` does.
  public init(composing catalogs: [MigrationCatalog]) throws(MigrationCatalogError) {
    try self.init(catalogs.flatMap(\.steps))
  }

  /// What a run is asked for.
  public struct RunOptions: Sendable {
    /// The steps that run although a record says that they were done.
    public var forced: Set<MigrationID>
    /// Those of them whose conditions are taken to hold.
    public var ignoringConditions: Set<MigrationID>
    /// The last step that runs; nil if all do.
    public var last: MigrationID?
    /// Returns the time since any fixed instant; nil means that durations are not told.
    public var elapsed: (@Sendable () -> Duration)?

    /// Creates options.
    public init(
      forced: Set<MigrationID> = [], ignoringConditions: Set<MigrationID> = [],
      last: MigrationID? = nil, elapsed: (@Sendable () -> Duration)? = nil
    ) {
      self.forced = forced
      self.ignoringConditions = ignoringConditions
      self.last = last
      self.elapsed = elapsed
    }
  }

  /// Runs the steps, in order, up to the first that fails; returns what became of each. A step waits, too,
  /// while one before it waits that would write what it reads, and that is not there.
  public func run(
    in storage: inout some MigrationStorage, _ context: MigrationContext,
    _ options: RunOptions = RunOptions()
  ) throws(MigrationCatalogError) -> [MigrationResult] {
    let named = options.forced.union(options.ignoringConditions)
    for id in named.union(options.last.map { [$0] } ?? []) {
      guard steps.contains(where: { $0.id == id }) else { throw .unknownStep(id) }
    }
    for step in steps where options.ignoringConditions.contains(step.id) {
      guard step.isConditional, options.forced.contains(step.id) else {
        throw .noCondition(step.id)
      }
    }
    let end = steps.firstIndex { $0.id == options.last } ?? steps.endIndex - 1
    return run(steps.prefix(end + 1), in: &storage, context, options)
  }

  /// Returns the value at the destination of a step; if nothing is there, after running that step and
  /// those whose destinations it reads. Nil if there is still nothing.
  ///
  /// Throws what kept a step from running.
  public func value(
    for key: StorageKey, in storage: inout some MigrationStorage, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationValue? {
    // Most values are there: then no step is looked for.
    if let value = try read(key, of: storage) { return value }
    guard let step = steps.last(where: { $0.destination == key }) else { return nil }
    for result in run(leading(to: step)[...], in: &storage, context, RunOptions()) {
      if case .failed(let failure) = result.outcome { throw failure }
    }
    return try read(key, of: storage)
  }

  /// Returns how it stands with each step, in order; nothing is written. A step that reads what one before
  /// it is still to write stands as long as that as one without a source.
  ///
  /// Throws what keeps anybody from telling.
  public func standings(
    in storage: some MigrationStorage, _ context: MigrationContext
  ) throws(MigrationFailure) -> [MigrationStanding] {
    try survey(storage, context).map(\.standing)
  }

  /// Returns how it stands with each step, and which of its sources stay for good though it was done.
  package func survey(
    _ storage: some MigrationStorage, _ context: MigrationContext
  ) throws(MigrationFailure) -> [(standing: MigrationStanding, staying: [MigrationResult.Staying])]
  {
    var found: [(standing: MigrationStanding, staying: [MigrationResult.Staying])] = []
    var waiting: [AnyMigration] = []
    for step in steps {
      var run = StepRun(step, of: steps, behind: waiting)
      let standing = try run.standing(in: storage, context)
      if case .waiting = standing { waiting.append(step) }
      found.append((standing, run.staying))
    }
    return found
  }

  /// Brings the sources of a step back to where they were, then sets its value aside.
  ///
  /// Refuses where something else is at one of these places by now, or a later step was done that reads the
  /// value. What was stopped in the middle is finished when it is called again.
  public func undo(
    _ id: MigrationID, in storage: inout some MigrationStorage, _ context: MigrationContext
  ) throws(MigrationCatalogError) -> MigrationResult {
    guard let index = steps.firstIndex(where: { $0.id == id }) else { throw .unknownStep(id) }
    do throws(StorageFailure) {
      try storage.beginRun()
    } catch {
      return MigrationResult(step: id, outcome: .failed(MigrationFailure(error, at: nil, of: id)))
    }
    defer { storage.endRun() }
    let readers = steps[(index + 1)...].filter { later in
      later.sources.contains { $0.key.isPart(of: steps[index].destination) }
    }
    var run = StepRun(steps[index], of: steps, isForced: true, ignoresConditions: true)
    return run.undo(in: &storage, context, readers: readers.map(\.id))
  }

  /// A step behind those whose destinations it reads, in the order of the catalogue.
  private func leading(to step: AnyMigration) -> [AnyMigration] {
    var wanted: Set<StorageKey> = [step.destination]
    var chosen: [AnyMigration] = []
    for step in steps.reversed() where wanted.contains(step.destination) {
      chosen.append(step)
      wanted.formUnion(step.sources.flatMap { [$0.key, $0.key.whole].compactMap(\.self) })
    }
    return chosen.reversed()
  }

  private func read(
    _ key: StorageKey, of storage: some MigrationStorage
  ) throws(MigrationFailure) -> MigrationValue? {
    try MigrationFailure.wrapping(
      at: key, of: steps.last { $0.destination == key }?.id ?? "value"
    ) { () throws(StorageFailure) in try storage.value(at: key) }
  }

  private func run(
    _ chosen: ArraySlice<AnyMigration>, in storage: inout some MigrationStorage,
    _ context: MigrationContext,
    _ options: RunOptions
  ) -> [MigrationResult] {
    var results: [MigrationResult] = []
    do throws(StorageFailure) {
      try storage.beginRun()
    } catch {
      return chosen.enumerated().map { place, step in
        MigrationResult(
          step: step.id,
          outcome: place == 0 ? .failed(MigrationFailure(error, at: nil, of: step.id)) : .notBegun)
      }
    }
    defer { storage.endRun() }
    var hasFailed = false
    var waiting: [AnyMigration] = []
    var written: Set<StorageKey> = []
    for step in chosen {
      guard !hasFailed else {
        results.append(MigrationResult(step: step.id, outcome: .notBegun))
        continue
      }
      let start = options.elapsed?()
      var run = StepRun(
        step, of: steps, isForced: options.forced.contains(step.id),
        ignoresConditions: options.ignoringConditions.contains(step.id), behind: waiting,
        after: written)
      var result = run.perform(in: &storage, context)
      if let start, let end = options.elapsed?() { result.duration = end - start }
      hasFailed = !result.errors.isEmpty
      if case .waiting = result.outcome { waiting.append(step) }
      if result.outcome == .migrated { written.insert(step.destination) }
      results.append(result)
    }
    return results
  }
}

extension MigrationFailure {
  /// What a storage says, of a step.
  init(_ failure: StorageFailure, at key: StorageKey?, of step: MigrationID) {
    let details = Details(step, at: key, failure.reason, remedy: failure.remedy)
    self = failure.isBusy ? .migrationInProgress(details) : .storageFailed(details)
  }

  /// Asks a storage something, and throws what it says as a failure of a step.
  static func wrapping<Answer>(
    at key: StorageKey?, of step: @autoclosure () -> MigrationID,
    _ question: () throws(StorageFailure) -> Answer
  ) throws(MigrationFailure) -> Answer {
    do throws(StorageFailure) {
      return try question()
    } catch {
      throw MigrationFailure(error, at: key, of: step())
    }
  }
}
