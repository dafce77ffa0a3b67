import SchemaMigrations

/// The steps that most apps need one of, each of its kind.
enum Sample {
  static let old = StorageKey("preferences", "username")
  static let older = StorageKey("files", "name.json")
  static let profile = StorageKey("files", "profile.json")
  static let legacy = StorageKey("files", "user.json")
  static let settings = StorageKey("files", "settings.json")

  static let simple = SimpleMigration(
    id: "name", from: [MigrationSource(old, owner: "the app"), MigrationSource(older)],
    to: StorageKey("files", "username.json"))

  /// `{id firstName lastName email createdAt}` to `{id fullName email createdAt updatedAt preferences}`.
  static let transforming = TransformingMigration(
    id: "profile", from: [MigrationSource(legacy)], to: profile,
    mapping: .object([
      .init("id", .converted(.copy("/id"), .uuid)),
      .init(
        "fullName", .concatenated([.copy("/firstName"), .copy("/lastName")], separator: " ")),
      .init("email", .copy("/email")),
      .init("createdAt", .converted(.copy("/createdAt"), .date)),
      .init("updatedAt", .parameter("at")),
      .init(
        "preferences",
        .constant(["notifications": true, "theme": "system", "language": "en"])),
    ]))

  static let flags = ["notifications", "autoBackup", "theme"].map { StorageKey("preferences", $0) }

  static let aggregating = AggregatingMigration(
    id: "settings", from: flags.map { MigrationSource($0) }, to: settings
  ) { value, key, next throws(MigrationFailure) in
    guard var object = value.object else { return }
    object[key.name] = next ?? (key.name == "theme" ? "system" : false)
    value = .object(object)
  } finish: { value, context throws(MigrationFailure) in
    guard var object = value.object else { return value }
    object["version"] = "2.0"
    object["lastUpdated"] = context.parameters["at"]
    return .object(object)
  }

  static let at: MigrationValue = "2026-01-01T00:00:00.000Z"

  static var context: MigrationContext {
    var context = MigrationContext(appVersion: AppVersion("1.9"), platform: .linux, host: "desk")
    context.parameters["at"] = at
    return context
  }

  static let user: MigrationValue = [
    "id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "firstName": "Ada", "lastName": "Lovelace",
    "email": "ada@example.com", "createdAt": "2024-02-29T12:00:00+01:00",
  ]

  static var storage: MemoryStorage {
    MemoryStorage([
      old: "ada", older: "Ada", legacy: user, flags[0]: true, flags[2]: "dark",
    ])
  }

  /// The steps of the catalogue.
  static let ids: [MigrationID] = ["name", "profile", "settings"]

  static func catalog() throws -> MigrationCatalog {
    try MigrationCatalog([
      AnyMigration(simple),
      AnyMigration(transforming.running(if: .appVersionBelow(try version("2.0.0")))),
      AnyMigration(aggregating),
    ])
  }

  /// A version that is known to be one.
  static func version(_ text: String) throws -> AppVersion {
    guard let version = AppVersion(text) else { throw NoVersion(text: text) }
    return version
  }

  struct NoVersion: Error { let text: String }
}
