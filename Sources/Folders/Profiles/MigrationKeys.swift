/// The names under which an app keeps in its preferences how its data came to their version.
package struct MigrationKeys: Sendable {
  /// The built-in profile of the app.
  package let profile: String
  /// Its attempts: a list of dictionaries, or data that is a JSON array of objects.
  package let runs: [StaticString]
  /// A truth value: an attempt is at work.
  package var atWork: StaticString?
  /// The version, of the data or of the app, after the last attempt that succeeded.
  package let lastVersion: StaticString
  /// The path of a backup that the app brings back when it starts next.
  package var waitingRestore: StaticString?

  /// Those of all apps with built-in profiles.
  package static let all = [
    MigrationKeys(
      profile: "ritualist",
      // The second name is that of the first builds.
      runs: ["com.ritualist.migrationHistory", "com.ritualist.migration.history"],
      lastVersion: "com.ritualist.lastSchemaVersion",
      waitingRestore: "com.ritualist.pendingRestore"),
    MigrationKeys(
      profile: "laundrytime", runs: ["migrationMetrics"], atWork: "isMigrating",
      lastVersion: "lastSuccessfulVersion"),
  ]
}
