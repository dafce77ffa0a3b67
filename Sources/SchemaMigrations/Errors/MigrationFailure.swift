/// Why a step did not do what it is for. Its sources are where they were.
public enum MigrationFailure: Error, Hashable, Sendable {
  /// What the step made, or what is at its destination, is not what may be there.
  case validationFailed(Details)
  /// A value could not be made into another one.
  case transformationFailed(Details)
  /// Something could not be read, written or read back.
  case storageFailed(Details)
  /// The condition of a step could not be evaluated, or does not hold for one that must run.
  case conditionalMigrationFailed(Details)
  /// Another run is at work.
  case migrationInProgress(Details)
  /// Nothing is at any source.
  case sourceDataNotFound(Details)
  /// A value is of another type than the step is declared for.
  case incompatibleTypes(Details)
  /// Several values could not be made into one.
  case aggregationFailed(Details)

  /// What happened, where, and what to do.
  public struct Details: Hashable, Sendable {
    /// The step.
    public var step: MigrationID
    /// The source or destination that it is about, if it is one.
    public var source: StorageKey?
    /// What happened.
    public var reason: String
    /// What to do next.
    public var remedy: String

    /// Creates details.
    public init(_ step: MigrationID, at source: StorageKey? = nil, _ reason: String, remedy: String)
    {
      self.step = step
      self.source = source
      self.reason = reason
      self.remedy = remedy
    }
  }

  /// What happened, where, and what to do.
  public var details: Details {
    switch self {
    case .validationFailed(let details), .transformationFailed(let details),
      .storageFailed(let details), .conditionalMigrationFailed(let details),
      .migrationInProgress(let details), .sourceDataNotFound(let details),
      .incompatibleTypes(let details), .aggregationFailed(let details):
      details
    }
  }
}

extension MigrationFailure: CustomStringConvertible {
  /// A sentence for a person: where, what happened, what to do.
  public var description: String {
    let details = details
    let place = details.source.map { " at \($0)" } ?? ""
    return "\(details.step)\(place): \(details.reason): \(details.remedy)"
  }
}

/// Why steps cannot make up a catalogue, or cannot be run as it was asked for; nothing was read.
public enum MigrationCatalogError: Error, Hashable, Sendable {
  /// Two steps have one name.
  case duplicateID(MigrationID)
  /// Two steps write to one place.
  case duplicateDestination(StorageKey, MigrationID, MigrationID)
  /// What a step writes is what it, or a step before it, takes its value from.
  case circularSource(StorageKey, MigrationID)
  /// A step was to be forced, or its condition ignored, that is none of the catalogue.
  case unknownStep(MigrationID)
  /// The condition of a step was to be ignored that has none, or that was not to be forced.
  case noCondition(MigrationID)
}

extension MigrationCatalogError: CustomStringConvertible {
  /// A sentence for a person.
  public var description: String {
    switch self {
    case .duplicateID(let id): "two steps are called \(id): give one of them another name"
    case .duplicateDestination(let key, let first, let second):
      "\(first) and \(second) both write \(key): let one of them write elsewhere"
    case .circularSource(let key, let id):
      "\(id) takes its value from \(key), which it or a later step writes: let it read elsewhere"
    case .unknownStep(let id): "no step is called \(id): look at the names of the catalogue"
    case .noCondition(let id):
      "\(id) is not forced, or has no condition to be ignored: leave that out"
    }
  }
}
