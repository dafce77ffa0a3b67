import SchemaMigrations
import Testing

/// What a step used comes back, and nothing is lost on the way.
@Suite struct UndoTests {
  /// A storage in which all steps were done.
  private static func done() throws -> MemoryStorage {
    var storage = Sample.storage
    let results = try Sample.catalog().run(in: &storage, Sample.context)
    #expect(results.allSatisfy { $0.isSuccess })
    return storage
  }

  private static let ids = Sample.ids

  @Test func `steps are undone one after the other, and run again only if they are forced`() throws
  {
    let catalog = try Sample.catalog()
    var storage = try Self.done()
    let after = storage.values
    for id in Self.ids.reversed() {
      let result = try catalog.undo(id, in: &storage, Sample.context)
      #expect(result.outcome == .undone && result.isSuccess, "\(result)")
      // Twice has no second effect.
      let again = try catalog.undo(id, in: &storage, Sample.context)
      #expect(again.outcome == .skipped(because: "it was not done"))
    }
    #expect(storage.values == Sample.storage.values)
    #expect(try catalog.standings(in: storage, Sample.context).allSatisfy { $0 == .undone })
    let run = try catalog.run(in: &storage, Sample.context)
    #expect(
      run.allSatisfy { $0.outcome == .skipped(because: "it was undone: force it to run it again") })
    let forced = try catalog.run(in: &storage, Sample.context, .init(forced: Set(Self.ids)))
    #expect(forced.allSatisfy { $0.outcome == .migrated })
    #expect(storage.values == after)
    #expect(try catalog.standings(in: storage, Sample.context).allSatisfy { $0 == .applied })
  }

  @Test func `a run that failed before it wrote is nothing to undo, and the next one does it`()
    throws
  {
    let catalog = try Sample.catalog()
    let step = try #require(catalog.steps.first)
    var count = 0
    for call in 1...60 {
      var faulty = FaultyStorage(Sample.storage, .once, at: call)
      _ = try catalog.run(in: &faulty, Sample.context)
      var storage = faulty.memory
      guard try storage.records().first(where: { $0.id == step.id })?.stage == .begun,
        try storage.presence(at: step.destination) == .absent
      else { continue }
      count += 1
      let undone = try catalog.undo(step.id, in: &storage, Sample.context)
      #expect(undone.outcome == .skipped(because: "it was not done"))
      let run = try catalog.run(in: &storage, Sample.context)
      #expect(run.allSatisfy { $0.outcome == .migrated }, "\(run)")
    }
    #expect(count > 0)
  }

  @Test(arguments: [FaultyStorage.Fault.once, .killed], ids)
  func `an undoing that fails at any call loses nothing, and the next one finishes it`(
    fault: FaultyStorage.Fault, id: MigrationID
  ) throws {
    let catalog = try Sample.catalog()
    var whole = FaultyStorage(try Self.done())
    _ = try catalog.undo(id, in: &whole, Sample.context)
    let originals = Set(Sample.storage.values.values)
    #expect(whole.callCount >= 5)
    for call in 1...whole.callCount {
      var storage = FaultyStorage(try Self.done(), fault, at: call)
      let values = Set(storage.memory.values.values)
      _ = try catalog.undo(id, in: &storage, Sample.context)
      let kept = Set(Array(storage.memory.values.values) + storage.memory.aside.map(\.value))
      #expect(originals.union(values).isSubset(of: kept), "call \(call)")
      // Nobody takes a step that is half undone for done, or for one that is still to be done.
      let standing = try catalog.standings(in: storage.memory, Sample.context)[
        try #require(Self.ids.firstIndex(of: id))]
      let unfinished = MigrationStanding.unfinished(
        because: "its undoing was stopped in the middle")
      #expect([.applied, unfinished, .undone].contains(standing), "call \(call): \(standing)")
      if standing == unfinished {
        var memory = storage.memory
        // A run of all steps finishes it, and does not do the step again.
        let run = try catalog.run(in: &memory, Sample.context)
        #expect(run.allSatisfy { $0.errors.isEmpty }, "call \(call)")
        #expect(run.first { $0.step == id }?.outcome == .undone, "call \(call)")
        #expect(memory.values == whole.memory.values, "call \(call)")
      }
      var again = FaultyStorage(storage.memory)
      _ = try catalog.undo(id, in: &again, Sample.context)
      #expect(again.memory.values == whole.memory.values, "call \(call)")
    }
  }

  @Test(arguments: [FaultyStorage.Fault.once, .killed])
  func `what a step has not written is left where it was`(fault: FaultyStorage.Fault) throws {
    let catalog = try MigrationCatalog([AnyMigration(Sample.simple)])
    for isThere in [true, false] {
      var before = Sample.storage
      if isThere { before.values[Sample.simple.destination] = "ada" }
      var whole = FaultyStorage(before)
      let run = try catalog.run(in: &whole, Sample.context)[0]
      #expect(run.outcome == .migrated && run.wasThere == isThere)
      for call in 1...whole.callCount {
        var storage = FaultyStorage(before, fault, at: call)
        _ = try catalog.run(in: &storage, Sample.context)
        var memory = storage.memory
        #expect(try catalog.run(in: &memory, Sample.context)[0].isSuccess, "call \(call)")
        let undone = try catalog.undo("name", in: &memory, Sample.context)
        #expect(undone.outcome == .undone && memory.values == before.values, "call \(call)")
        #expect(undone.staying.map(\.key) == (isThere ? [Sample.simple.destination] : []))
      }
    }
    // What it wrote itself is its own, also when it runs once more.
    var storage = Sample.storage
    storage.values[Sample.older] = "ada"
    _ = try catalog.run(in: &storage, Sample.context)
    storage.values[Sample.older] = "ada"
    storage.values[Sample.simple.destination] = nil
    #expect(try catalog.run(in: &storage, Sample.context)[0].wasThere == false)
    #expect(try catalog.undo("name", in: &storage, Sample.context).outcome == .undone)
    #expect(storage.values[Sample.simple.destination] == nil)
  }

  @Test(arguments: [FaultyStorage.Fault.once, .killed])
  func `what earlier runs have used comes back, wherever the undoing fails`(
    fault: FaultyStorage.Fault
  ) throws {
    let catalog = try MigrationCatalog([AnyMigration(Sample.aggregating)])
    var done = MemoryStorage([Sample.flags[0]: true, Sample.flags[2]: "dark"])
    let before = done.values
    _ = try catalog.run(in: &done, Sample.context)
    done.values = [Sample.flags[2]: "dark"]
    // A part of what was used makes no value, unless somebody asks for that.
    let part = try catalog.run(in: &done, Sample.context)[0]
    guard case .waiting(let reason) = part.outcome else {
      Issue.record("\(part)")
      return
    }
    #expect(reason.contains("notifications is not") && reason.contains("undoing the step brings"))
    #expect(done.values == [Sample.flags[2]: "dark"])
    let standing = try catalog.standings(in: done, Sample.context)
    #expect(standing == [.waiting(because: reason)])
    let forced = try catalog.run(in: &done, Sample.context, .init(forced: ["settings"]))[0]
    #expect(forced.outcome == .migrated)
    var whole = FaultyStorage(done)
    let undone = try catalog.undo("settings", in: &whole, Sample.context)
    #expect(undone.outcome == .undone && undone.migratedCount == 2)
    #expect(whole.memory.values == before)
    for call in 1...whole.callCount {
      var storage = FaultyStorage(done, fault, at: call)
      _ = try catalog.undo("settings", in: &storage, Sample.context)
      var memory = storage.memory
      _ = try catalog.undo("settings", in: &memory, Sample.context)
      #expect(memory.values == before, "call \(call)")
    }
  }

  @Test func `what was edited since is not undone`() throws {
    let catalog = try Sample.catalog()
    var storage = try Self.done()
    storage.values[Sample.profile] = ["id": "another"]
    let before = storage.values
    let edited = try catalog.undo("profile", in: &storage, Sample.context)
    #expect(edited.errors.first?.details.reason == "it was edited since")
    #expect(storage.values == before)
    storage = try Self.done()
    storage.values[Sample.legacy] = "new"
    let occupied = try catalog.undo("profile", in: &storage, Sample.context)
    #expect(occupied.errors.first?.details.reason == "something else is there by now")
    #expect(storage.values[Sample.legacy] == "new" && storage.values[Sample.profile] != nil)
  }

  @Test func `a step whose value another one has used is undone after that`() throws {
    let first = SimpleMigration(
      id: "first", from: [MigrationSource(Sample.old)], to: StorageKey("files", "middle"))
    let second = SimpleMigration(
      id: "second", from: [MigrationSource(StorageKey("files", "middle"))],
      to: StorageKey("files", "end"))
    let catalog = try MigrationCatalog([AnyMigration(first), AnyMigration(second)])
    var storage = MemoryStorage([Sample.old: "ada"])
    _ = try catalog.run(in: &storage, Sample.context)
    // Its value went on, and it is done all the same.
    #expect(try catalog.standings(in: storage, Sample.context) == [.applied, .applied])
    #expect(try catalog.run(in: &storage, Sample.context).allSatisfy { $0.outcome == .alreadyDone })
    let early = try catalog.undo("first", in: &storage, Sample.context)
    #expect(early.errors.first?.details.remedy == "undo second first")
    for id: MigrationID in ["second", "first"] {
      #expect(try catalog.undo(id, in: &storage, Sample.context).outcome == .undone)
    }
    #expect(storage.values == [Sample.old: "ada"])
    #expect(throws: MigrationCatalogError.unknownStep("third")) {
      try catalog.undo("third", in: &storage, Sample.context)
    }
  }

  @Test func `what was not taken the first time is not taken when the value has gone on`() throws {
    let first = SimpleMigration(
      id: "first", from: [MigrationSource(Sample.old), MigrationSource(Sample.older)],
      to: StorageKey("files", "middle"))
    let second = SimpleMigration(
      id: "second", from: [MigrationSource(StorageKey("files", "middle"))],
      to: StorageKey("files", "end"))
    for steps in [[AnyMigration(first)], [AnyMigration(first), AnyMigration(second)]] {
      let catalog = try MigrationCatalog(steps)
      var storage = MemoryStorage([Sample.old: "ada", Sample.older: "Ada"])
      #expect(try catalog.run(in: &storage, Sample.context)[0].outcome == .migrated)
      // An app may take away what is its own.
      storage.values[StorageKey("files", "middle")] = nil
      let after = storage.values
      #expect(try catalog.standings(in: storage, Sample.context)[0] == .applied)
      #expect(try catalog.run(in: &storage, Sample.context)[0].outcome == .alreadyDone)
      #expect(storage.values == after && after[Sample.older] == "Ada")
      // What was used and is back, with nothing made of it, is to be done once more.
      guard steps.count == 1 else { continue }
      storage.values[Sample.old] = "ada"
      #expect(try catalog.standings(in: storage, Sample.context)[0] == .pending)
      #expect(try catalog.run(in: &storage, Sample.context)[0].outcome == .migrated)
    }
  }

  @Test func `a storage that keeps nothing says so, and the value stays`() throws {
    var storage = Forgetful(memory: Sample.storage)
    let catalog = try MigrationCatalog([AnyMigration(Sample.transforming)])
    #expect(try catalog.run(in: &storage, Sample.context)[0].outcome == .migrated)
    let undone = try catalog.undo("profile", in: &storage, Sample.context)
    #expect(undone.errors.first?.details.reason == "what was set aside cannot be brought back here")
    #expect(storage.memory.values[Sample.profile] != nil)
  }

  @Test
  func `what cannot leave its place stays, is told, and does not keep a step from its undoing`()
    throws
  {
    var storage = Fixed(memory: Sample.storage)
    let catalog = try MigrationCatalog([AnyMigration(Sample.aggregating)])
    let run = try catalog.run(in: &storage, Sample.context)
    #expect(run[0].outcome == .migrated && run[0].migratedCount == 0)
    #expect(run[0].staying.map(\.reason) == ["is only read", "is only read"])
    #expect(storage.memory.values[Sample.flags[2]] == "dark")
    storage.memory.values[Sample.flags[2]] = "light"
    #expect(try catalog.undo("settings", in: &storage, Sample.context).outcome == .undone)
    #expect(storage.memory.values[Sample.flags[2]] == "light")
    #expect(storage.memory.values[Sample.settings] == nil)
  }
}

/// A storage whose preferences are only read.
private struct Fixed: MigrationStorage {
  var memory: MemoryStorage

  func presence(at key: StorageKey) throws(StorageFailure) -> MigrationInput.Presence {
    try memory.presence(at: key)
  }
  func value(at key: StorageKey) throws(StorageFailure) -> MigrationValue? {
    try memory.value(at: key)
  }
  func reasonToStay(_ key: StorageKey) -> String? {
    key.domain == "preferences" ? "is only read" : nil
  }
  mutating func write(_ value: MigrationValue, at key: StorageKey) throws(StorageFailure) {
    try memory.write(value, at: key)
  }
  mutating func setAside(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    try memory.setAside(key, for: step)
  }
  func records() throws(StorageFailure) -> [StepRecord] { try memory.records() }
  mutating func keep(_ record: StepRecord) throws(StorageFailure) { try memory.keep(record) }
}

/// A storage that knows no way back, as one that was written before there was one.
private struct Forgetful: MigrationStorage {
  var memory: MemoryStorage

  func presence(at key: StorageKey) throws(StorageFailure) -> MigrationInput.Presence {
    try memory.presence(at: key)
  }
  func value(at key: StorageKey) throws(StorageFailure) -> MigrationValue? {
    try memory.value(at: key)
  }
  mutating func write(_ value: MigrationValue, at key: StorageKey) throws(StorageFailure) {
    try memory.write(value, at: key)
  }
  mutating func setAside(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    try memory.setAside(key, for: step)
  }
  func records() throws(StorageFailure) -> [StepRecord] { try memory.records() }
  mutating func keep(_ record: StepRecord) throws(StorageFailure) { try memory.keep(record) }
}
