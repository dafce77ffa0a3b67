import Diagnostics
import FolderDocuments
import Folders
import SampleStores
import SwiftDataStores
import TestStores
import Testing

@testable import MigrationCore

/// Numbers in cells, as far from what is declared as they can be: each is carried with all its digits, and
/// the two who read cells agree about them.
@Suite struct StoreNumberTests {
  private static func place(
    _ app: SampleApp, _ store: String, running sql: String
  ) throws -> StorePlace {
    let place = try StorePlace(StorePlace.plan(app))
    let database = try TestDatabase(at: "\(place.stores.path)/\(store)")
    try database.run(sql)
    try database.checkpoint()
    return place
  }

  /// The part of a line that says what a field is.
  private static func field(
    _ name: String, ofRow row: String, in lines: [String]
  ) throws -> String {
    let line = try #require(lines.first { $0.contains("\"place\":\"\(row)\"") })
    let start = try #require(line.firstRange(of: "\"\(name)\":"))
    return String(line[start.upperBound...].prefix { $0 != "," && $0 != "}" })
  }

  private static func prove(_ place: StorePlace) throws {
    let imported = try place.importing()
    #expect(!imported.findings.contains { $0.severity == .error }, "\(imported.findings)")
    let verified = try place.verifying()
    #expect(verified.isSound, "\(verified.findings.filter { $0.severity == .error })")
  }

  private static let dates: [(seconds: Int64, shown: String)] = [
    (.max, "9223372036854775807"), (.min, "-9.223372036854776e+18"),
    (9_007_199_254_740_993, "9007199254740993"), (-9_007_199_254_740_993, "-9007199254740993"),
    (4_611_686_018_427_387_904, "4.611686018427388e+18"),
  ]

  @Test(arguments: dates)
  func `a date that is no date is a number with all its digits, and its row is imported`(
    seconds: Int64, shown: String
  ) throws {
    let place = try Self.place(
      .laundryTime, "default.store",
      running: "UPDATE ZLAUNDRYTASK SET ZWASHSTARTTIME = \(seconds) "
        + "WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZLAUNDRYTASK)")
    let (lines, report) = try place.exporting()
    let row = try #require(lines.first { $0.contains("\"washStartTime\":\(shown)") })
    #expect(!row.contains("\"types\""), "\(row)")
    #expect(report.findings.contains { $0.code == .unexpectedValue }, "\(report.findings)")
    try Self.prove(place)
  }

  private static let decimals: [Int64] = [
    .max, .min, 9_007_199_254_740_993, 9_007_199_254_740_992, -9_007_199_254_740_992,
    4_611_686_018_427_387_904, 4_611_686_018_427_388_000, 5, 0,
  ]

  @Test(arguments: decimals)
  func `a decimal that is kept as a whole number has all its digits`(value: Int64) throws {
    let place = try Self.place(
      .library, "Library.store",
      running: "UPDATE ZBOOK SET ZPRICE = \(value) WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZBOOK)")
    let lines = try place.exporting().lines
    let field = try Self.field("price", ofRow: "Book/p1", in: lines)
    let digits = field.split(separator: "\"").joined()
    #expect(ExactDecimal(digits) == ExactDecimal(String(value)), "\(field)")
    try Self.prove(place)
  }

  @Test func `zeros below zero inside of lists are what they are`() throws {
    let place = try Self.place(
      .ritualist, "CloudKit.store",
      running: "UPDATE ZHABITMODEL SET ZLOCATIONCONFIGDATA = CAST('[-0,-0.0,0,1e5]' AS BLOB) "
        + "WHERE Z_PK = 1")
    try Self.prove(place)
  }

  @Test(arguments: [
    (SampleApp.ritualist, "CloudKit.store", "ZHABITLOGMODEL", "ZHABITID"),
    (.laundryTime, "default.store", "ZLAUNDRYTASK", "ZPETID"),
  ])
  func `a number where the model has a UUID leads nowhere`(
    app: SampleApp, store: String, table: String, column: String
  ) throws {
    for value in [2, -1, Int64.max] {
      let place = try Self.place(
        app, store,
        running: "UPDATE \(table) SET \(column) = \(value) "
          + "WHERE Z_PK = (SELECT MIN(Z_PK) FROM \(table))")
      #expect(try place.exporting().lines.contains { $0.contains("ID\":\(value),") })
      try Self.prove(place)
    }
  }

  @Test func `a row may have the lowest number there is`() throws {
    let place = try Self.place(
      .ritualist, "CloudKit.store",
      running: "UPDATE ZUSERPROFILEMODEL SET Z_PK = \(Int64.min)")
    try Self.prove(place)
  }

  @Test func `what leads to a row that is nobody's leads to none`() throws {
    let place = try Self.place(
      .library, "Library.store", running: "UPDATE ZSHELF SET Z_ENT = 'x' WHERE Z_PK = 1")
    let (lines, report) = try place.exporting()
    #expect(lines.contains { $0.contains("\"Shelf/p1\"") })
    #expect(report.findings.contains { $0.code == .danglingReference }, "\(report.findings)")
    try place.importing()
    let differing = try place.verifying().findings.filter { $0.code == .fieldDiffers }
    #expect(differing.isEmpty, "\(differing)")
  }
}
