import SchemaMigrations

// What is said of the data of a stream, before anybody has looked at it.
extension PlanStanding {
  /// The version that the data has before steps run.
  var versionBefore: Int? { taken ?? version }
}
