/// What is at the sources of a step, and at its destination.
///
/// A value is read when it is asked for and not kept, so a step over many sources needs memory for one.
public struct MigrationInput: Sendable {
  /// What is known of a place without reading what it holds.
  public enum Presence: Hashable, Sendable {
    case absent
    case present
    /// Something may be there and nobody here can read it: it waits for whoever can.
    case unreachable(because: String)
  }

  /// Reads what is at a place.
  public typealias Reader = @Sendable (StorageKey) throws(MigrationFailure) -> MigrationValue?

  /// The sources of the step in its order, and what is known of each.
  public let sources: [(key: StorageKey, presence: Presence)]
  /// What is known of the destination; nil if the step has none.
  public let destination: (key: StorageKey, presence: Presence)?
  private let reader: Reader

  /// Creates an input of which a reader gives the values.
  public init(
    sources: [(key: StorageKey, presence: Presence)],
    destination: (key: StorageKey, presence: Presence)?, reader: @escaping Reader
  ) {
    self.sources = sources
    self.destination = destination
    self.reader = reader
  }

  /// Creates an input of values, as tests of steps need it; nil is a source that is not there.
  public init(
    _ values: [(StorageKey, MigrationValue?)] = [],
    destination: (StorageKey, MigrationValue?)? = nil
  ) {
    sources = values.map { ($0.0, $0.1 == nil ? .absent : .present) }
    self.destination = destination.map { ($0.0, $0.1 == nil ? .absent : .present) }
    var known: [StorageKey: MigrationValue] = [:]
    for (key, value) in values { known[key] = value }
    if let (key, value) = destination { known[key] = value }
    reader = { [known] key throws(MigrationFailure) in known[key] }
  }

  /// Reads what is at a source or at the destination; nil if nothing is there.
  ///
  /// Throws `storageFailed` if it cannot be read.
  public func value(at key: StorageKey) throws(MigrationFailure) -> MigrationValue? {
    try reader(key)
  }

  /// The sources that hold something, in order.
  public var present: [StorageKey] {
    sources.compactMap { $0.presence == .present ? $0.key : nil }
  }

  /// The first source that nobody here can read, and why.
  public var unreachable: (key: StorageKey, reason: String)? {
    for source in sources {
      if case .unreachable(let reason) = source.presence { return (source.key, reason) }
    }
    return nil
  }
}

/// What a step makes.
public struct MigrationOutput: Hashable, Sendable {
  /// The value of its destination.
  public var value: MigrationValue
  /// The sources whose values are in it: they leave once it is written and was read back.
  public var replaced: [StorageKey]
  /// The sources that hold something which is not in it: they stay.
  public var ignored: [StorageKey]

  /// Creates an output.
  public init(
    _ value: MigrationValue, replacing replaced: [StorageKey], ignoring ignored: [StorageKey] = []
  ) {
    self.value = value
    self.replaced = replaced
    self.ignored = ignored
  }
}

/// Whether a step is to run.
public enum MigrationDecision: Hashable, Sendable {
  case migrate
  /// Nothing is to be done here, now or later.
  case skip(because: String)
  /// Something has to happen first.
  case wait(because: String)

  /// Whether it is to run.
  public var isMigrating: Bool { self == .migrate }
}
