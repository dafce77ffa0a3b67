import SchemaMigrations

/// What the library of declared steps costs beside the steps themselves.
struct StepMeasurements {
  private let count: Int

  /// What a type that nobody knows, and a catalogue in between, may cost.
  private static let overhead = 1.05

  init(_ size: MeasurementSize) { count = size.part(of: 50_000) }

  var rows: [Measurement] {
    [
      row("step", "entities through a step") { input, context in
        try Self.step.migrate(input, context)
      },
      row(
        "step-erased", "entities through the same step of any type",
        .ratio(Self.overhead, to: "step")
      ) { [erased = AnyMigration(Self.step)] input, context in
        try erased.migrate(input, context)
      },
      reading("value", "values read as JSON") { storage, _ in
        try storage.value(at: Self.place)
      },
      reading(
        "value-migrated", "values read through a catalogue with nothing to do",
        .ratio(Self.overhead, to: "value")
      ) { storage, catalog in
        try catalog.value(for: Self.place, in: &storage, Self.context)
      },
    ]
  }

  private static let place = StorageKey("files", "profile.json")
  private static let source = StorageKey("files", "user.json")
  private static let user: MigrationValue = [
    "id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "firstName": "Ada", "lastName": "Lovelace",
    "email": "ada@example.org", "createdAt": "2024-02-29T12:00:00+01:00",
  ]

  private static let step = TransformingMigration(
    id: "profile", from: [MigrationSource(source)], to: place,
    mapping: .object([
      .init("id", .converted(.copy("/id"), .uuid)),
      .init("fullName", .concatenated([.copy("/firstName"), .copy("/lastName")], separator: " ")),
      .init("email", .copy("/email")),
      .init("createdAt", .converted(.copy("/createdAt"), .date)),
    ]))

  private static let context = MigrationContext()

  private func row(
    _ name: String, _ work: String, _ target: Measurement.Target? = nil,
    migrate: @escaping (MigrationInput, MigrationContext) throws -> MigrationOutput
  ) -> Measurement {
    Measurement(name, "\(count) \(work)", target: target) { [count] in
      let input = MigrationInput([(Self.source, Self.user)], destination: (Self.place, nil))
      return try ProcessorTime.milliseconds {
        for _ in 0..<count { _ = try migrate(input, Self.context) }
      }
    }
  }

  private func reading(
    _ name: String, _ work: String, _ target: Measurement.Target? = nil,
    read: @escaping (inout WrittenValues, MigrationCatalog) throws -> MigrationValue?
  ) -> Measurement {
    Measurement(name, "\(count) \(work)", target: target) { [count] in
      let catalog = try MigrationCatalog([AnyMigration(Self.step)])
      var storage = WrittenValues(values: [Self.place: Self.user.canonicalJSON])
      return try ProcessorTime.milliseconds {
        for _ in 0..<count {
          guard try read(&storage, catalog) != nil else {
            throw MeasurementError.wrongResult("a value that is there was not read")
          }
        }
      }
    }
  }
}

/// Values as an app has them: as JSON, which each read parses.
private struct WrittenValues: MigrationStorage {
  var values: [StorageKey: [UInt8]]

  func presence(at key: StorageKey) -> MigrationInput.Presence {
    values[key] == nil ? .absent : .present
  }

  func value(at key: StorageKey) throws(StorageFailure) -> MigrationValue? {
    guard let bytes = values[key] else { return nil }
    do {
      return try MigrationValue(json: bytes)
    } catch {
      throw StorageFailure("\(key) is no JSON", remedy: "report this")
    }
  }

  mutating func write(_ value: MigrationValue, at key: StorageKey) {
    values[key] = value.canonicalJSON
  }

  mutating func setAside(_ key: StorageKey, for step: MigrationID) { values[key] = nil }

  mutating func bringBack(_ key: StorageKey, for step: MigrationID) throws(StorageFailure) {
    throw StorageFailure("\(key) was not set aside", remedy: "report this")
  }

  func records() -> [StepRecord] { [] }

  mutating func keep(_ record: StepRecord) {}
}
