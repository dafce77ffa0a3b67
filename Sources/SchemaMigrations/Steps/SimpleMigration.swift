/// A value that moves: the first of its sources that holds one wins.
///
/// A later source whose value is equal leaves with it; one that holds something else stays, and is told.
public struct SimpleMigration: Migration {
  public let id: MigrationID
  public let sources: [MigrationSource]
  public let destination: StorageKey
  public let platforms: Set<Platform>
  public let leadDevice: String?

  /// Creates a step that moves the first value that is there.
  public init(
    id: MigrationID, from sources: [MigrationSource], to destination: StorageKey,
    platforms: Set<Platform> = [], leadDevice: String? = nil
  ) {
    self.id = id
    self.sources = sources
    self.destination = destination
    self.platforms = platforms
    self.leadDevice = leadDevice
  }

  public func migrate(
    _ input: MigrationInput, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationOutput {
    try FirstValue(of: input, for: id).output { value throws(MigrationFailure) in value }
  }
}

/// The first value among the sources of a step.
struct FirstValue {
  let step: MigrationID
  let key: StorageKey
  let value: MigrationValue
  private let replaced: [StorageKey]
  private let ignored: [StorageKey]

  /// Throws if a source cannot be read: its value could be the one that wins.
  init(of input: MigrationInput, for step: MigrationID) throws(MigrationFailure) {
    var first: (key: StorageKey, value: MigrationValue)?
    var replaced: [StorageKey] = []
    var ignored: [StorageKey] = []
    for key in input.present {
      guard let value = try input.value(at: key) else { continue }
      if let first, first.value != value {
        ignored.append(key)
      } else {
        first = first ?? (key, value)
        replaced.append(key)
      }
    }
    guard let first else { throw .nothing(for: step) }
    self.step = step
    (key, value) = first
    self.replaced = replaced
    self.ignored = ignored
  }

  func output(
    _ transform: (MigrationValue) throws(MigrationFailure) -> MigrationValue
  ) throws(MigrationFailure) -> MigrationOutput {
    MigrationOutput(try transform(value), replacing: replaced, ignoring: ignored)
  }
}

extension MigrationFailure {
  static func nothing(for step: MigrationID) -> MigrationFailure {
    .sourceDataNotFound(
      Details(
        step, MigrationDecision.noSource,
        remedy:
          "look whether the data is where the step expects it; a device without it needs no step"))
  }
}
