/// A value that gets another form: the first of its sources that holds one wins, as in a simple step.
public struct TransformingMigration: Migration {
  /// Makes a value of another one.
  public typealias Transform =
    @Sendable (MigrationValue, MigrationContext) throws(MigrationFailure) -> MigrationValue

  public let id: MigrationID
  public let sources: [MigrationSource]
  public let destination: StorageKey
  public let risk: MigrationRisk
  public let platforms: Set<Platform>
  public let leadDevice: String?
  private let transform: Transform

  /// Creates a step of a closure, which may throw `transformationFailed` or `incompatibleTypes`.
  public init(
    id: MigrationID, from sources: [MigrationSource], to destination: StorageKey,
    risk: MigrationRisk = .transformative, platforms: Set<Platform> = [],
    leadDevice: String? = nil, _ transform: @escaping Transform
  ) {
    self.id = id
    self.sources = sources
    self.destination = destination
    self.risk = risk
    self.platforms = platforms
    self.leadDevice = leadDevice
    self.transform = transform
  }

  /// Creates a step of an expression over the value.
  public init(
    id: MigrationID, from sources: [MigrationSource], to destination: StorageKey,
    risk: MigrationRisk = .transformative, platforms: Set<Platform> = [],
    leadDevice: String? = nil, mapping expression: ValueExpression
  ) {
    self.init(
      id: id, from: sources, to: destination, risk: risk, platforms: platforms,
      leadDevice: leadDevice
    ) { value, context throws(MigrationFailure) in
      try expression.made(of: value, context, by: id) { .transformationFailed($0) }
    }
  }

  public func migrate(
    _ input: MigrationInput, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationOutput {
    let first = try FirstValue(of: input, for: id)
    return try first.output { value throws(MigrationFailure) in
      do throws(MigrationFailure) {
        return try transform(value, context)
      } catch {
        throw error.naming(first.key)
      }
    }
  }
}

extension MigrationFailure {
  /// The failure, with a source if it names none.
  func naming(_ source: StorageKey) -> MigrationFailure {
    var details = details
    details.source = details.source ?? source
    return switch self {
    case .validationFailed: .validationFailed(details)
    case .transformationFailed: .transformationFailed(details)
    case .storageFailed: .storageFailed(details)
    case .conditionalMigrationFailed: .conditionalMigrationFailed(details)
    case .migrationInProgress: .migrationInProgress(details)
    case .sourceDataNotFound: .sourceDataNotFound(details)
    case .incompatibleTypes: .incompatibleTypes(details)
    case .aggregationFailed: .aggregationFailed(details)
    }
  }
}

extension ValueExpression {
  /// Returns what it makes of a value; throws if that is nothing, or the value is of another type.
  func made(
    of value: MigrationValue, _ context: MigrationContext, by id: MigrationID,
    failing: (MigrationFailure.Details) -> MigrationFailure
  ) throws(MigrationFailure) -> MigrationValue {
    let made: MigrationValue?
    do throws(ConversionDefect) {
      made = try self.value(in: ExpressionScope(value, parameters: context.parameters))
    } catch {
      throw failing(
        .init(id, error.description, remedy: "mend the value, or let the step map it another way"))
    }
    guard let made else {
      throw failing(
        .init(
          id, "its expression gives nothing",
          remedy: "give it a value for what is absent, with `first`"))
    }
    return made
  }
}
