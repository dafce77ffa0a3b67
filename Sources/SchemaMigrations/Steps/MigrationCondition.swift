/// When a step runs.
///
/// What nobody knows satisfies no comparison, and its negation neither: a condition holds, does not, or
/// cannot be told (Kleene's strong logic of three values).
public indirect enum MigrationCondition: Hashable, Sendable {
  /// The app is older than this.
  case appVersionBelow(AppVersion)
  /// The app has this version, or a newer one.
  case appVersionAtLeast(AppVersion)
  /// Something is at a source, or at the destination.
  case present(StorageKey)
  /// What is at a source has this value at a path.
  case value(at: StorageKey, ValuePath, equals: MigrationValue)
  /// The platform is one of these.
  case platform(Set<Platform>)
  /// So many bytes are free, or more.
  case freeByteCount(atLeast: Int64)
  /// A step was done.
  case done(MigrationID)
  /// All hold.
  case all([MigrationCondition])
  /// One holds.
  case any([MigrationCondition])
  /// The other does not hold.
  case not(MigrationCondition)

  /// Returns whether it holds; nil if nobody can tell.
  public func holds(in context: MigrationContext) throws(MigrationFailure) -> Bool? {
    switch self {
    case .appVersionBelow(let version): return context.appVersion.map { $0 < version }
    case .appVersionAtLeast(let version): return context.appVersion.map { $0 >= version }
    case .present(let key): return presence(of: key, in: context.input)
    case .value(let key, let path, let expected):
      guard let isPresent = presence(of: key, in: context.input) else { return nil }
      guard isPresent, let value = try context.input.value(at: key) else { return false }
      return path.value(in: value) == expected
    case .platform(let platforms): return platforms.contains(context.platform)
    case .freeByteCount(let least): return context.freeByteCount.map { $0 >= least }
    case .done(let id): return context.history.contains(id)
    case .all(let conditions):
      var isKnown = true
      for condition in conditions {
        guard let holds = try condition.holds(in: context) else {
          isKnown = false
          continue
        }
        if !holds { return false }
      }
      return isKnown ? true : nil
    case .any(let conditions):
      var isKnown = true
      for condition in conditions {
        guard let holds = try condition.holds(in: context) else {
          isKnown = false
          continue
        }
        if holds { return true }
      }
      return isKnown ? false : nil
    case .not(let condition): return try condition.holds(in: context).map { !$0 }
    }
  }

  /// Whether a step runs that has it.
  package func decision(in context: MigrationContext) throws(MigrationFailure) -> MigrationDecision
  {
    switch try holds(in: context) {
    case true: .migrate
    case false: .skip(because: "its condition does not hold: \(self)")
    case nil: .wait(because: "whether its condition holds is not known: \(self)")
    }
  }

  private func presence(of key: StorageKey, in input: MigrationInput) -> Bool? {
    let all = input.sources + [input.destination].compactMap(\.self)
    switch all.first(where: { $0.key == key })?.presence {
    case .present: return true
    case .absent: return false
    case .unreachable, nil: return nil
    }
  }
}

extension MigrationCondition: CustomStringConvertible {
  /// The condition in words.
  public var description: String {
    switch self {
    case .appVersionBelow(let version): "the app is older than \(version)"
    case .appVersionAtLeast(let version): "the app is \(version) or newer"
    case .present(let key): "something is at \(key)"
    case .value(let key, let path, _): "\(key) has the value asked for at \(path)"
    case .platform(let platforms):
      "the platform is \(platforms.map(\.rawValue).sorted().joined(separator: " or "))"
    case .freeByteCount(let least): "there is free space of at least \(least) B"
    case .done(let id): "\(id) was done"
    case .all(let conditions): Self.joined(conditions, " and ")
    case .any(let conditions): Self.joined(conditions, " or ")
    case .not(let condition): "not (\(condition))"
    }
  }

  private static func joined(_ conditions: [MigrationCondition], _ word: String) -> String {
    conditions.count == 1
      ? conditions[0].description : "(\(conditions.map(\.description).joined(separator: word)))"
  }
}

/// A step that runs only under a condition.
public struct ConditionalMigration<Base: Migration>: Migration {
  /// The step.
  public let base: Base
  /// When it runs.
  public let required: MigrationCondition

  /// Creates a step that runs only when a condition holds.
  public init(_ base: Base, if required: MigrationCondition) {
    self.base = base
    self.required = required
  }

  public var id: MigrationID { base.id }
  public var sources: [MigrationSource] { base.sources }
  public var destination: StorageKey { base.destination }
  public var risk: MigrationRisk { base.risk }
  public var platforms: Set<Platform> { base.platforms }
  public var leadDevice: String? { base.leadDevice }
  public var isConditional: Bool { true }

  public func shouldMigrate(
    _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationDecision {
    if !context.ignoresConditions {
      let decision = try required.decision(in: context)
      guard decision == .migrate else { return decision }
    }
    return try base.shouldMigrate(context)
  }

  public func migrate(
    _ input: MigrationInput, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationOutput { try base.migrate(input, context) }
}

extension Migration {
  /// Returns the step under a condition.
  public func running(if condition: MigrationCondition) -> ConditionalMigration<Self> {
    ConditionalMigration(self, if: condition)
  }
}
