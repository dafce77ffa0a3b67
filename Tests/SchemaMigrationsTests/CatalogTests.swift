import SchemaMigrations
import Testing

/// Catalogues of steps on storages that work, that fail, and that are stopped.
@Suite struct CatalogTests {
  @Test func `each step does its work, and its sources are set aside`() throws {
    var storage = Sample.storage
    let results = try Sample.catalog().run(in: &storage, Sample.context)
    #expect(results.map(\.outcome) == [.migrated, .migrated, .migrated])
    #expect(results.map(\.migratedCount) == [1, 1, 2])
    #expect(storage.values[Sample.simple.destination] == "ada")
    #expect(
      storage.values[Sample.profile] == [
        "id": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "fullName": "Ada Lovelace",
        "email": "ada@example.com", "createdAt": "2024-02-29T11:00:00Z",
        "updatedAt": Sample.at,
        "preferences": ["notifications": true, "theme": "system", "language": "en"],
      ])
    #expect(
      storage.values[Sample.settings] == [
        "notifications": true, "autoBackup": false, "theme": "dark", "version": "2.0",
        "lastUpdated": Sample.at,
      ])
    // The second source holds something else than the one that won: it stays, and is told.
    #expect(storage.values[Sample.older] == "Ada")
    #expect(results[0].staying.map(\.key) == [Sample.older])
    #expect(results[0].metadata["stays files:name.json"] != nil)
    #expect(
      storage.aside.map(\.key)
        == [Sample.old, Sample.legacy, Sample.flags[0], Sample.flags[2]])
  }

  @Test func `a second run changes nothing`() throws {
    var storage = Sample.storage
    _ = try Sample.catalog().run(in: &storage, Sample.context)
    let before = storage.values
    let results = try Sample.catalog().run(in: &storage, Sample.context)
    #expect(results.map(\.outcome) == [.alreadyDone, .alreadyDone, .alreadyDone])
    #expect(storage.values == before)
    // What the app writes there later is its own.
    storage.values[Sample.settings] = ["theme": "light"]
    let later = try Sample.catalog().run(in: &storage, Sample.context)
    #expect(later[2].outcome == .alreadyDone)
    #expect(storage.values[Sample.settings] == ["theme": "light"])
  }

  @Test(arguments: [FaultyStorage.Fault.once, .killed])
  func `wherever a storage fails nothing is lost, and the next run completes it`(
    fault: FaultyStorage.Fault
  ) throws {
    let catalog = try Sample.catalog()
    var whole = FaultyStorage(Sample.storage)
    _ = try catalog.run(in: &whole, Sample.context)
    #expect(whole.callCount >= 40)
    for call in 1...whole.callCount {
      var storage = FaultyStorage(Sample.storage, fault, at: call)
      let results = try catalog.run(in: &storage, Sample.context)
      #expect(results.contains { !$0.errors.isEmpty }, "call \(call)")
      let kept = Set(storage.memory.values.values).union(storage.memory.aside.map(\.value))
      #expect(Set(Sample.storage.values.values).isSubset(of: kept), "call \(call)")

      var again = FaultyStorage(storage.memory)
      let completed = try catalog.run(in: &again, Sample.context)
      let isWhole = completed.allSatisfy { $0.isSuccess }
      #expect(isWhole, "call \(call): \(completed)")
      #expect(again.memory.values == whole.memory.values, "call \(call)")
      #expect(again.memory.aside.count == whole.memory.aside.count, "call \(call)")
    }
  }

  @Test func `a step behind one that failed is not begun`() throws {
    var storage = Sample.storage
    storage.values[Sample.legacy] = ["id": "no UUID"]
    let results = try Sample.catalog().run(in: &storage, Sample.context)
    #expect(results[0].outcome == .migrated)
    let failure = try #require(results[1].errors.first)
    guard case .transformationFailed(let details) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(details.step == "profile" && details.source == Sample.legacy)
    #expect(details.reason == "\"no UUID\" cannot be made a value of type uuid")
    #expect(results[2].outcome == .notBegun)
    #expect(storage.values[Sample.legacy] != nil && storage.values[Sample.profile] == nil)
  }

  @Test func `a destination that holds something else is refused`() throws {
    var storage = Sample.storage
    storage.values[Sample.simple.destination] = "grace"
    let catalog = try MigrationCatalog([AnyMigration(Sample.simple)])
    let results = try catalog.run(in: &storage, Sample.context)
    guard case .validationFailed = results[0].errors.first else {
      Issue.record("\(results)")
      return
    }
    #expect(storage.values[Sample.old] == "ada")
    storage.values[Sample.simple.destination] = "ada"
    #expect(try catalog.run(in: &storage, Sample.context)[0].outcome == .migrated)
    #expect(storage.values[Sample.old] == nil)
  }

  @Test func `a source that cannot be read stops a step and makes another one wait`() throws {
    var storage = Sample.storage
    storage.unreachable[Sample.old] = "it is in the keychain"
    let results = try Sample.catalog().run(in: &storage, Sample.context)
    #expect(
      results[0].outcome
        == .waiting(because: "preferences:username cannot be read here: it is in the keychain"))
    #expect(!results[0].isSuccess && results[1].outcome == .migrated)
    #expect(storage.values[Sample.older] == "Ada")
  }

  @Test func `a source that changed since it was used stays`() throws {
    var storage = Sample.storage
    let catalog = try MigrationCatalog([AnyMigration(Sample.aggregating)])
    var stopped = FaultyStorage(storage)
    _ = try catalog.run(in: &stopped, Sample.context)
    let calls = stopped.callCount
    // The last call sets the last source aside.
    stopped = FaultyStorage(storage, .killed, at: calls)
    _ = try catalog.run(in: &stopped, Sample.context)
    storage = stopped.memory
    #expect(storage.values[Sample.flags[2]] == "dark" && storage.aside.count == 1)
    let unfinished = MigrationStanding.unfinished(
      because: "what it used is still there, and is set aside by the next run: theme")
    #expect(try catalog.standings(in: storage, Sample.context) == [unfinished])
    storage.values[Sample.flags[2]] = "light"
    #expect(try catalog.standings(in: storage, Sample.context) == [.applied])
    let results = try catalog.run(in: &storage, Sample.context)
    #expect(results[0].outcome == .alreadyDone)
    #expect(results[0].staying.map(\.reason) == ["has changed since it was used"])
    #expect(storage.values[Sample.flags[2]] == "light")
  }

  @Test func `a step is not applied while what it used is still there`() throws {
    let catalog = try MigrationCatalog([AnyMigration(Sample.aggregating)])
    var whole = FaultyStorage(Sample.storage)
    _ = try catalog.run(in: &whole, Sample.context)
    for call in 1...whole.callCount {
      var storage = FaultyStorage(Sample.storage, .killed, at: call)
      _ = try catalog.run(in: &storage, Sample.context)
      let isThere = Sample.flags.contains { storage.memory.values[$0] != nil }
      let standing = try catalog.standings(in: storage.memory, Sample.context)[0]
      #expect((standing == .applied) == !isThere, "call \(call): \(standing)")
    }
    // Whoever writes the same again has it set aside again, and hears of it.
    var storage = whole.memory
    storage.values[Sample.flags[0]] = true
    #expect(try catalog.standings(in: storage, Sample.context)[0] != .applied)
    let again = try catalog.run(in: &storage, Sample.context)[0]
    #expect(again.outcome == .alreadyDone && again.migratedCount == 1)
    #expect(try catalog.standings(in: storage, Sample.context) == [.applied])
    // Where nothing of the value is left any more nothing is taken away.
    storage.values[Sample.flags[0]] = false
    storage.values[Sample.settings] = nil
    let stays = try catalog.run(in: &storage, Sample.context)[0]
    #expect(stays.staying.map(\.reason) == ["has changed since it was used"])
    #expect(storage.values[Sample.flags[0]] == false)
  }

  // MARK: Catalogues

  @Test func `steps that are in each other's way make no catalogue`() throws {
    let simple = AnyMigration(Sample.simple)
    func step(_ id: MigrationID, _ source: StorageKey, _ destination: StorageKey) -> AnyMigration {
      AnyMigration(SimpleMigration(id: id, from: [MigrationSource(source)], to: destination))
    }
    #expect(throws: MigrationCatalogError.duplicateID("name")) {
      try MigrationCatalog([simple, simple])
    }
    let one = try MigrationCatalog([step("one", Sample.old, Sample.profile)])
    #expect(
      throws: MigrationCatalogError.duplicateDestination(Sample.profile, "one", "two")
    ) {
      try MigrationCatalog(
        composing: [one, MigrationCatalog([step("two", Sample.older, Sample.profile)])])
    }
    #expect(throws: MigrationCatalogError.circularSource(Sample.old, "one")) {
      try MigrationCatalog([step("one", Sample.old, Sample.old)])
    }
    #expect(throws: MigrationCatalogError.circularSource(Sample.profile, "one")) {
      try MigrationCatalog([
        step("one", Sample.profile, Sample.settings), step("two", Sample.old, Sample.profile),
      ])
    }
  }

  @Test func `a value is made by the steps that lead to it, and by no other`() throws {
    let middle = StorageKey("files", "middle.json")
    let catalog = try MigrationCatalog([
      AnyMigration(
        SimpleMigration(id: "first", from: [MigrationSource(Sample.old)], to: middle)),
      AnyMigration(Sample.aggregating),
      AnyMigration(
        TransformingMigration(
          id: "second", from: [MigrationSource(middle)], to: Sample.profile,
          mapping: .object([.init("name", .copy(""))]))),
    ])
    var storage = Sample.storage
    #expect(
      try catalog.value(for: Sample.profile, in: &storage, Sample.context) == ["name": "ada"])
    #expect(storage.values[Sample.settings] == nil)
    // What is there is given, and nothing is run.
    var known = FaultyStorage(storage, .killed, at: 2)
    #expect(try catalog.value(for: Sample.profile, in: &known, Sample.context) == ["name": "ada"])
    #expect(known.callCount == 1)
    var nothing = MemoryStorage()
    #expect(try catalog.value(for: Sample.profile, in: &nothing, Sample.context) == nil)
    #expect(try catalog.value(for: Sample.older, in: &storage, Sample.context) == "Ada")
  }

  @Test func `only one run is at work`() throws {
    var storage = Sample.storage
    try storage.beginRun()
    let results = try Sample.catalog().run(in: &storage, Sample.context)
    guard case .migrationInProgress = results[0].errors.first else {
      Issue.record("\(results)")
      return
    }
    #expect(results.dropFirst().allSatisfy { $0.outcome == .notBegun })
    #expect(storage.values == Sample.storage.values)
  }

  @Test func `a step that is forced still asks for its condition`() throws {
    let catalog = try Sample.catalog()
    var context = Sample.context
    context.appVersion = AppVersion("2.0")
    var storage = Sample.storage
    #expect(
      try catalog.run(in: &storage, context)[1].outcome
        == .skipped(because: "its condition does not hold: the app is older than 2.0"))
    let forced = try catalog.run(in: &storage, context, .init(forced: ["profile"]))
    guard case .conditionalMigrationFailed = forced[1].errors.first else {
      Issue.record("\(forced)")
      return
    }
    #expect(storage.values[Sample.profile] == nil)
    let ignoring = try catalog.run(
      in: &storage, context, .init(forced: ["profile"], ignoringConditions: ["profile"]))
    #expect(ignoring[1].outcome == .migrated)

    #expect(throws: MigrationCatalogError.unknownStep("none")) {
      try catalog.run(in: &storage, context, .init(forced: ["none"]))
    }
    #expect(throws: MigrationCatalogError.noCondition("name")) {
      try catalog.run(
        in: &storage, context, .init(forced: ["name"], ignoringConditions: ["name"]))
    }
  }

  @Test func `durations are those of the caller's clock`() throws {
    var storage = Sample.storage
    #expect(try Sample.catalog().run(in: &storage, Sample.context)[0].duration == nil)
    storage = Sample.storage
    let results = try Sample.catalog().run(
      in: &storage, Sample.context, .init(elapsed: { .seconds(3) }))
    #expect(results[0].duration == .zero)
  }

  // MARK: Lies

  /// A step that says it used what it did not read.
  private struct Liar: Migration {
    let id: MigrationID = "liar"
    let sources = [MigrationSource(Sample.old), MigrationSource(Sample.older)]
    let destination = Sample.profile
    let claimed: StorageKey

    func migrate(
      _ input: MigrationInput, _ context: MigrationContext
    ) throws(MigrationFailure) -> MigrationOutput {
      let value = try input.value(at: Sample.old)
      return MigrationOutput(value ?? nil, replacing: [claimed])
    }
  }

  @Test(arguments: [(Sample.old, true), (Sample.older, false), (Sample.legacy, false)])
  func `what a step says it used must be a source that it read`(
    claimed: StorageKey, isTrue: Bool
  ) throws {
    var storage = Sample.storage
    let results = try MigrationCatalog([AnyMigration(Liar(claimed: claimed))]).run(
      in: &storage, Sample.context)
    #expect(results[0].isSuccess == isTrue)
    #expect((storage.values[Sample.profile] != nil) == isTrue)
    #expect(storage.aside.count == (isTrue ? 1 : 0))
  }

  @Test func `a step sees its sources and its destination, and nothing else`() throws {
    let step = TransformingMigration(
      id: "curious", from: [MigrationSource(Sample.old)], to: Sample.profile
    ) { _, context throws(MigrationFailure) in
      #expect(try context.input.value(at: Sample.profile) == nil)
      return try context.input.value(at: Sample.legacy) ?? nil
    }
    var storage = Sample.storage
    let result = try MigrationCatalog([AnyMigration(step)]).run(in: &storage, Sample.context)[0]
    guard case .validationFailed(let details) = result.errors.first else {
      Issue.record("\(result)")
      return
    }
    #expect(details.source == Sample.legacy && storage.values == Sample.storage.values)
  }

  /// A storage that writes something else.
  private struct Forgetful: MigrationStorage {
    var memory = Sample.storage
    func presence(at key: StorageKey) throws(StorageFailure) -> MigrationInput.Presence {
      try memory.presence(at: key)
    }
    func value(at key: StorageKey) throws(StorageFailure) -> MigrationValue? {
      try memory.value(at: key)
    }
    mutating func write(_ value: MigrationValue, at key: StorageKey) throws(StorageFailure) {
      try memory.write("something else", at: key)
    }
    mutating func setAside(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
      try memory.setAside(key, for: step)
    }
    func records() throws(StorageFailure) -> [StepRecord] { try memory.records() }
    mutating func keep(_ record: StepRecord) throws(StorageFailure) { try memory.keep(record) }
  }

  @Test func `sources leave only after the value was read back`() throws {
    var storage = Forgetful()
    let results = try Sample.catalog().run(in: &storage, Sample.context)
    guard case .storageFailed(let details) = results[0].errors.first else {
      Issue.record("\(results)")
      return
    }
    #expect(details.source == Sample.simple.destination)
    #expect(storage.memory.values[Sample.old] == "ada" && storage.memory.aside.isEmpty)
  }
}
