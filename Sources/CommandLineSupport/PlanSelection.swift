import ArgumentParser
import Diagnostics
package import Folders
package import MigrationCore
package import SchemaMigrations

/// The plans that a command is given, as one list of steps, and what is said of these on its line.
package struct PlanSelection {
  /// The plans.
  package let plans: [Plan]
  private let files: [String]

  /// Reads plan files. The profile that one names is a given one, or a built-in one.
  package init(files: [String], profile given: Profile?) throws {
    self.files = files
    var plans: [Plan] = []
    for file in files {
      plans.append(
        try Plan(file: file, after: plans.flatMap(\.places)) { name in
          given?.name == name ? given : Profile.builtIn(named: name)
        })
    }
    self.plans = plans
    var known: Set<MigrationID> = []
    for (plan, file) in zip(plans, files) {
      if let first = plans.first, plan.profile?.name != first.profile?.name {
        throw ValidationError(
          "\(file) is for \(plan.subject), and \(files[0]) for \(first.subject)")
      }
      if plans.count > 1, plan.layoutStep != nil {
        throw ValidationError("\(file) gives records another layout, and runs alone")
      }
      for id in plan.ids where !known.insert(id).inserted {
        throw ValidationError("\(file): another plan has a step \(id), too")
      }
    }
  }

  /// The kinds that the steps are about; nil if they are about places.
  package var kinds: EntityKinds? {
    plans.first?.profile.map { EntityKinds($0, givenAs: $0.name) }
  }

  /// Whether the steps are about files and preferences, and not about entities.
  package var isOfPlaces: Bool { plans.contains { !$0.places.isEmpty } }

  /// The layout that a step gives to records; nil if none does.
  package var layout: DocumentLayout? { plans.lazy.compactMap(\.layoutStep?.layout).first }

  /// Refuses a stream for steps over places, and for a layout.
  package func require(isStream: Bool) throws {
    if layout != nil, isStream {
      throw ValidationError("the plan is about the documents of a folder: name one")
    }
    if isOfPlaces, isStream {
      throw ValidationError("the plan is about files and preferences: name a folder")
    }
  }

  /// Returns up to where an option takes steps as done: up to one, or up to a version.
  package func baseline(_ text: String) throws -> SchemaOptions.Baseline {
    let id = MigrationID(rawValue: text)
    if plans.contains(where: { $0.ids.contains(id) }) { return .step(id) }
    let versions = plans.flatMap(\.steps).compactMap(\.versions).flatMap { [$0.from, $0.to] }
    guard let version = Int(text), versions.contains(version) else {
      throw ValidationError("--baseline: no step is called \(text), or leads to such a version")
    }
    return .version(version)
  }

  /// Returns a step that an option names.
  package func step(_ id: String, of option: String) throws -> MigrationID {
    let found = MigrationID(rawValue: id)
    guard plans.contains(where: { $0.ids.contains(found) }) else {
      throw ValidationError("\(option): no step is called \(id)")
    }
    return found
  }

  /// Whether a step has a condition.
  package func hasCondition(_ id: MigrationID) -> Bool {
    plans.contains { plan in
      plan.step(id)?.condition != nil
        || plan.places.contains { $0.id == id && $0.migration.isConditional }
    }
  }

  /// Returns the values of parameters, given as `NAME=VALUE`.
  package func parameters(_ values: [String]) throws -> MigrationObject {
    var object = MigrationObject()
    let known = plans.flatMap(\.parameters)
    for text in values {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let parameter = known.first(where: { $0.name == parts[0] }) else {
        throw ValidationError(
          "--set \(text): write NAME=VALUE with a name that a plan has"
            + (known.isEmpty ? "; it has none" : ": " + known.map(\.name).joined(separator: ", ")))
      }
      guard let value = parameter.value(String(parts[1])) else {
        throw ValidationError("--set \(text): that is no value of type \(parameter.kind.rawValue)")
      }
      object[parameter.name] = value
    }
    return object
  }
}

extension Plan {
  /// The names of its steps.
  fileprivate var ids: [MigrationID] { steps.map(\.id) + places.map(\.id) }

  /// What it is about, for messages.
  fileprivate var subject: String { profile?.name ?? "files and preferences" }
}
