import SchemaMigrations
import Testing

/// What decides whether a step runs, and what it makes.
@Suite struct StepTests {
  @Test func `versions are compared part by part`() throws {
    let versions = ["0", "1.9", "1.9.1", "2", "2.0.1", "2.1", "10.0"].map { AppVersion($0) }
    let known = versions.compactMap(\.self)
    #expect(known.count == versions.count)
    #expect(known.sorted() == known && Set(known).count == known.count)
    #expect(AppVersion("2.0") == AppVersion("2.0.0"))
    #expect(AppVersion("2.0.0")?.description == "2.0")
    for text in ["", ".", "1.", "1..2", "1.x", "-1", "+1", "1.2-beta", "99999999999999999999"] {
      #expect(AppVersion(text) == nil, "\(text)")
    }
    #expect(AppVersion(repeatElement("1", count: 17).joined(separator: ".")) == nil)
  }

  @Test func `what is not known satisfies no comparison, and its negation neither`() throws {
    let two = try Sample.version("2.0")
    var context = MigrationContext(platform: .macOS)
    let below = MigrationCondition.appVersionBelow(two)
    let yes = MigrationCondition.platform([.macOS, .iOS])
    let no = MigrationCondition.platform([.watchOS])
    let table: [(MigrationCondition, Bool?)] = [
      (below, nil), (.not(below), nil), (.appVersionAtLeast(two), nil),
      (.freeByteCount(atLeast: 0), nil), (.all([yes, below]), nil), (.all([no, below]), false),
      (.all([below, no]), false), (.any([below, yes]), true), (.any([no, below]), nil),
      (.any([no, no]), false), (.all([]), true), (.any([]), false), (.not(no), true),
      (.done("name"), false),
    ]
    for (condition, expected) in table {
      #expect(try condition.holds(in: context) == expected, "\(condition)")
    }
    context.appVersion = AppVersion("1.9.9")
    context.freeByteCount = 10
    context.history = ["name"]
    #expect(try below.holds(in: context) == true)
    #expect(try MigrationCondition.not(below).holds(in: context) == false)
    #expect(try MigrationCondition.freeByteCount(atLeast: 11).holds(in: context) == false)
    #expect(try MigrationCondition.done("name").holds(in: context) == true)
  }

  @Test func `a condition on a value reads it, and only if it is there`() throws {
    let key = Sample.legacy
    func holds(_ value: MigrationValue?, _ path: ValuePath) throws -> Bool? {
      let condition = MigrationCondition.value(at: key, path, equals: 1)
      return try condition.holds(
        in: MigrationContext().seeing(MigrationInput([(key, value)])))
    }
    #expect(try holds(["a": [0, 1]], "/a/1") == true)
    #expect(try holds(["a": 2], "/a") == false)
    #expect(try holds(nil, "/a") == false)
    #expect(try MigrationCondition.present(key).holds(in: MigrationContext()) == nil)
  }

  @Test(arguments: [Platform.linux, .watchOS])
  func `a step for another platform is skipped`(platform: Platform) throws {
    let step = SimpleMigration(
      id: "watch", from: [MigrationSource(Sample.old)], to: Sample.profile, platforms: [.watchOS])
    var storage = Sample.storage
    var context = Sample.context
    context.platform = platform
    let result = try MigrationCatalog([AnyMigration(step)]).run(in: &storage, context)[0]
    #expect(
      result.outcome
        == (platform == .watchOS
          ? .migrated : .skipped(because: "it is for watchOS, and this is Linux")))
  }

  @Test func `only the lead device runs what it alone may run`() throws {
    let step = SimpleMigration(
      id: "lead", from: [MigrationSource(Sample.old)], to: Sample.profile, leadDevice: "laptop")
    var storage = Sample.storage
    let catalog = try MigrationCatalog([AnyMigration(step)])
    #expect(
      try catalog.run(in: &storage, Sample.context)[0].outcome
        == .waiting(because: "only laptop may run it"))
    var context = Sample.context
    context.host = "laptop"
    #expect(try catalog.run(in: &storage, context)[0].outcome == .migrated)
  }

  @Test func `several values become one only where there is none`() throws {
    let catalog = try MigrationCatalog([AnyMigration(Sample.aggregating)])
    var storage = Sample.storage
    storage.values[Sample.settings] = ["theme": "light"]
    #expect(
      try catalog.run(in: &storage, Sample.context)[0].outcome
        == .skipped(because: "its destination holds something"))
    storage = MemoryStorage()
    #expect(
      try catalog.run(in: &storage, Sample.context)[0].outcome
        == .skipped(because: "nothing is at its sources"))
    #expect(storage.values.isEmpty)
  }

  @Test func `a step that cannot combine a value leaves all of them`() throws {
    let step = AggregatingMigration(
      id: "sum", from: Sample.flags.map { MigrationSource($0) }, to: Sample.settings,
      initial: 0
    ) { sum, _, next throws(MigrationFailure) in
      guard next == nil || next == true else {
        throw .aggregationFailed(.init("sum", "is no flag", remedy: "look at it"))
      }
      sum = 1
    }
    var storage = Sample.storage
    let result = try MigrationCatalog([AnyMigration(step)]).run(in: &storage, Sample.context)[0]
    #expect(result.errors.first?.details.source == Sample.flags[2])
    #expect(result.errors.first?.description == "sum at preferences:theme: is no flag: look at it")
    #expect(storage.values == Sample.storage.values)
  }
}
