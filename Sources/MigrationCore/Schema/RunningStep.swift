import FolderDocuments
import SchemaMigrations

/// A step as it runs over the data of a folder.
struct RunningStep: Sendable {
  /// Over which entities it runs.
  enum Reach: Hashable, Sendable {
    /// Over all.
    case all
    /// Over those that it has not seen.
    case late
    /// Over those that show that it was not done to them: for all others it is taken as done.
    case rest
    /// Over none: it is taken as done.
    case none
  }

  /// Its number among those of the run.
  let number: Int
  /// Its number among those of the plans.
  let place: Int
  let reach: Reach
  /// Whether it was done, and only sees what one before it makes of entities that came later.
  var isFollowing = false
  var stage: StepStage

  /// What its changes say.
  var note: StepNote { StepNote(id: stage.step.id.rawValue, checksum: stage.step.checksum) }

  /// Whether it has to see all entities before it changes the first, or makes some.
  var seesAll: Bool {
    switch reach {
    case .all: !stage.step.folds.isEmpty || !stage.step.creations.isEmpty
    case .late: !stage.step.creations.isEmpty
    case .rest: stage.step.makesOthers
    case .none: false
    }
  }
}
