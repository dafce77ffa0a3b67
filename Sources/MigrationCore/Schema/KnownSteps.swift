import Folders
import SchemaMigrations

/// What some data says of the steps that were done to it.
struct KnownSteps {
  /// The steps that were done, as they are noted.
  var record = SchemaRecord()
  /// The version of the data; nil if nobody says.
  var version: Int?
  /// The versions that what is in the data fits.
  var fit = Fit.unknown
  /// The names of steps that were done and undone.
  var undone: Set<String> = []
  /// Of steps that were done: how many entities have come from elsewhere as they were before.
  var lateCounts: [String: Int] = [:]
  /// Of steps that were done: of how many entities nothing shows whether they are as before it or after it.
  var doubtfulCounts: [String: Int] = [:]
  /// The names of steps that were done whose totals do not hold what came later.
  var unheld: Set<String> = []
  /// The names of steps that were done and have changed nothing: they were only taken as done, or there was
  /// nothing for them.
  var withoutEffect: Set<String> = []
  /// By the name of a step, how many entities undoing it has taken away while they were edited elsewhere.
  var editedAway: [String: Int] = [:]
  /// Whether there is nothing in which it could be noted that a step was done.
  var isEmpty = false
  /// Why no step can run on the data as it is; nil if they can.
  var obstacle: String?
  /// The names of those that a run was at that was stopped while it changed the data.
  var unfinished: Set<String> = []
  /// Whether that was an undoing.
  var isUndoing = false
  /// Whether such a run is finished now, or was a moment ago.
  var isFinishing = false
  /// The version that the data was taken for by the last run with a baseline; nil if nobody says.
  var taken: Int?
  /// The names of steps that were done and of which the data shows nothing any more: it is as before them.
  var lost: Set<String> = []

  /// The versions that what is in some data fits.
  enum Fit: Hashable {
    /// Nobody has looked.
    case unknown
    /// There is none that all of it fits.
    case none
    case versions(ClosedRange<Int>)
  }

  /// Of documents: the steps that were done over the folder's JSON files, of which no document says whether
  /// it was made of these before or after.
  var doneOverFiles: [SchemaRecord.Step] = []

  /// Likewise by the name of such a step: how many entities show that it was not done to them, or have not what
  /// it makes for each.
  var restCounts: [String: Int] = [:]
  /// Likewise the names of steps with folds that would put together some of those that show it.
  var restFolds: [String: Set<String>] = [:]
  /// The names of steps of which some runs were undone on another device that had not those which stand.
  var partlyUndone: Set<String> = []

  /// Knows nothing.
  init() {}

  /// Knows what the first line of a stream says.
  init(_ header: StreamHeader) {
    record = header.schema ?? SchemaRecord()
    version = header.version
  }

  /// How many entities of a step have come from elsewhere.
  func lateCount(of step: MigrationID) -> Int { lateCounts[step.rawValue] ?? 0 }

  /// Of how many entities nothing shows whether they are as before a step or after it.
  func doubtfulCount(of step: MigrationID) -> Int { doubtfulCounts[step.rawValue] ?? 0 }

  /// Whether what is in the data is known to fit a version.
  func fits(_ version: Int) -> Bool {
    if case .versions(let range) = fit { range.contains(version) } else { false }
  }

  /// Returns the version to which those of some steps lead that were done; nil if none of them says one.
  func versionNoted(by steps: [EntityStep]) -> Int? {
    steps.last { step in
      step.versions != nil && record.steps.contains { $0.id == step.id.rawValue }
    }?.versions?.to
  }

  /// Takes the version from the steps that were done, or from what the data fits where none of them says
  /// it. What fits is known in any case: nothing that was done before makes other data of it.
  ///
  /// - Parameter fitting: nil if nothing fits.
  mutating func findVersion(_ steps: [EntityStep], fitting: @autoclosure () -> ClosedRange<Int>?) {
    version = versionNoted(by: steps) ?? version
    if steps.contains(where: { $0.versions != nil }) {
      fit = fitting().map { .versions($0) } ?? .none
      if version == nil, case .versions(let range) = fit, range.count == 1 {
        version = range.lowerBound
      }
    }
    record.version = version
  }
}
