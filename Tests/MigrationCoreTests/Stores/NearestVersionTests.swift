import Diagnostics
import Foundation
import SampleStores
import TestStores
import Testing

@testable import MigrationCore

/// A store that no profile fits exactly is told with the version that comes nearest, and what differs.
@Suite struct NearestVersionTests {
  private static func message(_ place: StorePlace) throws -> [String] {
    let source = try #require(
      try StoreSource.open(place.stores.path, context: TestFolder.context()))
    return source.findings.filter { $0.code == .unknownVersion }.map(\.message)
  }

  @Test func `properties and entities that are more are named`() throws {
    let place = try StorePlace(
      StorePlace.plan(.ritualist, "V11", rows: 60, [.unknownColumns]))
    let message = try #require(try Self.message(place).first)
    #expect(
      message.hasSuffix(
        "nearest is version 11.0.0 of ritualist: HabitModel has more: mood, the entity Sticker is more"
      ))
  }

  @Test func `what is missing is named, and an exact version is not told`() throws {
    let place = try StorePlace(StorePlace.plan(.ritualist, "V11", rows: 60))
    #expect(try Self.message(place) == [])
    let database = try TestDatabase(at: place.stores.path + "/CloudKit.store")
    try database.run("ALTER TABLE ZHABITMODEL DROP COLUMN ZEMOJI")
    let message = try #require(try Self.message(place).first)
    #expect(message.hasSuffix("nearest is version 11.0.0 of ritualist: HabitModel lacks emoji"))
  }

  @Test func `where no profile knows most, the one that knows some is named`() throws {
    let place = try StorePlace(StorePlace.plan(.laundryTime, rows: 60))
    let database = try TestDatabase(at: place.stores.path + "/default.store")
    for number in 50..<55 {
      try database.run(
        "CREATE TABLE ZMORE\(number) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT)")
      try database.run("INSERT INTO Z_PRIMARYKEY VALUES (\(number), 'More\(number)', 0, 0)")
    }
    let message = try #require(try Self.message(place).first)
    #expect(message.contains("no built-in profile knows most of it; nearest is"))
    #expect(message.contains("laundrytime: the entity More50 is more, the entity More51 is more"))
    let other = try StorePlace(StorePlace.plan(.library, rows: 60))
    #expect(try Self.message(other) == [])
  }
}
