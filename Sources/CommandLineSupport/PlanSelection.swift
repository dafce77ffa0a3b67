import ArgumentParser
import Diagnostics
package import Folders
package import SchemaMigrations

/// The plans that a command is given, as one list of steps, and what is said of these on its line.
package struct PlanSelection {
  /// The plans.
  package let plans: [Plan]
  private let files: [String]

  /// Reads plan files. The profile that one names is a given one, or a built-in one.
  package init(files: [String], profile given: Profile?) throws {
    self.files = files
    plans = try files.map { file in
      try Plan(file: file) { name in given?.name == name ? given : Profile.builtIn(named: name) }
    }
    var known: Set<MigrationID> = []
    for (plan, file) in zip(plans, files) {
      if let first = plans.first, plan.profile.name != first.profile.name {
        throw ValidationError(
          "\(file) is for \(plan.profile.name), and \(files[0]) for \(first.profile.name)")
      }
      for step in plan.steps where !known.insert(step.id).inserted {
        throw ValidationError("\(file): another plan has a step \(step.id), too")
      }
    }
  }

  /// The kinds that the steps are about.
  package var kinds: EntityKinds? {
    plans.first.map { EntityKinds($0.profile, givenAs: $0.profile.name) }
  }

  /// Returns a step that an option names.
  package func step(_ id: String, of option: String) throws -> EntityStep {
    let steps = plans.compactMap { $0.step(MigrationID(rawValue: id)) }
    guard let step = steps.first else {
      throw ValidationError("\(option): no step is called \(id)")
    }
    return step
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
