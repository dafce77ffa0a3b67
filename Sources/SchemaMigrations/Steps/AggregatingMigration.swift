/// Many values that become one.
///
/// It runs only if a source holds something and the destination nothing. The values come one after the
/// other, in the order of the sources, so there is never more than one in memory; a source that cannot be
/// read stops the step, and all of them stay.
public struct AggregatingMigration: Migration {
  /// Takes the next value; nil stands for a source that holds nothing.
  public typealias Combine =
    @Sendable (inout MigrationValue, StorageKey, MigrationValue?) throws(MigrationFailure) -> Void
  /// Makes the value of the destination of what was combined.
  public typealias Finish =
    @Sendable (MigrationValue, MigrationContext) throws(MigrationFailure) -> MigrationValue

  public let id: MigrationID
  public let sources: [MigrationSource]
  public let destination: StorageKey
  public let platforms: Set<Platform>
  public let leadDevice: String?
  private let initial: MigrationValue
  private let combine: Combine
  private let finish: Finish

  /// Creates a step.
  ///
  /// - Parameters:
  ///   - initial: what the first source is combined with.
  ///   - combine: called for each source in order; may throw `aggregationFailed`.
  ///   - finish: called once, behind the last source.
  public init(
    id: MigrationID, from sources: [MigrationSource], to destination: StorageKey,
    platforms: Set<Platform> = [], leadDevice: String? = nil,
    initial: MigrationValue = .object(MigrationObject()), combine: @escaping Combine,
    finish: @escaping Finish = { value, _ throws(MigrationFailure) in value }
  ) {
    self.id = id
    self.sources = sources
    self.destination = destination
    self.platforms = platforms
    self.leadDevice = leadDevice
    self.initial = initial
    self.combine = combine
    self.finish = finish
  }

  public func shouldMigrate(
    _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationDecision {
    let decision = standardDecision(in: context)
    guard decision == .migrate else { return decision }
    switch context.input.destination?.presence {
    case .present: return .skip(because: "its destination holds something")
    case .unreachable(let reason):
      return .wait(because: "\(destination) cannot be read here: \(reason)")
    case .absent, nil: return .migrate
    }
  }

  public func migrate(
    _ input: MigrationInput, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationOutput {
    var value = initial
    var replaced: [StorageKey] = []
    for source in input.sources {
      let next = source.presence == .present ? try input.value(at: source.key) : nil
      do throws(MigrationFailure) {
        try combine(&value, source.key, next)
      } catch {
        throw error.naming(source.key)
      }
      if next != nil { replaced.append(source.key) }
    }
    guard !replaced.isEmpty else { throw .nothing(for: id) }
    return MigrationOutput(try finish(value, context), replacing: replaced)
  }
}
