import Diagnostics
import Foundation
import Runs
import SampleStores
import TestStores
import Testing

@testable import MigrationCore

/// Two stores compare: counts, then every field both ways, whatever numbers their rows have.
@Suite struct StoreComparisonTests {
  private static func place(
    _ app: SampleApp, rows: Int = 60, device: Int = 1, _ damages: Set<StoreDamage> = []
  ) throws -> StorePlace {
    try StorePlace(StorePlace.plan(app, rows: rows, device: device, damages))
  }

  private static func compare(
    _ one: StorePlace, with other: StorePlace
  ) throws -> VerificationReport {
    var options = VerificationOptions(folder: one.stores.path)
    options.reference = .folder(path: other.stores.path)
    return try VerificationWorkflow(options, context: TestFolder.context()).perform()
  }

  /// What is told about rows: the code, and what follows the path.
  private static func told(_ report: VerificationReport, _ code: Finding.Code) -> Set<String> {
    Set(
      report.findings.filter { $0.code == code }.map { finding in
        finding.message.split(separator: " ").prefix(2).joined(separator: " ")
      })
  }

  @Test(arguments: SampleApp.all.map(\.name))
  func `equal stores are equal in every row`(app: String) throws {
    let app = try #require(SampleApp.named(app))
    let report = try Self.compare(Self.place(app), with: Self.place(app))
    #expect(report.isSound && report.isOfStores)
    #expect(report.counts.reduce(0) { $0 + $1.equal } == 60)
    #expect(report.counts.allSatisfy { $0.reference == $0.documents && $0.equal == $0.reference })
    #expect(report.fieldsCompared > 100)
  }

  @Test func `two devices differ in what was edited, the same seen from either`() throws {
    let (one, other) = (
      try Self.place(.ritualist, rows: 200), try Self.place(.ritualist, rows: 200, device: 2)
    )
    let (there, back) = (
      try Self.compare(one, with: other), try Self.compare(other, with: one)
    )
    #expect(!there.isSound)
    let edited = Self.told(there, .fieldDiffers)
    #expect(!edited.isEmpty && edited == Self.told(back, .fieldDiffers))
    #expect(Self.told(there, .extraEntity) == Self.told(back, .missingEntity))
    #expect(Self.told(there, .missingEntity) == Self.told(back, .extraEntity))
    #expect(!Self.told(there, .extraEntity).isEmpty)
    // The other numbers of rows on the second device are no difference.
    let equal = there.counts.reduce(0) { $0 + $1.equal }
    #expect(equal > 150 && equal == back.counts.reduce(0) { $0 + $1.equal })
  }

  @Test func `one cell, one row and one link are a difference each`() throws {
    let (one, other) = (try Self.place(.library), try Self.place(.library))
    let database = try TestDatabase(at: other.stores.path + "/Library.store")
    let book = "(SELECT MIN(Z_PK) FROM ZBOOK)"
    try database.run("UPDATE ZBOOK SET ZPAGES = 12345 WHERE Z_PK = \(book)")
    try database.run("DELETE FROM ZLOAN WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZLOAN)")
    try database.run("UPDATE ZPERSON SET ZNAME = NULL WHERE Z_PK = (SELECT MAX(Z_PK) FROM ZPERSON)")
    let report = try Self.compare(one, with: other)
    let differing = report.findings.filter { $0.code == .fieldDiffers }.map(\.message)
    #expect(differing.contains { $0.hasPrefix("Book ") && $0.contains("differs in pages from") })
    #expect(differing.contains { $0.contains("differs in name from") })
    #expect(differing.count == 2)
    #expect(Self.told(report, .extraEntity).count == 1)
    #expect(Self.told(report, .missingEntity).isEmpty)
  }

  @Test func `rows of one identity stand against each other one by one`() throws {
    let one = try Self.place(.laundryTime, [.twoSingletons])
    #expect(try Self.compare(one, with: Self.place(.laundryTime, [.twoSingletons])).isSound)
    let report = try Self.compare(one, with: Self.place(.laundryTime))
    #expect(report.counts.contains { $0.documents == $0.reference + 1 })
    #expect(report.findings.count { $0.severity == .error } >= 1)
  }

  @Test func `a folder without documents beside no store is no store`() throws {
    let place = try Self.place(.laundryTime)
    let report = try place.verifying()
    #expect(!report.isOfStores && !report.isSound)
  }
}
