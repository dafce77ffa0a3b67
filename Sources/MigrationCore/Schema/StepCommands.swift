import Folders
import SchemaMigrations

/// What is printed to have steps done once more, such that it works as it is printed: a step between versions runs
/// only behind those before it that were undone, too, and one behind which another was done with `--out-of-order`.
struct StepCommands {
  private let steps: [EntityStep]
  private let done: Set<MigrationID>
  private let undone: Set<MigrationID>

  /// - Parameters:
  ///   - steps: those of the plans, in order.
  ///   - isDone: whether one was done.
  ///   - isUndone: whether one was undone wherever it was done.
  init(
    _ steps: [EntityStep], isDone: (EntityStep) -> Bool, isUndone: (EntityStep) -> Bool
  ) {
    self.steps = steps
    done = Set(steps.filter(isDone).map(\.id))
    undone = Set(steps.filter(isUndone).map(\.id)).subtracting(done)
  }

  /// Returns what undoes steps, and then does them and others once more, one command behind the other.
  ///
  /// - Parameters:
  ///   - undoing: the steps that are undone, in the order in which they were done.
  ///   - between: what is to be done between the two.
  func commands(
    undoing: [MigrationID], forcing forced: Set<MigrationID>, between: [String] = []
  ) -> [String] {
    undoing.reversed().map { "--undo \($0)" } + between
      + forces(forced, undoing: Set(undoing)).map { force in
        "--force \(force.id)" + (force.isOvertaken ? Self.allowance : "")
      }
  }

  /// Returns the options that do steps once more in one run.
  func options(forcing forced: Set<MigrationID>) -> String {
    let forces = forces(forced, undoing: [])
    return forces.map { "--force \($0.id)" }.joined(separator: " ")
      + (forces.contains(where: \.isOvertaken) ? Self.allowance : "")
  }

  private static let allowance = " --out-of-order"

  private func forces(
    _ forced: Set<MigrationID>, undoing: Set<MigrationID>
  ) -> [(id: MigrationID, isOvertaken: Bool)] {
    let standing = done.subtracting(undoing)
    let last = steps.lastIndex { $0.versions != nil && forced.contains($0.id) } ?? 0
    return steps.enumerated().compactMap { place, step in
      let comesFirst = place < last && step.versions != nil && undone.contains(step.id)
      guard forced.contains(step.id) || comesFirst else { return nil }
      let isOvertaken =
        !standing.contains(step.id)
        && steps[(place + 1)...].contains { standing.contains($0.id) }
      return (step.id, isOvertaken)
    }
  }
}

extension PlanStanding {
  /// What is printed to have steps done once more.
  func commands(_ options: SchemaOptions) -> StepCommands {
    StepCommands(options.steps) { step in
      record.steps.contains { $0.id == step.id.rawValue }
    } isUndone: { step in
      known.undone.contains(step.id.rawValue)
    }
  }
}
