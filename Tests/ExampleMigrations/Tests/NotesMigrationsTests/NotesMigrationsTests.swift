import NotesMigrations
import SchemaMigrations
import Testing

@Suite struct NotesMigrationsTests {
  private let user = StorageKey("files", "user.json")
  private let fontSize = StorageKey("preferences", "fontSize")

  @Test func `what Notes 1 kept is where Notes 2 looks for it`() throws {
    var storage = MemoryStorage([user: ["first": "Ada", "last": "Lovelace"], fontSize: 14])
    let results = try NotesMigrations.catalog().run(in: &storage, MigrationContext())
    #expect(results.map(\.outcome) == [.migrated, .migrated])
    #expect(
      storage.values
        == [NotesMigrations.author: "Ada Lovelace", NotesMigrations.settings: ["fontSize": 14]])
    #expect(storage.aside.map(\.key) == [user, fontSize])
    #expect(
      try NotesMigrations.catalog().run(in: &storage, MigrationContext()).map(\.outcome)
        == [.alreadyDone, .alreadyDone])
  }

  @Test func `a user that is no object stays where it is`() throws {
    var storage = MemoryStorage([user: "Ada", fontSize: 14])
    let results = try NotesMigrations.catalog().run(in: &storage, MigrationContext())
    #expect(results[0].errors.first?.details.source == user)
    #expect(results[1].outcome == .notBegun)
    #expect(storage.values == [user: "Ada", fontSize: 14])
  }
}
