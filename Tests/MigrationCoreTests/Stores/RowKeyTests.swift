import Automerge
import Diagnostics
import Folders
import Foundation
import SwiftDataStores
import TestStores
import Testing

@testable import MigrationCore
@testable import Runs

/// Rows of an app that no profile knows, told apart by what is unique among them and is no text.
@Suite struct RowKeyTests {
  private static let uuid = "00112233-4455-6677-8899-AABBCCDDEEFF"

  /// A club: members with numbers, visits with codes, and tags with words, each of which rows may lack.
  private static func club(
    device: Character = "A", _ rows: String, number: AttributeType = .integer32,
    indexes: [String] = ["Member_UNIQUE_number ON ZMEMBER (ZNUMBER)"]
  ) throws -> StorePlace {
    func attribute(_ name: String, _ type: AttributeType) -> ModelAttribute {
      var attribute = ModelAttribute(name: name, type: type)
      attribute.isOptional = true
      return attribute
    }
    func relation(_ name: String, _ destination: String, inverse: String?) -> ModelRelationship {
      var relation = ModelRelationship(
        name: name, destination: destination, isToMany: inverse != nil, deleteRule: .nullify)
      (relation.inverse, relation.isOptional) = (inverse, true)
      return relation
    }
    var member = ModelEntity(name: "Member")
    member.attributes = [attribute("name", .string), attribute("number", number)]
    member.relationships = [relation("visits", "Visit", inverse: "guests")]
    member.uniqueTogether = [["number"]]
    var visit = ModelEntity(name: "Visit")
    visit.attributes = [attribute("code", .uuid)]
    visit.relationships = [
      relation("guests", "Member", inverse: "visits"), relation("host", "Member", inverse: nil),
    ]
    visit.uniqueTogether = [["code"]]
    var model = StoreModel.library
    for index in model.entities.indices where model.entities[index].name == "Tag" {
      model.entities[index].uniqueTogether = [["word"]]
    }
    model.entities += [member, visit]
    var store = TestStore()
    (store.model, store.usesLog) = (model, false)
    store.uuid = "5D0E1B0C-0000-4000-8000-00000000000\(device)"
    store.statements =
      [
        """
        CREATE TABLE ZMEMBER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZNUMBER INTEGER, ZNAME VARCHAR );
        CREATE TABLE ZVISIT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZHOST INTEGER, \
        ZCODE BLOB );
        CREATE TABLE Z_7VISITS ( Z_7GUESTS INTEGER, Z_8VISITS INTEGER, \
        PRIMARY KEY (Z_7GUESTS, Z_8VISITS) );
        CREATE UNIQUE INDEX Z_Visit_UNIQUE_code ON ZVISIT (ZCODE);
        CREATE UNIQUE INDEX Z_Tag_UNIQUE_word ON ZTAG (ZWORD);
        INSERT INTO Z_PRIMARYKEY VALUES (7, 'Member', 0, 20), (8, 'Visit', 0, 20);
        """
      ] + indexes.map { "CREATE UNIQUE INDEX Z_\($0)" } + [rows]
    return try StorePlace(store, named: "Club.store")
  }

  /// Four members, two visits and two tags; the last of each lacks what tells it from others.
  private static let rows = """
    INSERT INTO ZMEMBER VALUES (1, 7, 1, 7, 'Ada'), (2, 7, 1, 300000, 'Ben'), (3, 7, 1, -5, 'Cy'), \
    (4, 7, 1, NULL, 'Dee');
    INSERT INTO ZVISIT VALUES (1, 8, 1, 2, x'00112233445566778899AABBCCDDEEFF'), (2, 8, 1, 4, NULL);
    INSERT INTO Z_7VISITS VALUES (1, 1), (3, 1), (4, 2);
    INSERT INTO ZTAG VALUES (1, 6, 1, NULL, 'long'), (2, 6, 1, NULL, NULL);
    """

  /// The same on another device, where rows have other numbers; who lacks it is not there.
  private static let otherRows = """
    INSERT INTO ZMEMBER VALUES (11, 7, 1, 300000, 'Ben'), (12, 7, 1, -5, 'Cy'), (13, 7, 4, 7, 'Ada');
    INSERT INTO ZVISIT VALUES (5, 8, 1, 11, x'00112233445566778899AABBCCDDEEFF');
    INSERT INTO Z_7VISITS VALUES (12, 5), (13, 5);
    INSERT INTO ZTAG VALUES (9, 6, 1, NULL, 'long');
    """

  private static func run(
    _ sql: String, on place: StorePlace, _ name: String = "Club.store"
  ) throws {
    try TestDatabase(at: place.stores.path + "/" + name).run(sql)
  }

  private static func document(_ place: StorePlace, _ path: String) throws -> Document {
    try Document(Data(place.folder.bytes(path)))
  }

  @Test
  func `an integer that is unique is the identity, and a property; a row without one is its own`()
    throws
  {
    let place = try Self.club(Self.rows)
    let report = try place.importing()
    #expect(report.findings.filter { $0.severity == .error } == [])
    let told = report.findings.filter { $0.code == .rowIdentity }
    #expect(
      told.map(\.message).sorted()
        == [
          "Member, which has no number", "Tag, which has no word",
          "Visit, which has no code",
        ].map {
          "nothing but their rows tells the 1 row of \($0), apart: another device's are others"
        })
    let store = "5D0E1B0C-0000-4000-8000-00000000000A"
    let members = try Self.document(place, "Member.automerge")
    #expect(
      Set(members.keys(obj: .ROOT)) == ["7", "300000", "-5", "\(store)/Member/p4"])
    guard case .Object(let ada, _) = try members.get(obj: .ROOT, key: "7") else {
      Issue.record("no member 7")
      return
    }
    #expect(try members.get(obj: ada, key: "number") == .Scalar(.Int(7)))
    let visits = try Self.document(place, "Visit.automerge")
    #expect(Set(visits.keys(obj: .ROOT)) == [Self.uuid, "\(store)/Visit/p2"])
    guard case .Object(let visit, _) = try visits.get(obj: .ROOT, key: Self.uuid),
      case .Object(let guests, _) = try visits.get(obj: visit, key: "guests")
    else {
      Issue.record("no visit with guests")
      return
    }
    #expect(try visits.get(obj: visit, key: "host") == .Scalar(.String("300000")))
    #expect(Set(visits.keys(obj: guests)) == ["7", "-5"])
    #expect(
      Set(try Self.document(place, "Tag.automerge").keys(obj: .ROOT))
        == ["long", "\(store)/Tag/p2"])
    let verified = try place.verifying()
    #expect(verified.isSound, "\(verified.findings)")
    #expect(verified.counts.reduce(0) { $0 + $1.equal } == 8)
    #expect(try place.importing().documents.allSatisfy { $0.changesAdded == 0 })
  }

  @Test
  func `two devices with other row numbers have the same members, and one gets what it lacks`()
    throws
  {
    let (one, other) = (try Self.club(Self.rows), try Self.club(device: "B", Self.otherRows))
    try one.importing()
    #expect(try !other.importing().findings.contains { $0.code == .rowIdentity })
    for path in ["Member.automerge", "Visit.automerge", "Tag.automerge"] {
      let (mine, theirs) = (try Self.document(one, path), try Self.document(other, path))
      let (forward, backward) = (mine.fork(), theirs.fork())
      try forward.merge(other: theirs)
      try backward.merge(other: mine)
      #expect(forward.heads() == backward.heads() && !theirs.keys(obj: .ROOT).isEmpty)
      #expect(Set(forward.keys(obj: .ROOT)) == Set(mine.keys(obj: .ROOT)))
      for key in theirs.keys(obj: .ROOT) {
        #expect(try forward.getAll(obj: .ROOT, key: key).count == 1, "\(path) \(key)")
        guard case .Object(let map, _) = try forward.get(obj: .ROOT, key: key) else { continue }
        for field in forward.keys(obj: map) {
          #expect(try forward.getAll(obj: map, key: field).count == 1, "\(path) \(key) \(field)")
        }
      }
    }
    let stores = other.stores.path
    let again = try one.importing { $0.source = .folder(path: stores) }
    #expect(again.documents.allSatisfy { $0.changesAdded == 0 })
    #expect(again.counts.reduce(0) { $0 + $1.known } == 5)
  }

  @Test func `a member that was renamed is brought up to date, whatever its row is`() throws {
    let (one, other) = (try Self.club(Self.rows), try Self.club(device: "B", Self.otherRows))
    try one.importing()
    try Self.run("UPDATE ZMEMBER SET ZNAME = 'Adah' WHERE ZNUMBER = 7", on: other)
    let stores = other.stores.path
    #expect(
      try one.importing { $0.source = .folder(path: stores) }.findings
        .contains { $0.code == .diverged && $0.message.contains("Member 7") })
    let updated = try one.importing {
      ($0.source, $0.updates) = (.folder(path: stores), true)
    }
    #expect(updated.counts.reduce(0) { $0 + $1.updated } == 1)
    let verified = try one.verifying { $0.reference = .folder(path: stores) }
    #expect(!verified.findings.contains { $0.code == .fieldDiffers }, "\(verified.findings)")
    #expect(try one.verifying().findings.contains { $0.message.contains("Member 7") })
  }

  @Test(arguments: [
    ("UPDATE ZMEMBER SET ZNAME = 'Eve' WHERE Z_PK = 4", Finding.Code.diverged, "Member/p4"),
    ("UPDATE ZVISIT SET ZHOST = 1 WHERE Z_PK = 1", .diverged, "host"),
    ("UPDATE ZVISIT SET ZHOST = 1 WHERE Z_PK = 2", .diverged, "host"),
    ("INSERT INTO Z_7VISITS VALUES (2, 1)", .diverged, "guests"),
    ("UPDATE ZMEMBER SET ZNUMBER = 8 WHERE Z_PK = 1", .missingEntity, "Member 8"),
    ("DELETE FROM ZMEMBER WHERE Z_PK = 3", .extraEntity, "Member"),
  ])
  func `what differs is found both ways`(sql: String, code: Finding.Code, text: String) throws {
    let place = try Self.club(Self.rows)
    try place.importing()
    try Self.run(sql, on: place)
    let report = try place.verifying()
    #expect(!report.isSound)
    #expect(
      report.findings.contains { $0.code == code && $0.message.contains(text) },
      "\(report.findings)")
  }

  @Test func `the stream of a store imports to the same documents, and they come out as it`() throws
  {
    let place = try Self.club(Self.rows)
    try place.importing()
    let lines = try place.exporting().lines
    #expect(
      lines.contains { $0.hasPrefix(#"{"kind":"Member","id":"-5","place":"Member/p3","fields":{"#) }
    )
    let file = place.folder.beside("stream.jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
    let handle = try #require(FileHandle(forReadingAtPath: file))
    let source = try #require(
      try StoreSource.open(place.stores.path, context: TestFolder.context()))
    let options = ImportOptions(
      source: .stream(.init(name: "stream", descriptor: handle.fileDescriptor)),
      target: place.folder.beside("Other"))
    var context = TestFolder.context()
    context.kinds = source.kinds
    _ = try ImportWorkflow(options, context: context).perform()
    for (path, bytes) in try place.documents() {
      let other = try Data(contentsOf: URL(filePath: place.folder.beside("Other") + "/" + path))
      #expect(bytes == [UInt8](other), "\(path)")
    }
  }

  @Test
  func `a value that is no integer does not tell a row, and two rows of one are two variants`()
    throws
  {
    let place = try Self.club(Self.rows)
    try Self.run("UPDATE ZMEMBER SET ZNUMBER = 'eight' WHERE Z_PK = 2", on: place)
    let report = try place.importing()
    #expect(report.findings.filter { $0.severity == .error } == [])
    #expect(
      report.findings.contains {
        $0.code == .rowIdentity && $0.message.contains("2 rows of Member, which have no number,")
      })
    #expect(try place.verifying().isSound)
    let twins = try Self.club(Self.rows, indexes: [])
    try Self.run("UPDATE ZMEMBER SET ZNUMBER = 7 WHERE Z_PK = 3", on: twins)
    let told = try twins.importing()
    #expect(told.findings.contains { $0.code == .duplicateID && $0.message.contains("Member 7") })
  }

  @Test(arguments: [AttributeType.boolean, .date, .double, .decimal])
  func `no other value is an identity`(type: AttributeType) throws {
    let place = try Self.club(Self.rows, number: type)
    let told = try place.importing().findings.filter { $0.code == .rowIdentity }
    #expect(told.contains { $0.message.contains("the 4 rows of Member apart") }, "\(told)")
    #expect(try place.verifying().isSound)
  }

  /// Two visitors with a UUID, and one whose row lacks it; a friend leads to the last.
  private static func visitors(
    isOptional: Bool, device: Character = "A", lacking: String = "NULL"
  ) throws -> StorePlace {
    var id = ModelAttribute(name: "id", type: .uuid)
    id.isOptional = isOptional
    var name = ModelAttribute(name: "name", type: .string)
    name.isOptional = true
    var visitor = ModelEntity(name: "Visitor")
    visitor.attributes = [id, name]
    var friend = ModelRelationship(
      name: "friend", destination: "Visitor", isToMany: false, deleteRule: .nullify)
    friend.isOptional = true
    visitor.relationships = [friend]
    var model = StoreModel()
    model.entities = [visitor]
    var store = TestStore()
    (store.model, store.usesLog) = (model, false)
    store.uuid = "5D0E1B0C-0000-4000-8000-00000000000\(device)"
    store.statements = [
      """
      DELETE FROM Z_PRIMARYKEY; INSERT INTO Z_PRIMARYKEY VALUES (1, 'Visitor', 0, 9);
      CREATE TABLE ZVISITOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZFRIEND INTEGER, ZID BLOB, ZNAME VARCHAR );
      INSERT INTO ZVISITOR VALUES (1, 1, 1, 3, x'00112233445566778899AABBCCDDEEFF', 'Ada'), \
      (2, 1, 1, NULL, x'10112233445566778899AABBCCDDEEFF', 'Ben'), (3, 1, 1, 2, \(lacking), 'Cy');
      """
    ]
    return try StorePlace(store, named: "Visitors.store")
  }

  @Test(arguments: [true, false])
  func `a row without the UUID that others are known by is its own`(isOptional: Bool) throws {
    let place = try Self.visitors(isOptional: isOptional)
    let report = try place.importing()
    #expect(report.findings.filter { $0.severity == .error } == [])
    let told = report.findings.filter { $0.code == .rowIdentity }
    #expect(told.count == 1 && told[0].message.contains("the 1 row of Visitor, which has no id,"))
    let own = "5D0E1B0C-0000-4000-8000-00000000000A/Visitor/p3"
    let other = "10112233-4455-6677-8899-AABBCCDDEEFF"
    let visitors = try Self.document(place, "Visitor.automerge")
    #expect(Set(visitors.keys(obj: .ROOT)) == [Self.uuid, other, own])
    for (key, friend) in [(Self.uuid, own), (own, other)] {
      guard case .Object(let map, _) = try visitors.get(obj: .ROOT, key: key) else {
        Issue.record("no visitor \(key)")
        continue
      }
      #expect(try visitors.get(obj: map, key: "friend") == .Scalar(.String(friend)))
    }
    #expect(try place.exporting().lines.contains { $0.contains(#""id":"\#(own)""#) })
    let verified = try place.verifying()
    #expect(verified.isSound, "\(verified.findings)")
    #expect(verified.counts.reduce(0) { $0 + $1.equal } == 3)
    let documents = try place.documents()
    #expect(try place.importing().documents.allSatisfy { $0.changesAdded == 0 })
    #expect(try place.importing { $0.updates = true }.documents.allSatisfy { $0.changesAdded == 0 })
    #expect(try place.documents() == documents)
    // Of a device where no row lacks it the others are the same.
    let second = try Self.visitors(
      isOptional: isOptional, device: "B", lacking: "x'20112233445566778899AABBCCDDEEFF'")
    try second.importing()
    let theirs = try Self.document(second, "Visitor.automerge")
    let merged = visitors.fork()
    try merged.merge(other: theirs)
    #expect(merged.keys(obj: .ROOT).count == 4)
    for key in [Self.uuid, other] {
      #expect(try merged.getAll(obj: .ROOT, key: key).count == 1)
    }
    try Self.run("UPDATE ZVISITOR SET ZNAME = 'Eve' WHERE Z_PK = 3", on: place, "Visitors.store")
    let found = try place.verifying().findings
    #expect(found.contains { $0.code == .diverged && $0.message.contains("Visitor/p3") })
  }

  @Test(arguments: [true, false])
  func `what is unique among an entity tells those that inherit from it apart`(hasModel: Bool)
    throws
  {
    func club(_ device: Character, _ rows: String) throws -> StorePlace {
      func attribute(_ name: String, _ type: AttributeType) -> ModelAttribute {
        var attribute = ModelAttribute(name: name, type: type)
        attribute.isOptional = true
        return attribute
      }
      var person = ModelEntity(name: "Person")
      person.attributes = [attribute("number", .string)]
      person.uniqueTogether = [["number"]]
      var pupil = ModelEntity(name: "Pupil")
      (pupil.superentity, pupil.attributes) = ("Person", [attribute("grade", .string)])
      var prefect = ModelEntity(name: "Prefect")
      (prefect.superentity, prefect.attributes) = ("Pupil", [attribute("house", .string)])
      prefect.uniqueTogether = [["house"]]
      var model = StoreModel()
      model.entities = [person, prefect, pupil]
      var store = TestStore()
      (store.model, store.usesLog) = (hasModel ? model : nil, false)
      store.uuid = "5D0E1B0C-0000-4000-8000-00000000000\(device)"
      store.statements = [
        """
        DELETE FROM Z_PRIMARYKEY; INSERT INTO Z_PRIMARYKEY VALUES (1, 'Person', 0, 9), \
        (2, 'Prefect', 3, 0), (3, 'Pupil', 1, 0);
        DROP TABLE ZPERSON;
        CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZNUMBER VARCHAR, ZGRADE VARCHAR, ZHOUSE VARCHAR );
        CREATE UNIQUE INDEX Z_Person_UNIQUE_number ON ZPERSON (ZNUMBER);
        CREATE UNIQUE INDEX Z_Prefect_UNIQUE_house ON ZPERSON (ZHOUSE);
        \(rows)
        """
      ]
      return try StorePlace(store, named: "Club.store")
    }
    let one = try club(
      "A",
      """
      INSERT INTO ZPERSON VALUES (1, 1, 1, 'n1', NULL, NULL), (2, 3, 1, 'n2', 'four', NULL), \
      (3, 2, 1, 'n3', 'five', 'north');
      """)
    let report = try one.importing()
    #expect(!report.findings.contains { $0.code == .rowIdentity }, "\(report.findings)")
    for (path, key) in [("Person", "n1"), ("Pupil", "n2"), ("Prefect", "north")] {
      #expect(try Self.document(one, "\(path).automerge").keys(obj: .ROOT) == [key])
    }
    #expect(try one.verifying().isSound)
    let other = try club(
      "B",
      """
      INSERT INTO ZPERSON VALUES (6, 2, 1, 'n3', 'five', 'north'), (7, 3, 1, 'n2', 'four', NULL), \
      (8, 1, 1, 'n1', NULL, NULL);
      """)
    try other.importing()
    #expect(try other.documents() == one.documents())
  }

  @Test func `a store without an identifier gives no row an identity that lacks one`() throws {
    let place = try Self.club(Self.rows)
    try Self.run("UPDATE Z_METADATA SET Z_UUID = ''", on: place)
    try Self.run("UPDATE Z_METADATA SET Z_PLIST = x'00'", on: place)
    let report = try place.importing()
    let told = report.findings.filter { $0.code == .rowIdentity }
    #expect(told.map(\.severity) == [.error, .error, .error])
    #expect(
      Set(try Self.document(place, "Member.automerge").keys(obj: .ROOT)) == ["7", "300000", "-5"])
    #expect(try !place.verifying().isSound)
  }
}
