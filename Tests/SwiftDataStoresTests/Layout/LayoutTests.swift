import Diagnostics
import SampleStores
import Testing
import TestStores

@testable import SwiftDataStores

@Suite struct LayoutTests {
  private func place(_ property: String, of entity: String, in store: Store) -> PropertyLayout? {
    store.layout.entity(named: entity)?.properties.first { $0.name == property }
  }

  @Test func `the model of a store is read whole`() throws {
    let place = try StorePlace()
    try place.write()
    let store = try place.open()
    #expect(store.model == .library)
    #expect(store.metadata?.uuid == "5D0E1B0C-0000-4000-8000-00000000000A")
    #expect(store.metadata?.versionIdentifiers == ["2.1.0"])
    #expect(store.metadata?.frameworkVersion == 1345)
    #expect(
      store.metadata?.versionHashes.map(\.entity) == [
        "Author", "Book", "Person", "Reader", "Shelf", "Tag",
      ])
    #expect(store.metadata?.versionHashes[1].hash == [UInt8](repeating: 2, count: 32))
    #expect(store.layout.ownEntities.map(\.name) == ["CHANGE"])
    #expect(store.findings.isEmpty)
  }

  @Test func `every property of the model has its place`() throws {
    let made = try StorePlace()
    try made.write()
    let store = try made.open()
    #expect(
      place("title", of: "Book", in: store)
        == PropertyLayout(
          name: "title", source: .model, place: .attribute(column: "ZTITLE", type: .string)))
    #expect(
      place("author", of: "Book", in: store)?.place
        == .toOne(column: "ZAUTHOR", entityColumn: nil, destination: "Author"))
    #expect(
      place("owner", of: "Book", in: store)?.place
        == .toOne(column: "ZOWNER", entityColumn: "Z2_OWNER", destination: "Person"))
    #expect(
      place("books", of: "Author", in: store)?.place
        == .toMany(destination: "Book", column: "ZAUTHOR"))
    #expect(
      place("tags", of: "Book", in: store)?.place == .toMany(destination: "Tag", column: "Z1TAGS"))
    #expect(
      place("shelves", of: "Book", in: store)?.place
        == .links(
          table: "Z_1SHELVES", source: "Z_1BOOKS", target: "Z_5SHELVES", destination: "Shelf"))
    #expect(
      place("books", of: "Shelf", in: store)?.place
        == .links(
          table: "Z_1SHELVES", source: "Z_5SHELVES", target: "Z_1BOOKS", destination: "Book"))
    #expect(
      place("name", of: "Reader", in: store)?.place == .attribute(column: "ZNAME", type: .string))
    #expect(store.layout.entity(named: "Reader")?.superNumber == 2)
  }

  @Test func `without a model names are those of indexes and columns, and nothing is left out`()
    throws
  {
    let made = try StorePlace()
    var content = TestStore()
    content.model = nil
    try made.write(content)
    let store = try made.open()
    #expect(store.model == nil)
    #expect(store.findings.map(\.code) == [.namesFromColumns, .otherStorage])
    #expect(
      store.layout.entity(named: "Book")?.properties.map(\.name) == [
        "2_owner", "addedat", "author", "cover", "extra", "id", "isread", "owner", "pages", "price",
        "rating", "shelves", "title",
      ])
    #expect(place("title", of: "Book", in: store)?.source == .index)
    #expect(place("addedat", of: "Book", in: store)?.source == .column)
    #expect(
      place("author", of: "Book", in: store)?.place
        == .toOne(column: "ZAUTHOR", entityColumn: nil, destination: nil))
    #expect(
      place("shelves", of: "Book", in: store)?.place
        == .links(
          table: "Z_1SHELVES", source: "Z_1BOOKS", target: "Z_5SHELVES", destination: "Shelf"))
    let book = try store.allRows(of: "Book")[0]
    #expect(book["addedat"] == .date(700_000_000.25))
    #expect(book["price"] == .decimal(99.99))
    #expect(book["isread"] == .integer(1))
  }

  @Test func `a model or metadata that cannot be read are told, and the rows are read`() throws {
    let archive = ModelArchive.archive(of: .library)
    let bomb = Deflation.deflate([UInt8](repeating: 0, count: 17 << 20))
    for content in [[], [1, 2, 3], Array(archive.prefix(100)), bomb] {
      let made = try StorePlace()
      var store = TestStore()
      store.modelContent = content
      try made.write(store)
      let opened = try made.open()
      #expect(opened.findings.map(\.code) == [.namesFromColumns, .otherStorage])
      #expect(try opened.texts("title", of: "Book").count == 3)
    }
    let made = try StorePlace()
    var store = TestStore()
    store.metadataContent = [0]
    // An archive that is not deflated is read, too.
    store.modelContent = archive
    try made.write(store)
    let opened = try made.open()
    #expect(opened.metadata == nil)
    #expect(opened.model == .library)
    #expect(opened.findings.map(\.code) == [.namesFromColumns])
  }

  @Test func `columns and tables that the model does not know are carried under their names`()
    throws
  {
    let made = try StorePlace()
    var content = TestStore()
    content.statements += [
      "ALTER TABLE ZTAG ADD COLUMN ZColor VARCHAR", "UPDATE ZTAG SET ZColor = 'red'",
      "CREATE TABLE Z_6FRIENDS ( Z_5RIVALS INTEGER, Z_6FRIENDS INTEGER )",
      "CREATE TABLE ANSCKEVENT ( Z_PK INTEGER PRIMARY KEY )",
      "CREATE TABLE ZOLD ( Z_PK INTEGER PRIMARY KEY )",
      "ALTER TABLE ZBOOK ADD COLUMN Z_FOK_AUTHOR INTEGER", "UPDATE ZBOOK SET Z_FOK_AUTHOR = 7",
    ]
    try made.write(content)
    let store = try made.open()
    #expect(
      store.findings.map(\.code) == [.namesFromColumns, .namesFromColumns, .modelDiffers])
    #expect(store.findings.last?.message.contains("no entity has the table ZOLD") == true)
    #expect(try store.allRows(of: "Book")[0]["Z_FOK_AUTHOR"] == .integer(7))
    #expect(try store.texts("color", of: "Tag") == ["red", "red"])
    #expect(
      place("friends", of: "Tag", in: store)
        == PropertyLayout(
          name: "friends", source: .column,
          place: .links(
            table: "Z_6FRIENDS", source: "Z_5RIVALS", target: "Z_6FRIENDS", destination: "Tag")))
    #expect(store.mirroringTableCount == 1)
  }

  @Test func `columns of one name in one table are told apart by nothing`() throws {
    let made = try StorePlace()
    var content = TestStore()
    var model = StoreModel.library
    // Author and Reader both have a rank.
    for index in [0, 3] {
      model.entities[index].attributes.append(ModelAttribute(name: "rank", type: .integer64))
    }
    content.model = model
    content.statements += [
      "ALTER TABLE ZPERSON ADD COLUMN ZRANK INTEGER",
      "ALTER TABLE ZPERSON ADD COLUMN ZRANK1 INTEGER",
      "UPDATE ZPERSON SET ZRANK = 1, ZRANK1 = 2",
    ]
    try made.write(content)
    let store = try made.open()
    #expect(store.findings.map(\.code) == [.namesFromColumns, .modelDiffers, .modelDiffers])
    #expect(place("rank", of: "Author", in: store)?.place == .missing)
    let author = try store.allRows(of: "Author")[0]
    #expect(author["ZRANK"] == .integer(1))
    #expect(author["rank1"] == .integer(2))
  }

  @Test func `a column of nobody takes no other's name, and none is twice`() throws {
    let made = try StorePlace()
    var content = TestStore()
    content.statements += [
      "ALTER TABLE ZTAG ADD COLUMN ZWORD1 VARCHAR", "ALTER TABLE ZTAG ADD COLUMN WORD VARCHAR",
      "ALTER TABLE ZTAG ADD COLUMN WORD1 VARCHAR",
      "UPDATE ZTAG SET ZWORD1 = 'second', WORD = 'third', WORD1 = 'fourth'",
    ]
    try made.write(content)
    let store = try made.open()
    #expect(
      store.layout.entity(named: "Tag")?.properties.map(\.name) == [
        "WORD", "WORD1", "word", "word1",
      ])
    #expect(try store.texts("word", of: "Tag") == ["long", "loose"])
    #expect(try store.texts("word1", of: "Tag") == ["second", "second"])
    #expect(try store.texts("WORD", of: "Tag") == ["third", "third"])
    #expect(store.findings.map(\.code) == [.namesFromColumns])
  }

  @Test func `a property whose own name ends with a digit has its column`() throws {
    let made = try StorePlace()
    var content = TestStore()
    var model = StoreModel.library
    for name in ["word", "word1"] where !model.entities[5].attributes.map(\.name).contains(name) {
      model.entities[5].attributes.append(ModelAttribute(name: name, type: .string))
    }
    content.model = model
    content.statements += [
      "ALTER TABLE ZTAG ADD COLUMN ZWORD1 VARCHAR", "UPDATE ZTAG SET ZWORD1 = 'second'",
    ]
    try made.write(content)
    let store = try made.open()
    #expect(store.findings.isEmpty)
    #expect(try store.texts("word", of: "Tag") == ["long", "loose"])
    #expect(try store.texts("word1", of: "Tag") == ["second", "second"])
  }

  @Test func `entities that have a version in their names are told`() throws {
    let made = try StorePlace()
    var content = TestStore()
    content.model = nil
    content.statements += [
      "INSERT INTO Z_PRIMARYKEY VALUES (7, 'TagV1', 0, 0), (8, 'V2', 0, 0), (9, 'MP3', 0, 0), "
        + "(10, 'PenV12', 0, 0)"
    ]
    for table in ["ZTAGV1", "ZV2", "ZMP3", "ZPENV12"] {
      content.statements.append(
        "CREATE TABLE \(table) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)")
    }
    try made.write(content)
    let findings = try made.open().findings.filter { $0.code != .namesFromColumns }
    #expect(findings.map(\.code) == [.dormantVersioning, .mixedVersions, .otherStorage])
    #expect(findings[0].message.hasPrefix("TagV1, PenV12 have a version"))
    #expect(findings[1].message.hasPrefix("Tag, TagV1 are versions"))
  }

  @Test func `what the model and the tables contradict each other in is told`() throws {
    let made = try StorePlace()
    var content = TestStore()
    var model = StoreModel.library
    model.entities[5].name = "Label"
    model.entities[1].attributes.append(ModelAttribute(name: "isbn", type: .string))
    model.entities[1].relationships.removeLast()
    model.versionIdentifiers = ["3.0.0"]
    content.model = model
    content.statements += [
      "DROP INDEX Z_Book_UNIQUE_title",
      "CREATE UNIQUE INDEX Z_Book_UNIQUE_Title ON ZBOOK (ZTITLE)",
    ]
    try made.write(content)
    let store = try made.open()
    let messages = store.findings.filter { $0.code == .modelDiffers }.map(\.message)
    #expect(
      messages == [
        "the model has an entity Label, which the store does not know",
        "ZBOOK has no column of its own for isbn of Book",
        "the store has an entity Tag, which its model does not know",
        "the index Z_Book_UNIQUE_Title names a property Title, which the model does not know",
        "its metadata are of version 2.1.0, its model of 3.0.0",
      ])
  }

  // MARK: Composite values

  /// A composite with parts; those that are composites have one part, `inner`.
  private func composite(_ name: String, _ parts: [(String, AttributeType)]) -> ModelAttribute {
    var attribute = ModelAttribute(name: name, type: .composite)
    attribute.elements = parts.map { part in
      guard part.1 == .composite else { return ModelAttribute(name: part.0, type: part.1) }
      return composite(part.0, [("inner", .string)])
    }
    return attribute
  }

  private func store(
    _ composites: [ModelAttribute], columns: [String]
  ) throws -> (StorePlace, TestStore) {
    var content = TestStore()
    var model = StoreModel.library
    let shelf = try #require(model.entities.firstIndex { $0.name == "Shelf" })
    model.entities[shelf].attributes += composites
    model.entities[shelf].attributes.sort { $0.name < $1.name }
    content.model = model
    content.statements += columns.map { "ALTER TABLE ZSHELF ADD COLUMN \($0)" }
    return (try StorePlace(), content)
  }

  @Test func `a composite is where its parts are, and they may be composites`() throws {
    let spot = composite("spot", [("row", .integer64), ("more", .composite), ("x", .double)])
    var (made, content) = try store(
      [spot], columns: ["ZROW INTEGER", "ZINNER VARCHAR", "ZX FLOAT"])
    content.statements += ["UPDATE ZSHELF SET ZX = 4, ZINNER = 'a' WHERE Z_PK = 1"]
    try made.write(content)
    let store = try made.open()
    #expect(store.model == content.model)
    #expect(store.findings.isEmpty)
    #expect(place("spot", of: "Shelf", in: store)?.columns == ["ZROW", "ZINNER", "ZX"])
    let rows = try store.allRows(of: "Shelf")
    #expect(rows.map { $0["name"] } == [.text(Array("Hall".utf8)), .text(Array("Attic".utf8))])
    #expect(
      rows.map { $0["spot"] } == [
        .parts([.null, .parts([.text(Array("a".utf8))]), .double(4)]), .null,
      ])
  }

  @Test func `parts whose columns nobody can tell are carried under the names of these`() throws {
    let unclear: [(composites: [ModelAttribute], columns: [String])] = [
      // Two values of one name, and no word about which is whose.
      (
        [composite("from", [("x", .double)]), composite("to", [("x", .double)])],
        ["ZX FLOAT", "ZX1 FLOAT"]
      ),
      // The column is an attribute's.
      ([composite("spot", [("name", .string), ("x", .double)])], ["ZX FLOAT"]),
      // One is not there; a model that says nothing of parts.
      ([composite("spot", [("x", .double), ("y", .double)])], ["ZX FLOAT"]),
      ([composite("spot", [])], ["ZX FLOAT"]),
      ([composite("spot", [("x", .double), ("x", .double)])], ["ZX FLOAT"]),
    ]
    for (composites, columns) in unclear {
      var (made, content) = try store(composites, columns: columns)
      content.statements += ["UPDATE ZSHELF SET ZX = 4"]
      try made.write(content)
      let store = try made.open()
      #expect(store.findings.map(\.code) == [.namesFromColumns])
      #expect(try store.allRows(of: "Shelf").allSatisfy { $0["x"] == .double(4) })
      #expect(try store.texts("name", of: "Shelf") == ["Hall", "Attic"])
    }
  }

  @Test func `composites in composites end somewhere`() throws {
    var deep = ModelAttribute(name: "deep", type: .composite)
    deep.elements = [ModelAttribute(name: "x", type: .double)]
    for _ in 0..<14 {
      var outer = ModelAttribute(name: "deep", type: .composite)
      outer.elements = [deep]
      deep = outer
    }
    for isTooDeep in [false, true] {
      let (made, content) = try store([deep], columns: ["ZX FLOAT"])
      try made.write(content)
      let store = try made.open()
      #expect((store.model == nil) == isTooDeep)
      var outer = ModelAttribute(name: "deep", type: .composite)
      outer.elements = [deep]
      var further = ModelAttribute(name: "deep", type: .composite)
      further.elements = [outer]
      deep = further
    }
  }

  @Test func `an entity that inherits from itself is told by its name`() throws {
    for changes in [
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_ENT = 1",
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 - Z_ENT WHERE Z_ENT IN (1, 2)",
    ] {
      let place = try StorePlace()
      var made = TestStore()
      made.statements.append(changes)
      try place.write(made)
      do {
        _ = try place.open()
        Issue.record("\(changes): opened")
      } catch {
        let problem = (error as? StoreError)?.diagnostic.problem ?? "\(error)"
        #expect(problem.contains("inherits from itself"), "\(problem)")
      }
    }
  }
}
