import Diagnostics
import Folders
import Runs
import SchemaMigrations

/// What shows in an entity that a step was not done, whatever is noted of it.
struct StepTraces {
  /// A property that is not there any more after a step.
  struct Trace {
    let step: MigrationID
    let property: String
    let source: Source

    /// What says that the step was done.
    enum Source {
      case noted
      /// A baseline.
      case baseline
      /// The version of the data, and nothing else.
      case version
    }
  }

  private var traces: [EntityKind: [Trace]] = [:]
  private let version: Int?

  /// Looks at the steps that were done before, and at those that are taken as done, be it by the version of the
  /// data.
  init(
    _ options: SchemaOptions, _ before: SchemaRecord?, _ after: SchemaRecord, version: Int?,
    _ kinds: EntityKinds
  ) {
    self.version = version
    let steps = options.steps
    for (index, step) in steps.enumerated() where !options.forced.contains(step.id) {
      let source: Trace.Source
      if before?.steps.contains(where: { $0.id == step.id.rawValue }) == true {
        source = .noted
      } else if after.steps.contains(where: { $0.id == step.id.rawValue }) {
        source = .baseline
      } else if step.leads(to: version) {
        source = .version
      } else {
        continue
      }
      for kind in Set(step.mappings.map(\.kind)).sorted() {
        guard let found = kinds.kind(named: Array(kind.utf8).span) else { continue }
        for property in steps.goneProperties(after: index, of: kind) {
          // What steps have made since may have it.
          let isMade = steps[index...].contains { maker in
            maker.makes(property, of: kind)
              && after.steps.contains { $0.id == maker.id.rawValue }
          }
          if isMade { continue }
          traces[found, default: []].append(
            Trace(step: step.id, property: property, source: source))
        }
      }
    }
  }

  /// Looks at the steps that will have been done, where some run that are forced: what is written shows none
  /// that it was not.
  init(forced options: SchemaOptions, _ after: SchemaRecord, _ kinds: EntityKinds) {
    var told = options
    told.forced = []
    // Without one that is forced what was read before shows that.
    if options.forced.isEmpty { told.plans = [] }
    self.init(told, after, after, version: after.version, kinds)
  }

  /// Whether there is anything to look for in entities of a kind.
  func concern(_ kind: EntityKind) -> Bool { traces[kind] != nil }

  /// Returns the first trace that an entity shows.
  func firstTrace(in entity: ChangingEntity) -> Trace? {
    traces[entity.kind]?.first { trace in
      let value = entity.fields.value(named: Array(trace.property.utf8), of: entity.tape)
      return value != nil && value != .null
    }
  }

  /// The error that data does not fit the version that it is taken for.
  func misfit(_ trace: Trace, in entity: ChangingEntity, _ kinds: EntityKinds) -> MigrationError {
    let said = trace.source == .version ? version : nil
    return .underlying(
      Diagnostic(
        .conflictsWithData, subject: kinds.title(entity.kind, entity.identity),
        problem: "\(trace.property) is there, which is gone after \(trace.step)"
          + (said.map { ", and the data is said to be of version \($0)" } ?? ""),
        remedy: "name \(said == nil ? "an earlier step" : "the version that it has") with "
          + "--baseline, and let the others run"))
  }
}

extension EntityStep {
  /// Whether data of a version has seen it, if it is one between versions.
  func leads(to version: Int?) -> Bool {
    guard let versions, let version else { return false }
    return versions.to <= version
  }
}
