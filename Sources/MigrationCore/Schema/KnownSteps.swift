import Folders
import SchemaMigrations

/// What some data says of the steps that were done to it.
struct KnownSteps {
  /// The steps that were done, as they are noted.
  var record = SchemaRecord()
  /// The version of the data; nil if nobody says.
  var version: Int?
  /// The versions that what is in the data fits; nil if nobody has looked.
  var fittingVersions: ClosedRange<Int>?
  /// The names of steps that were done and undone.
  var undone: Set<String> = []
  /// Of steps that were done: how many entities have come from elsewhere as they were before.
  var lateCounts: [String: Int] = [:]
  /// Why no step can run on the data as it is; nil if they can.
  var obstacle: String?
  /// The names of those that a run was at that was stopped while it changed the data.
  var unfinished: Set<String> = []

  /// Knows nothing.
  init() {}

  /// Knows what the first line of a stream says.
  init(_ header: StreamHeader) {
    record = header.schema ?? SchemaRecord()
    version = header.version
  }

  /// How many entities of a step have come from elsewhere.
  func lateCount(of step: MigrationID) -> Int { lateCounts[step.rawValue] ?? 0 }

  /// Takes the version from the steps that were done, or from what the data fits where none was.
  ///
  /// - Parameter fitting: nil if nobody has looked, or nothing fits.
  mutating func findVersion(_ steps: [EntityStep], fitting: @autoclosure () -> ClosedRange<Int>?) {
    for step in steps where record.steps.contains(where: { $0.id == step.id.rawValue }) {
      version = step.versions?.to ?? version
    }
    if record.steps.isEmpty, undone.isEmpty, steps.contains(where: { $0.versions != nil }) {
      fittingVersions = fitting()
      if let range = fittingVersions, range.count == 1 { version = range.lowerBound }
    }
    record.version = version
  }
}
