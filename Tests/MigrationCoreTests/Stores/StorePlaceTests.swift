import Diagnostics
import Foundation
import Runs
import SampleStores
import TestStores
import Testing

@testable import MigrationCore

/// Directories of stores: what is in them and no command reads, or packs, is told by each.
@Suite struct StorePlaceTests {
  @Test func `rows of a store without an identifier are nobody's, and those of two are not one`()
    throws
  {
    let place = try StorePlace.made("library V2", [.noMetadata])
    let report = try place.importing()
    let told = report.findings.filter { $0.code == .rowIdentity }
    #expect(told.map(\.severity) == [.error])
    #expect(told.allSatisfy { $0.message.contains("Loan") && $0.next != nil })
    #expect(try !place.documents().keys.contains("Loan.automerge"))
    #expect(report.counts.reduce(0) { $0 + $1.imported } > 20)
    #expect(try !place.verifying().isSound)
    // An identifier beside metadata that cannot be read is one.
    let other = try StorePlace.made("library V2")
    try other.importing()
    let documents = try other.documents()
    let database = try TestDatabase(at: other.stores.path + "/Library.store")
    try database.run("UPDATE Z_METADATA SET Z_PLIST = x'00'")
    try database.checkpoint()
    #expect(try other.importing().documents.allSatisfy { $0.changesAdded == 0 })
    #expect(try other.documents() == documents)
  }

  @Test func `a lost database and a link are told by everybody who is given the directory`() throws
  {
    let place = try StorePlace.made("library V2")
    let log = place.stores.path + "/Gone.store-wal"
    try Data([1, 2, 3]).write(to: URL(filePath: log))
    try FileManager.default.createSymbolicLink(
      atPath: place.stores.path + "/Linked.store", withDestinationPath: "/dev/null")
    let codes: [Finding.Code] = [.missingStore, .symbolicLink]
    func told(_ findings: [Finding]) -> [Finding.Code] {
      findings.filter { codes.contains($0.code) && $0.severity == .error }.map(\.code)
    }
    #expect(try told(place.importing().findings) == codes)
    #expect(try told(place.exporting().report.findings) == codes)
    #expect(try told(place.verifying().findings) == codes)
    let context = TestFolder.context()
    let pack = try PackOptions(folder: place.stores.path).workflow(context: context)
    #expect(try told(pack.plan().findings) == codes)
    let status = try StoreStatusWorkflow(place.stores.path, context: context).perform()
    #expect(told(status.findings) == codes)
    // With nothing else there nothing is imported, and that is said.
    try FileManager.default.removeItem(atPath: place.stores.path + "/Library.store")
    for name in ["Library.store-wal", "Linked.store"] {
      try FileManager.default.removeItem(atPath: place.stores.path + "/" + name)
    }
    #expect(throws: MigrationError.self) { try place.importing() }
    #expect(throws: MigrationError.self) { try place.exporting() }
    let alone = try PackOptions(folder: place.stores.path).workflow(context: context).plan()
    #expect(told(alone.findings) == [.missingStore] && alone.archives.isEmpty)
  }

  @Test func `a backup of a directory tells of the stores that it does not hold`() throws {
    let place = try StorePlace.made("library V2")
    let deep = place.stores.path + "/in/deep"
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
    for (name, target) in [("", "/More.store"), ("", "/plain"), ("-wal", "/plain-wal")] {
      let bytes = try place.stores.bytes("Library.store\(name)")
      try Data(bytes).write(to: URL(filePath: deep + target))
    }
    let context = TestFolder.context()
    let report = try PackOptions(folder: place.stores.path).workflow(context: context).plan()
    #expect(report.archives.count == 1)
    let told = report.findings.filter { $0.code == .notLookedAt && $0.severity == .error }
    #expect(told.map(\.path).sorted() == ["in/deep/More.store", "in/deep/plain"])
    #expect(
      told.first?.command?.arguments.last == place.stores.path + "/in/deep/More.store")
    // Where nothing but a folder is packed, they are in that as files.
    let outer = try PackOptions(folder: place.stores.path + "/in").workflow(context: context).plan()
    #expect(outer.findings.map(\.code).contains(.notLookedAt) && outer.archives.count == 1)
  }

  @Test func `a copy for others has no row of a table that is no entity's`() throws {
    let place = try StorePlace.made("ritualist V11", [.unknownColumns])
    let store = place.stores.path + "/CloudKit.store"
    let database = try TestDatabase(at: store)
    try database.run("CREATE TABLE notes (text); INSERT INTO notes VALUES ('very private words')")
    try database.run("CREATE VIRTUAL TABLE found USING fts5(text)")
    try database.run("INSERT INTO found VALUES ('another private word')")
    try database.checkpoint()
    var options = PackOptions(folder: store)
    (options.isForSupport, options.output) = (true, place.folder.beside("copy.tar"))
    let report = try StorePackWorkflow(options, context: TestFolder.context()).perform()
    let told = report.findings.filter { $0.code == .privateKind && $0.severity == .warning }
    #expect(told.contains { $0.message.contains("1 row of the table notes is left out") })
    #expect(
      report.findings.contains { $0.code == .unknownEntity && $0.message.contains("Sticker") })
    let bytes = try #require(FileManager.default.contents(atPath: place.folder.beside("copy.tar")))
    #expect(bytes.range(of: Data("private word".utf8)) == nil)
    #expect(bytes.range(of: Data("SQLite format 3".utf8)) != nil)
  }
}

extension StorePlace {
  /// The stores of an app and a version, such as `library V2`.
  fileprivate static func made(
    _ version: String, _ damages: Set<StoreDamage> = []
  ) throws -> StorePlace {
    let words = version.split(separator: " ").map(String.init)
    guard let app = SampleApp.named(words[0]) else { throw CocoaError(.featureUnsupported) }
    return try StorePlace(plan(app, words[1], rows: 120, damages))
  }
}
