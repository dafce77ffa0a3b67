import FolderDocuments
import Folders
import SafeFiles
import SchemaMigrations

extension StepSurvey {
  /// What one document says.
  struct Document: Sendable {
    /// Its number in the inventory; nil if a step of the run makes it.
    var file: Int?
    let path: RelativePath
    let kind: EntityKind
    let state: FileState?
    /// The steps that were done in it and not undone.
    var done: [SchemaRecord.Step] = []
    /// The names of those of them that have changed something.
    var withEffect: Set<String> = []
    /// The names of those that were undone.
    var undone: [String] = []
    /// Likewise those of which other runs stand, which have not found them undone.
    var partlyUndone: Set<String> = []
    /// By the name of a step that was undone, the entities that this has taken away while they were edited
    /// elsewhere.
    var editedAway: [String: [Identity]] = [:]
    /// Likewise those of them that the step has made anew since, as they are told.
    var remade: [String: [String]] = [:]
    /// The names of steps that were undone, so that entities are gone which they have made.
    var takenAway: Set<String> = []
    /// What undoing a step hides of what was edited elsewhere meanwhile.
    var hidden: [HiddenEdits.Edit] = []
    /// How many of its entities are not as a step has left them that was done.
    var counts = Counts()
    /// The numbers of the steps that make others for entities of it, and have not seen all of these.
    var unseenSources: Set<Int> = []
    /// The numbers of the steps with folds that have to do with entities of it, and have not seen all of these.
    var unfolded: Set<Int> = []
    /// Whether no step was ever done in it, or undone.
    var isUntouched = false
    /// The versions that its entities fit; nil if no step is between versions.
    var versions: FittingVersions?

    /// Whether a step was done in it.
    func holds(_ step: EntityStep) -> Bool {
      done.contains { $0.id == step.id.rawValue && $0.checksum == step.checksum }
    }
  }

  /// How many entities of a document are not as steps have left them that were done, by the number of the
  /// step.
  struct Counts: Sendable {
    /// Those that a step has not seen.
    var late: [Int: Int] = [:]
    /// Those that show again what a step takes away.
    var revived: [Int: Int] = [:]
    /// Those that hold again what a step rewrites.
    var rewritten: [Int: Int] = [:]
    /// Those that a step has not seen or has made, and would change, and show not whether it should.
    var doubtful: [Int: Int] = [:]
  }
}
