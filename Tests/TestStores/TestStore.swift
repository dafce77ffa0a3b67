import SampleStores
package import SwiftDataStores

/// A store that a test makes: the tables that Core Data would make for a model of books and people, and
/// the rows that the test wants.
package struct TestStore {
  /// The model that is kept in the store; nil for none.
  package var model: StoreModel? = .library
  /// The bytes in place of that model; nil for what it is.
  package var modelContent: [UInt8]?
  /// The bytes in place of the metadata; nil for what they are.
  package var metadataContent: [UInt8]?
  /// The store's identifier.
  package var uuid = "5D0E1B0C-0000-4000-8000-00000000000A"
  /// Statements after the tables were made.
  package var statements: [String] = [TestStore.rows]
  /// Statements whose effect is in the log only.
  package var newest: [String] = []
  /// Whether the store has a log.
  package var usesLog = true

  /// Creates a store with a few rows.
  package init() {}

  /// Writes the store to a path where nothing is.
  ///
  /// The log stays beside it as if the app had died, because the connection is still open when the test
  /// looks at the files; keep what is returned as long as the log is to stay.
  package func write(to path: String) throws -> TestDatabase {
    let database = try TestDatabase(at: path)
    try database.run("PRAGMA page_size=4096")
    try database.run("PRAGMA journal_mode=\(usesLog ? "WAL" : "DELETE")")
    try database.run("PRAGMA wal_autocheckpoint=0")
    try database.run(Self.tables)
    try database.run(
      "INSERT INTO Z_METADATA VALUES (1, '\(uuid)', \(Self.literal(metadataContent ?? metadata)))")
    if let content = modelContent ?? model.map(ModelArchive.content) {
      try database.run("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
      try database.run("INSERT INTO Z_MODELCACHE VALUES (\(Self.literal(content)))")
    }
    for statement in statements { try database.run(statement) }
    if usesLog { try database.checkpoint() }
    for statement in newest { try database.run(statement) }
    return database
  }

  /// Writes bytes as SQL has them.
  package static func literal(_ bytes: [UInt8]) -> String {
    "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
  }

  /// What the store says about itself, as Core Data writes it.
  private var metadata: [UInt8] {
    let names = (model ?? .library).entities.map(\.name)
    return SamplePropertyList.dictionary([
      ("NSStoreType", .string("SQLite")),
      ("NSPersistenceFrameworkVersion", .integer(1345)),
      ("NSStoreModelVersionIdentifiers", .array([.string("2.1.0")])),
      ("NSStoreModelVersionChecksumKey", .string("bGlicmFyeQ==")),
      (
        "NSStoreModelVersionHashes",
        .dictionary(
          names.enumerated().map { index, name in
            (name, .data([UInt8](repeating: UInt8(index + 1), count: 32)))
          })
      ),
    ]).bytes
  }

  private static let tables = """
    CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISREAD INTEGER, \
    ZPAGES INTEGER, ZAUTHOR INTEGER, ZOWNER INTEGER, Z2_OWNER INTEGER, ZRATING FLOAT, \
    ZADDEDAT TIMESTAMP, ZPRICE DECIMAL, ZTITLE VARCHAR, ZCOVER BLOB, ZID BLOB, ZEXTRA BLOB );
    CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCARD INTEGER, \
    ZNAME VARCHAR, ZPENNAME VARCHAR );
    CREATE TABLE ZSHELF ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
    CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1TAGS INTEGER, \
    ZWORD VARCHAR );
    CREATE TABLE Z_1SHELVES ( Z_1BOOKS INTEGER, Z_5SHELVES INTEGER, \
    PRIMARY KEY (Z_1BOOKS, Z_5SHELVES) );
    CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR);
    CREATE UNIQUE INDEX Z_Book_UNIQUE_title ON ZBOOK (ZTITLE COLLATE BINARY ASC);
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, \
    Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZCHANGETYPE INTEGER );
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Book', 0, 3), (2, 'Person', 0, 4), (3, 'Author', 2, 0), \
    (4, 'Reader', 2, 0), (5, 'Shelf', 0, 2), (6, 'Tag', 0, 2), (16001, 'CHANGE', 0, 0);
    """

  /// Three books, three people, two shelves, two tags.
  package static let rows = """
    INSERT INTO ZPERSON VALUES (1, 2, 1, NULL, 'Ada', NULL), (2, 3, 2, NULL, 'Mary Ann', 'George'), \
    (4, 4, 1, 77, 'Grace', NULL);
    INSERT INTO ZBOOK VALUES \
    (1, 1, 1, 1, 880, 2, 4, 4, 4.5, 700000000.25, 99.99, 'Middlemarch', x'ffd8', \
    x'00112233445566778899AABBCCDDEEFF', NULL), \
    (2, 1, 3, 0, 12, NULL, NULL, NULL, 3, -1, 5, 'Émile', x'', NULL, x'01'), \
    (3, 1, 1, NULL, NULL, 9, 1, 2, NULL, NULL, NULL, 'Dust', NULL, NULL, NULL);
    INSERT INTO ZSHELF VALUES (1, 5, 1, 'Hall'), (2, 5, 1, 'Attic');
    INSERT INTO ZTAG VALUES (1, 6, 1, 1, 'long'), (2, 6, 1, NULL, 'loose');
    INSERT INTO Z_1SHELVES VALUES (1, 1), (1, 2), (2, 1);
    """
}

extension StoreModel {
  /// Books and people: attributes of most types, entities that inherit, and every kind of relationship.
  package static let library: StoreModel = {
    func entity(
      _ name: String, _ attributes: [ModelAttribute], _ relationships: [ModelRelationship] = []
    ) -> ModelEntity {
      var entity = ModelEntity(name: name)
      entity.attributes = attributes
      entity.relationships = relationships
      return entity
    }
    func relation(
      _ name: String, _ destination: String, inverse: String?, isToMany: Bool,
      _ rule: DeleteRule = .nullify
    ) -> ModelRelationship {
      var relationship = ModelRelationship(
        name: name, destination: destination, isToMany: isToMany, deleteRule: rule)
      relationship.inverse = inverse
      relationship.isOptional = true
      return relationship
    }
    var author = entity(
      "Author", [ModelAttribute(name: "penName", type: .string)],
      [relation("books", "Book", inverse: "author", isToMany: true, .cascade)])
    author.superentity = "Person"
    var book = entity(
      "Book",
      [
        ModelAttribute(name: "addedAt", type: .date), ModelAttribute(name: "cover", type: .binary),
        ModelAttribute(name: "extra", type: .transformable),
        ModelAttribute(name: "id", type: .uuid),
        ModelAttribute(name: "isRead", type: .boolean),
        ModelAttribute(name: "pages", type: .integer64),
        ModelAttribute(name: "price", type: .decimal),
        ModelAttribute(name: "rating", type: .double),
        ModelAttribute(name: "title", type: .string),
      ],
      [
        relation("author", "Author", inverse: "books", isToMany: false),
        relation("owner", "Person", inverse: nil, isToMany: false),
        relation("shelves", "Shelf", inverse: "books", isToMany: true),
        relation("tags", "Tag", inverse: nil, isToMany: true, .deny),
      ])
    book.attributes[8].earlierName = "name"
    book.uniqueTogether = [["title"]]
    var person = entity("Person", [ModelAttribute(name: "name", type: .string)])
    person.isAbstract = true
    var reader = entity("Reader", [ModelAttribute(name: "card", type: .integer64)])
    reader.superentity = "Person"
    let shelf = entity(
      "Shelf", [ModelAttribute(name: "name", type: .string)],
      [relation("books", "Book", inverse: "shelves", isToMany: true)])
    let tag = entity("Tag", [ModelAttribute(name: "word", type: .string)])
    var model = StoreModel()
    model.entities = [author, book, person, reader, shelf, tag]
    model.versionIdentifiers = ["2.1.0"]
    return model
  }()
}
