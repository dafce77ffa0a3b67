public import SchemaMigrations

/// The steps of an app that keeps notes: where its values were, and where they are now.
public enum NotesMigrations {
  /// The name under which the user signs notes.
  public static let author = StorageKey("files", "author.json")
  /// What the user chose in the app.
  public static let settings = StorageKey("files", "settings.json")

  /// All steps, in order.
  public static func catalog() throws(MigrationCatalogError) -> MigrationCatalog {
    try MigrationCatalog([
      AnyMigration(AuthorMigration()),
      AnyMigration(settingsMigration.running(if: .done("author"))),
    ])
  }

  /// Two preferences become one file.
  private static var settingsMigration: AggregatingMigration {
    AggregatingMigration(
      id: "settings",
      from: ["fontSize", "showsPreview"].map {
        MigrationSource(StorageKey("preferences", $0), owner: "Notes 1")
      },
      to: settings
    ) { value, key, next throws(MigrationFailure) in
      guard var object = value.object else { return }
      object[key.name] = next
      value = .object(object)
    }
  }
}

/// A step in the app's own words: `{"first": …, "last": …}` becomes one text.
struct AuthorMigration: Migration {
  let id: MigrationID = "author"
  let sources = [
    MigrationSource(
      StorageKey("files", "user.json"), owner: "Notes 1", description: "who the user is")
  ]
  let destination = NotesMigrations.author

  func migrate(
    _ input: MigrationInput, _ context: MigrationContext
  ) throws(MigrationFailure) -> MigrationOutput {
    let source = sources[0].key
    guard let user = try input.value(at: source)?.object else {
      throw .incompatibleTypes(
        .init(id, at: source, "it is no object", remedy: "look at the file; nothing has changed"))
    }
    let names = ["first", "last"].compactMap { user[$0]?.text }
    return MigrationOutput(.text(names.joined(separator: " ")), replacing: [source])
  }
}
