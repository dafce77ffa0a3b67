import Diagnostics
import Foundation
import SafeFiles
import SampleFolders
import SampleStores
import Testing

@testable import SwiftDataStores

/// Stores that are made up, as the reader of stores finds them.
@Suite struct SampleStoreTests {
  /// A version of an app.
  struct Version: CustomTestStringConvertible, Sendable {
    let app: SampleApp
    let name: String

    var testDescription: String { "\(app.name) \(name)" }
  }

  static let versions = SampleApp.all.flatMap { app in
    app.versions.map { Version(app: app, name: $0.name) }
  }

  private let place: StorePlace

  init() throws { place = try StorePlace() }

  private func plan(_ app: SampleApp, _ version: String? = nil, device: Int = 1) throws -> StorePlan
  {
    var plan = try #require(StorePlan(app, version: version))
    (plan.rowCount, plan.device) = (120, device)
    return plan
  }

  private func files(_ plan: StorePlan) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    try SampleStore(plan).forEachFile { files[$0.path.description] = $0.bytes }
    return files
  }

  private func write(_ files: [String: [UInt8]]) throws {
    for (name, bytes) in files {
      let url = URL(filePath: place.path + "/" + name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try place.write(bytes, to: name)
    }
  }

  private func open(_ name: String) throws -> Store {
    let found = try StoreFinder.find(at: place.path + "/" + name)
    return try StoreOpener(workingDirectory: place.working).open(try #require(found.stores.first))
  }

  @Test(arguments: versions)
  func `each version opens with the model it was made of, and every property has its place`(
    version: Version
  ) throws {
    let plan = try plan(version.app, version.name)
    try write(try files(plan))
    var rowCount: Int64 = 0
    let stores = version.app.files.filter { $0.versions.contains(plan.version.number) }
    #expect(!stores.isEmpty)
    for file in stores {
      let store = try open(file.name)
      #expect(store.model == version.app.model(of: plan.version, in: file))
      #expect(store.metadata?.versionIdentifiers == [plan.version.identifier])
      #expect(store.metadata?.frameworkVersion == 1345)
      #expect(
        store.metadata?.versionHashes.map(\.entity) == store.model?.entities.map(\.name))
      #expect(store.mirroringTableCount == file.mirroringTables.count)
      let expected: [Finding.Code] = plan.version.suffix.isEmpty ? [] : [.dormantVersioning]
      #expect(store.findings.map(\.code) == expected)
      for entity in store.layout.entities {
        #expect(
          entity.properties.allSatisfy { $0.place != .missing }, "\(entity.name)")
        rowCount += Int64(try store.allRows(of: entity.name).count)
      }
    }
    #expect(rowCount == 120)
  }

  @Test func `the tables are those that Core Data makes`() throws {
    try write(try files(try plan(.library, "V1")))
    let store = try open("Library.store")
    func sql(_ name: String) throws -> String? {
      try store.database.cell("SELECT sql FROM sqlite_schema WHERE name = '\(name)'").string
    }
    #expect(
      try sql("ZBOOK")
        == "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        + "ZISREAD INTEGER, ZPAGES INTEGER, Z3_OWNER INTEGER, ZAUTHOR INTEGER, ZOWNER INTEGER, "
        + "ZRATING FLOAT, ZADDEDAT TIMESTAMP, ZPRICE DECIMAL, ZTITLE VARCHAR, ZCOVER BLOB, "
        + "ZEXTRA BLOB )")
    #expect(
      try sql("ZTAG")
        == "CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        + "Z1TAGS INTEGER, ZWORD VARCHAR )")
    #expect(
      try sql("Z_1SHELVES")
        == "CREATE TABLE Z_1SHELVES ( Z_1BOOKS INTEGER, Z_6SHELVES INTEGER, "
        + "PRIMARY KEY (Z_1BOOKS, Z_6SHELVES) )")
    #expect(
      try sql("Z_Book_UNIQUE_title")
        == "CREATE UNIQUE INDEX Z_Book_UNIQUE_title ON ZBOOK (ZTITLE COLLATE BINARY ASC)")
    #expect(
      try sql("ZBOOK_ZAUTHOR_INDEX") == "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)")
    #expect(store.layout.ownEntities.map(\.name) == ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"])
    #expect(try store.database.cell("PRAGMA auto_vacuum").integer == 2)
    #expect(store.header.pageSize == 4096 && store.header.usesLog)
  }

  @Test func `values of every type come back, the large ones from their files`() throws {
    let files = try files(try plan(.library))
    try write(files)
    let store = try open("Library.store")
    var types: Set<String> = []
    for entity in store.layout.entities {
      for row in try store.allRows(of: entity.name) {
        for value in row.values { types.insert(String("\(value)".prefix { $0 != "(" })) }
      }
    }
    #expect(
      types == [
        "null", "boolean", "integer", "double", "decimal", "date", "text", "uuid", "bytes",
        "external", "reference", "parts",
      ])
    let external = files.keys.filter { $0.hasPrefix(".Library_SUPPORT/_EXTERNAL_DATA/") }
    var named: Set<String> = []
    for book in try store.allRows(of: "Book") {
      if case .external(let data)? = book["cover"] {
        named.insert(".Library_SUPPORT/_EXTERNAL_DATA/\(data.uuid)")
        #expect(data.byteCount == 120_000)
      }
    }
    #expect(named == Set(external) && !named.isEmpty)
    #expect(try store.pairs("shelves", of: "Book").count > 80)
  }

  @Test func `the newest rows are in the log only, with older frames behind them`() throws {
    var files = try files(try plan(.ritualist))
    try write(files)
    let whole = try open("CloudKit.store")
    #expect(whole.log.frameCount > 0 && whole.log.tail == .old)
    let count = try whole.allRows(of: "HabitLogModel").count
    files["CloudKit.store-wal"] = nil
    try FileManager.default.removeItem(atPath: place.path + "/CloudKit.store-wal")
    let alone = try open("CloudKit.store")
    #expect(try alone.allRows(of: "HabitLogModel").count == count - 3)
    #expect(alone.findings.isEmpty)
  }

  @Test func `two devices have the same identities under other numbers, with other values`() throws
  {
    var devices: [[[UInt8]: Int64]] = []
    var names: [Set<String>] = []
    var identifiers: Set<String> = []
    for device in 1...2 {
      try write(try files(try plan(.ritualist, device: device)))
      let store = try open("CloudKit.store")
      identifiers.insert(store.metadata?.uuid ?? "")
      var numbers: [[UInt8]: Int64] = [:]
      for row in try store.allRows(of: "HabitLogModel") {
        guard case .uuid(let id)? = row["id"] else { continue }
        numbers[id] = row.number
      }
      devices.append(numbers)
      names.append(Set(try store.texts("name", of: "HabitModel")))
    }
    #expect(identifiers.count == 2)
    let shared = Set(devices[0].keys).intersection(devices[1].keys)
    #expect(shared.count == devices[1].count && shared.count < devices[0].count)
    #expect(shared.count(where: { devices[0][$0] != devices[1][$0] }) > shared.count / 2)
    #expect(names[0] != names[1] && !names[0].isDisjoint(with: names[1]))
  }

  @Test func `equal plans give equal bytes, and another seed others`() throws {
    var plan = try plan(.laundryTime)
    let files = try files(plan)
    #expect(try self.files(plan) == files)
    plan.seed = 2
    #expect(try self.files(plan) != files)
    plan.rowCount = 0
    let empty = try self.files(plan)
    #expect(empty.keys.sorted() == ["default.store"])
    try write(empty)
    #expect(try open("default.store").allRows(of: "Pet").isEmpty)
  }
}
