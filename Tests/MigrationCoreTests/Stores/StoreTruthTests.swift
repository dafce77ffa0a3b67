import Diagnostics
import Folders
import Foundation
import SampleStores
import TestStores
import Testing

@testable import MigrationCore
@testable import Runs

/// What is said of a store is what is so: nothing is lost silently, and nothing is claimed that was not
/// looked at.
@Suite struct StoreTruthTests {
  private static func place(
    _ app: SampleApp, _ version: String? = nil, _ damages: Set<StoreDamage> = []
  ) throws -> StorePlace {
    try StorePlace(StorePlace.plan(app, version, damages))
  }

  private static func run(_ sql: String, on place: StorePlace, _ store: String) throws {
    let database = try TestDatabase(at: "\(place.stores.path)/\(store)")
    try database.run(sql)
    try database.checkpoint()
  }

  private static func check(_ place: StorePlace) throws -> [Finding] {
    let report = try StoreCheckWorkflow(place.stores.path, context: TestFolder.context()).perform()
    return try #require(report).findings
  }

  // MARK: Identities

  @Test(arguments: [
    ("x'0102030405'", #""fields":{"id":"AQIDBAU=","#, #""/id":"bytes""#, "0x0102030405"),
    ("CAST(x'48ff' AS TEXT)", #""fields":{"id":"SP8=","#, #""/id":"bytes""#, "0x48ff"),
    ("12", #""fields":{"id":12,"#, #""id":"""#, "12 of"),
  ])
  func `an identity that is no text is among the fields, and refused`(
    value: String, field: String, type: String, shown: String
  ) throws {
    let place = try Self.place(.ritualist)
    try Self.run(
      "UPDATE ZHABITMODEL SET ZID = \(value) WHERE Z_PK = 1", on: place, "CloudKit.store")
    let (lines, report) = try place.exporting()
    let line = try #require(lines.first { $0.contains(#""place":"HabitModel/p1","#) })
    #expect(line.contains(field) && line.contains(type), "\(line)")
    let told = report.findings.filter { $0.code == .invalidValue && $0.severity == .error }
    #expect(told.count == 1 && told[0].message.contains(shown), "\(told)")
    for findings in [try place.importing().findings, try Self.check(place)] {
      let refused = findings.filter { $0.message.hasPrefix("HabitModel/p1: ") }
      #expect(refused.map(\.severity) == [.error], "\(refused)")
      #expect(refused.allSatisfy { $0.message.contains("id is no UUID") }, "\(refused)")
      // Nobody but its app writes to a store.
      #expect(refused.allSatisfy { $0.next?.hasPrefix("correct it in the app") ?? false })
    }
  }

  @Test func `a text that is no UUID stays the identity of its line`() throws {
    let place = try Self.place(.ritualist)
    try Self.run("UPDATE ZHABITMODEL SET ZID = 'seven' WHERE Z_PK = 1", on: place, "CloudKit.store")
    let lines = try place.exporting().lines
    #expect(lines.contains { $0.contains(#""id":"seven","place":"HabitModel/p1""#) })
  }

  // MARK: Claims

  @Test func `files that are missing on both sides are told`() throws {
    let place = try Self.place(.library, nil, [.missingExternal])
    try place.importing()
    let verified = try place.verifying()
    #expect(verified.isSound && !verified.isComplete)
    #expect(verified.findings.filter { $0.code == .missingFile }.map(\.severity) == [.warning])
    var options = VerificationOptions(folder: place.stores.path)
    let other = try Self.place(.library, nil, [.missingExternal])
    options.reference = .folder(path: other.stores.path)
    let compared = try VerificationWorkflow(options, context: TestFolder.context()).perform()
    #expect(compared.isSound && !compared.isComplete)
  }

  @Test func `what an app keeps in its preferences is not claimed to be there`() throws {
    let place = try Self.place(.laundryTime)
    try place.importing()
    let verified = try place.verifying()
    #expect(verified.isSound && !verified.isComplete)
    let told = verified.findings.filter { $0.code == .notLookedAt }
    #expect(told.count == 1 && told[0].message.contains("kind timer"), "\(told)")
  }

  @Test(arguments: [
    (SampleApp.laundryTime, "petID of no pet", "task"), (.ritualist, "habitID of no habit", "log"),
  ])
  func `references to nobody are told by a store alone`(
    app: SampleApp, what: String, kind: String
  ) throws {
    let place = try Self.place(app)
    #expect(try !Self.check(place).contains { $0.code == .danglingReference })
    let table = app.name == "ritualist" ? "ZHABITLOGMODEL" : "ZLAUNDRYTASK"
    let column = app.name == "ritualist" ? "ZHABITID" : "ZPETID"
    try Self.run(
      "UPDATE \(table) SET \(column) = x'00112233445566778899AABBCCDDEEFF' WHERE Z_PK IN (1, 2)",
      on: place, app.name == "ritualist" ? "CloudKit.store" : "default.store")
    let told = try Self.check(place).filter { $0.code == .danglingReference }
    #expect(
      told.count == 1 && told[0].message.hasPrefix("2 \(kind) entities with a \(what)"), "\(told)")
  }

  @Test func `a copy of an identity that is another one is told, by cells and by lines`() throws {
    let place = try Self.place(.ritualist)
    try Self.run(
      "UPDATE ZHABITLOGMODEL SET ZHABITID = (SELECT ZID FROM ZHABITMODEL WHERE Z_PK <> "
        + "ZHABITLOGMODEL.ZHABIT LIMIT 1) WHERE Z_PK = 2", on: place, "CloudKit.store")
    try place.importing()
    for findings in [try Self.check(place), try place.verifying().findings] {
      let told = findings.filter { $0.code == .unexpectedValue }
      #expect(told.count == 1 && told[0].message.contains("and habit leads to"), "\(told)")
    }
  }

  /// What the rules of the apps do not expect, and how that is told.
  private static let unexpected: [(app: SampleApp, sql: String, words: String)] = [
    (.laundryTime, "UPDATE ZPET SET ZNAME = '  ' WHERE Z_PK = 1", "name is blank"),
    (
      .laundryTime, "UPDATE ZPET SET ZLASTHEALTHUPDATE = 3e9 WHERE Z_PK = 1",
      "lastHealthUpdate is 2096-01-25T05:20:00Z, which lies ahead"
    ),
    (
      .laundryTime, "UPDATE ZPET SET ZLASTLAUNDRYDATE = 3e9 WHERE Z_PK = 1",
      "lastLaundryDate is 2096-01-25T05:20:00Z, which lies ahead"
    ),
    (
      .laundryTime, "UPDATE ZLAUNDRYTASK SET ZWASHENDTIME = 3e9 WHERE Z_PK = 2", "which lies ahead"
    ),
    (
      .laundryTime, "UPDATE ZLAUNDRYTASK SET ZFOLDCOMPLETEDTIME = 3e9 WHERE Z_PK = 2",
      "which lies ahead"
    ),
    (
      .ritualist,
      "UPDATE ZHABITMODEL SET ZREMINDERSDATA = CAST('[1' || replace(hex(zeroblob(12)), '00', ',1') "
        + "|| replace(hex(zeroblob(12)), '00', ',1') || ']' AS BLOB) WHERE Z_PK = 1",
      "remindersData has 25 elements, more than 24"
    ),
    (
      .ritualist, location(#"{"latitude":91,"longitude":0,"radius":100}"#),
      "has 91 at /latitude, more than 90"
    ),
    (
      .ritualist, location(#"{"latitude":0,"longitude":181,"radius":100}"#),
      "has 181 at /longitude, more than 180"
    ),
    (
      .ritualist, location(#"{"latitude":0,"longitude":0,"radius":5}"#),
      "has 5 at /radius, less than 50"
    ),
    (
      .ritualist, location(#"{"frequency":{"everyEntry":{"cooldownMinutes":5000}}}"#),
      "has 5000 at /frequency/everyEntry/cooldownMinutes, more than 1440"
    ),
  ]

  private static func location(_ json: String) -> String {
    "UPDATE ZHABITMODEL SET ZLOCATIONCONFIGDATA = CAST('\(json)' AS BLOB) WHERE Z_PK = 1"
  }

  @Test(arguments: unexpected.indices)
  func `rules of the apps are checked`(index: Int) throws {
    let (app, sql, words) = Self.unexpected[index]
    let place = try Self.place(app)
    #expect(try !Self.check(place).contains { $0.code == .unexpectedValue })
    try Self.run(sql, on: place, app.name == "ritualist" ? "CloudKit.store" : "default.store")
    let told = try Self.check(place).filter { $0.code == .unexpectedValue }
    #expect(told.contains { $0.message.contains(words) }, "\(told)")
  }

  @Test func `two profiles are two rows of what there is one of`() throws {
    let place = try Self.place(.ritualist, nil, [.twoSingletons])
    for findings in [try Self.check(place), try place.importing().findings] {
      let told = findings.filter { $0.message.contains("the app expects one") }
      #expect(told.map(\.code) == [.unexpectedValue], "\(findings)")
      #expect(told.allSatisfy { $0.message.contains("2 rows of UserProfileModel") })
    }
    #expect(try place.verifying().counts.first { $0.kind == "profile" }?.equal == 2)
  }

  // MARK: Names

  @Test(arguments: ["Übung", "other", String(repeating: "A", count: 70), "日本"])
  func `an entity with any name is imported, and proven`(name: String) throws {
    let place = StoresOfNames()
    let path = try place.store(of: name)
    var options = ImportOptions(source: .folder(path: path), target: place.folder)
    options.includesPrivate = true
    let report = try ImportWorkflow(options, context: TestFolder.context()).perform()
    #expect(report.findings.filter { $0.severity == .error } == [])
    #expect(report.findings.contains { $0.code == .unknownEntity && $0.message.contains(name) })
    #expect(report.counts.reduce(0) { $0 + $1.imported } == 2)
    var checked = VerificationOptions(folder: place.folder)
    checked.reference = .stores(path: path)
    let verified = try VerificationWorkflow(checked, context: TestFolder.context()).perform()
    #expect(verified.isComplete && verified.counts.reduce(0) { $0 + $1.equal } == 2)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder)
      .filter { $0.hasSuffix(".automerge") }
    #expect(names.count == 2 && names.allSatisfy { $0.utf8.allSatisfy { $0 < 128 } }, "\(names)")
  }

  // MARK: What a fresh import and its verification say

  @Test(arguments: [
    "UPDATE ZBOOK SET ZEXTRA = CAST(x'41FF42' AS TEXT) WHERE Z_PK = 6",
    "UPDATE ZBOOK SET Z3_OWNER = 3 WHERE Z_PK = 6",
    "UPDATE ZBOOK SET Z3_OWNER = 5 WHERE Z_PK = 6",
    "UPDATE ZBOOK SET Z3_OWNER = 1 WHERE Z_PK = 6",
    "UPDATE ZPERSON SET ZID = x'01' WHERE Z_PK = (SELECT MIN(ZAUTHOR) FROM ZBOOK)",
    "UPDATE ZBOOK SET ZTITLE = '' WHERE Z_PK = (SELECT MIN(ZBOOK) FROM ZLOAN)",
    "UPDATE ZSHELF SET ZNAME = '' WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZSHELF)",
    "UPDATE ZTAG SET ZWORD = '' WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZTAG)",
  ])
  func `a fresh import is not contradicted`(sql: String) throws {
    let place = try Self.place(.library, "V2")
    try Self.run(sql, on: place, "Library.store")
    try place.importing()
    let verified = try place.verifying()
    #expect(
      !verified.findings.contains { $0.message.contains("cells say") }, "\(verified.findings)")
  }

  @Test func `a version that nothing proves is not told`() throws {
    let lines = try Self.place(.ritualist, "V11", [.badMetadata]).exporting().lines
    #expect(
      lines[0].contains(#""version":11"#) && !lines[0].contains(#""version":12"#), "\(lines[0])")
  }
}

/// A store with an entity of any name beside one of a plain one; it goes with the value.
private struct StoresOfNames {
  private let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  var folder: String { place.appending(path: "data").path }

  func store(of name: String) throws -> String {
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    let path = place.appending(path: "default.store").path
    let database = try TestDatabase(at: path)
    try database.run(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
        Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      INSERT INTO Z_METADATA VALUES (1, '11111111-2222-3333-4444-555555555555', NULL);
      """)
    for (number, entity) in [name, "Zz"].enumerated() {
      let table = "\"Z\(entity.uppercased())\""
      try database.run(
        """
        INSERT INTO Z_PRIMARYKEY VALUES (\(number + 1), '\(entity)', 0, 1);
        CREATE TABLE \(table) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
          ZNAME VARCHAR);
        INSERT INTO \(table) VALUES (1, \(number + 1), 1, 'x');
        """)
    }
    return path
  }
}
