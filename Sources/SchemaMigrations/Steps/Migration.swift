/// A step that makes one value of others.
///
/// An app writes `id`, `sources`, `destination` and `migrate`; the rest has defaults: every platform and
/// device runs it, as soon as something is at a source. A step sees its input and its context, and
/// nothing else. What it makes is written, read back and noted by whoever runs it.
public protocol Migration: Sendable {
  /// What names the step, for good.
  var id: MigrationID { get }
  /// What it takes its value from, the most important one first.
  var sources: [MigrationSource] { get }
  /// Where its value goes.
  var destination: StorageKey { get }
  /// What it does to data that an older version of the app still reads.
  var risk: MigrationRisk { get }
  /// Where it runs; empty means everywhere.
  var platforms: Set<Platform> { get }
  /// The host of the only device that runs it; nil means each.
  var leadDevice: String? { get }
  /// Whether it has a condition, which whoever forces it may have ignored.
  var isConditional: Bool { get }

  /// Returns whether the step is to run; `context.input` tells what is there.
  func shouldMigrate(_ context: MigrationContext) throws(MigrationFailure) -> MigrationDecision
  /// Makes the value.
  func migrate(
    _ input: MigrationInput, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationOutput
}

extension Migration {
  /// Transformative: what it made can be made back.
  public var risk: MigrationRisk { .transformative }
  /// Everywhere.
  public var platforms: Set<Platform> { [] }
  /// Every device.
  public var leadDevice: String? { nil }
  /// It has none.
  public var isConditional: Bool { false }

  /// Asks for platform, lead device and presence, in that order.
  public func shouldMigrate(
    _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationDecision { standardDecision(in: context) }

  /// What every step asks for, whatever else it does: platform, lead device and presence, in that order.
  public func standardDecision(in context: MigrationContext) -> MigrationDecision {
    let decision = context.decision(on: platforms, leadDevice: leadDevice)
    guard decision == .migrate else { return decision }
    if let (key, reason) = context.input.unreachable {
      return .wait(because: "\(key) cannot be read here: \(reason)")
    }
    if context.input.present.isEmpty { return .skip(because: MigrationDecision.noSource) }
    return .migrate
  }
}

extension MigrationDecision {
  /// Why a step is skipped that has nothing to make a value of.
  package static let noSource = "nothing is at its sources"
}

extension MigrationContext {
  /// Whether a step runs here that is for some platforms, or for one device.
  package func decision(on platforms: Set<Platform>, leadDevice: String?) -> MigrationDecision {
    if !platforms.isEmpty, !platforms.contains(platform) {
      let names = platforms.map(\.rawValue).sorted().joined(separator: ", ")
      return .skip(because: "it is for \(names), and this is \(platform)")
    }
    if let leadDevice, leadDevice != host { return .wait(because: "only \(leadDevice) may run it") }
    return .migrate
  }
}

/// A step of any type.
///
/// It calls the step through closures, so that a list of steps needs no existential.
public struct AnyMigration: Migration {
  public let id: MigrationID
  public let sources: [MigrationSource]
  public let destination: StorageKey
  public let risk: MigrationRisk
  public let platforms: Set<Platform>
  public let leadDevice: String?
  public let isConditional: Bool
  private let decide: @Sendable (MigrationContext) throws(MigrationFailure) -> MigrationDecision
  private var make:
    @Sendable (MigrationInput, MigrationContext) throws(MigrationFailure) -> MigrationOutput

  /// Creates it of a step.
  public init(_ step: some Migration) {
    id = step.id
    sources = step.sources
    destination = step.destination
    risk = step.risk
    platforms = step.platforms
    leadDevice = step.leadDevice
    isConditional = step.isConditional
    decide = { context throws(MigrationFailure) in try step.shouldMigrate(context) }
    make = { input, context throws(MigrationFailure) in try step.migrate(input, context) }
  }

  public func shouldMigrate(
    _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationDecision { try decide(context) }

  public func migrate(
    _ input: MigrationInput, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationOutput { try make(input, context) }

  /// Returns the step as one that fails unless all of some tests hold for what it makes: then nothing is
  /// written, and its sources stay.
  public func keeping(_ promises: [ValueTest]) -> AnyMigration {
    var step = self
    step.make = { [id, make] input, context throws(MigrationFailure) in
      let output = try make(input, context)
      let scope = ExpressionScope(output.value, parameters: context.parameters)
      for (index, promise) in promises.enumerated() {
        let holds: Bool
        do throws(ConversionDefect) {
          holds = try promise.holds(in: scope)
        } catch {
          throw .validationFailed(
            .init(id, error.description, remedy: "mend the value, or what the step promises"))
        }
        if holds { continue }
        throw .validationFailed(
          .init(
            id, "what it promises does not hold of what it would write (promise \(index + 1))",
            remedy: "mend the value, or the step"))
      }
      return output
    }
    return step
  }
}
