package import SchemaMigrations

/// How it stands with a step.
package struct StepStanding: Hashable, Sendable {
  /// The words for it.
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// It was done, or the data is of a later version.
    case applied
    /// It runs, or would.
    case pending
    /// It cannot run here or now.
    case waiting
    /// It is for other systems or data; nothing has to be done.
    case skipped
    /// A run was stopped in the middle of it; the next one finishes it.
    case unfinished
    /// It was undone.
    case undone
    /// It was done as another step of this name.
    case edited
    /// It was done, and no plan has it.
    case unknown
  }

  /// The step.
  package let id: MigrationID
  /// How it stands.
  package let state: State
  /// Why, in words; empty where the state says it.
  package let reason: String
  /// Whether it comes behind the last step that was asked for, so that it does not run.
  package let isBeyond: Bool

  /// A step that was done as another one of its name.
  static func edited(_ id: MigrationID) -> StepStanding {
    StepStanding(
      id: id, state: .edited, reason: "it was done as another step: give the new one another id")
  }

  init(id: MigrationID, state: State, reason: String, isBeyond: Bool = false) {
    (self.id, self.state, self.reason, self.isBeyond) = (id, state, reason, isBeyond)
  }
}
