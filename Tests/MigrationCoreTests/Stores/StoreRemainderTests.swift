import Diagnostics
import Foundation
import Runs
import SwiftDataStores
import TestStores
import Testing

@testable import MigrationCore

/// What a store holds and nobody carries is counted, and told by every command alike.
@Suite struct StoreRemainderTests {
  /// Writes a store, with statements on top of its rows.
  private static func write(_ statements: [String], to folder: TestFolder) throws -> String {
    let path = folder.beside("Library.store")
    var made = TestStore()
    made.usesLog = false
    made.statements += statements
    _ = try made.write(to: path)
    return path
  }

  private static func told(by findings: [Finding]) -> [String] {
    findings.filter { $0.code == .notCarried }.map {
      String($0.message.prefix { $0 != ":" }) + ($0.severity == .error ? "" : ", a warning")
    }.sorted()
  }

  /// What export, import, verification and the check of the store say; all the same.
  private static func told(of path: String, _ folder: TestFolder) throws -> [String] {
    let context = TestFolder.context()
    let export = try ExportWorkflow(
      ExportOptions(source: path, destination: .stream(ByteSink(name: "test") { _ in })),
      context: context
    ).perform()
    let imported = try ImportWorkflow(
      ImportOptions(source: .folder(path: path), target: folder.path), context: context
    ).perform()
    var options = VerificationOptions(folder: folder.path)
    options.reference = .stores(path: path)
    let verified = try VerificationWorkflow(options, context: context).perform()
    let checked = try #require(try StoreCheckWorkflow(path, context: context).perform())
    let told = Self.told(by: export.findings)
    #expect(Self.told(by: imported.findings) == told)
    #expect(Self.told(by: verified.findings) == told)
    #expect(Self.told(by: checked.findings) == told)
    if !told.isEmpty { #expect(!verified.isComplete) }
    #expect(!checked.findings.contains { $0.code == .unknownEntity })
    return told
  }

  @Test func `of a sound store nothing is left`() throws {
    let folder = try TestFolder("Data")
    let path = try Self.write(["CREATE TABLE notes (text)"], to: folder)
    #expect(try Self.told(of: path, folder) == [])
  }

  @Test func `what the database computes is told`() throws {
    let folder = try TestFolder("Data")
    let path = try Self.write(
      ["ALTER TABLE ZTAG ADD COLUMN ZLOUD VARCHAR AS (upper(ZWORD))"], to: folder)
    let told = try Self.told(of: path, folder)
    #expect(
      told == ["the database computes ZTAG.ZLOUD from other columns, which are carried, a warning"])
  }

  @Test(arguments: [true, false])
  func `columns whose names differ little are carried each, and compared`(hasModel: Bool) throws {
    let folder = try TestFolder("Data")
    let path = folder.beside("Library.store")
    var made = TestStore()
    made.usesLog = false
    if !hasModel { made.model = nil }
    for name in ["ZNAME1", "NAME", "NAME1"] {
      made.statements += [
        "ALTER TABLE ZSHELF ADD COLUMN \(name) VARCHAR",
        "UPDATE ZSHELF SET \(name) = 'of \(name) ' || Z_PK",
      ]
    }
    _ = try made.write(to: path)
    #expect(try Self.told(of: path, folder) == [])
    let context = TestFolder.context()
    var options = VerificationOptions(folder: folder.path)
    options.reference = .stores(path: path)
    let verified = try VerificationWorkflow(options, context: context).perform()
    // Two of the books have no id, with a model that says that it is a UUID.
    let errors = verified.findings.filter { $0.severity == .error && $0.code != .invalidValue }
    #expect(errors == [])
    #expect(verified.counts.contains { $0.kind == "Shelf" && $0.equal == 2 })
    var text: [UInt8] = []
    let sink = ByteSink(name: "test") { text += $0 }
    _ = try ExportWorkflow(
      ExportOptions(source: path, destination: .stream(sink)), context: context
    ).perform()
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    let shelf = try #require(lines.first { $0.contains("Hall") })
    for member in [
      #""name":"Hall""#, #""name1":"of ZNAME1 1""#, #""NAME":"of NAME 1""#,
      #""NAME1":"of NAME1 1""#,
    ] {
      #expect(shelf.contains(member), "\(shelf)")
    }
  }

  @Test(arguments: [
    (
      [
        "INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (8, 77), (9, 77), (10, NULL), (11, 1)"
      ],
      [
        "1 row of ZTAG is not carried", "1 row of ZTAG is not carried",
        "2 rows of ZTAG are not carried",
      ]
    ),
    // A pair that leads to a row from none is carried from the other side.
    (
      [
        "INSERT INTO Z_1SHELVES VALUES (7, 1), (7, 9), (1, 9), (1.5, 1), (2, 'two'), (NULL, 2.5)"
      ], ["4 pairs of Z_1SHELVES are not carried"]
    ),
    (["UPDATE ZTAG SET Z1TAGS = 44 WHERE Z_PK = 2"], ["1 value of ZTAG.Z1TAGS is not carried"]),
    (
      ["UPDATE ZPERSON SET ZPENNAME = 'George', ZCARD = 5 WHERE Z_PK = 4 OR Z_PK = 1"],
      [
        "1 value of ZPERSON.ZCARD is not carried", "1 value of ZPERSON.ZPENNAME is not carried",
        "1 value of ZPERSON.ZPENNAME is not carried",
      ]
    ),
    (
      [
        "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('one'), ('two')",
        "CREATE TABLE ZOTHER (text)", "INSERT INTO ZOTHER VALUES ('three')",
        "CREATE TABLE apples (text)", "INSERT INTO apples VALUES ('four')",
      ],
      [
        "1 row of the table ZOTHER is not carried", "1 row of the table apples is not carried",
        "2 rows of the table notes are not carried",
      ]
    ),
  ])
  func `what is in no row of an entity is told`(statements: [String], told: [String]) throws {
    let folder = try TestFolder("Data")
    let path = try Self.write(statements, to: folder)
    #expect(try Self.told(of: path, folder) == told)
  }

  @Test func `a number that is none hides no pair behind it`() throws {
    let folder = try TestFolder("Data")
    let path = try Self.write(["INSERT INTO Z_1SHELVES VALUES (0.5, 1)"], to: folder)
    final class Collected { var bytes: [UInt8] = [] }
    let collected = Collected()
    let options = ExportOptions(
      source: path, destination: .stream(ByteSink(name: "test") { collected.bytes += $0 }))
    _ = try ExportWorkflow(options, context: TestFolder.context()).perform()
    let lines = String(decoding: collected.bytes, as: UTF8.self).split(separator: "\n")
    let book = try #require(lines.first { $0.contains(#""place":"Book/p1""#) })
    #expect(book.contains(#"/Shelf/p1","#) && book.contains(#"/Shelf/p2"]"#))
  }

  @Test func `the command keeps the store as it is`() throws {
    let folder = try TestFolder("Data")
    let path = try Self.write(["INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (8, 77)"], to: folder)
    let report = try ImportWorkflow(
      ImportOptions(source: .folder(path: path), target: folder.path),
      context: TestFolder.context()
    ).perform()
    let finding = try #require(report.findings.first { $0.code == .notCarried })
    #expect(finding.command == NextCommand(.packBackup, [path]))
    #expect(finding.next?.hasPrefix("pack-backup ") == true)
  }
}
