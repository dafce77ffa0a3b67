import Automerge
import Diagnostics
import Foundation
import SampleStores
import TestStores
import Testing

@testable import MigrationCore
@testable import Runs

/// Stores that lack files or rows: what stands for a value there takes the place of none.
@Suite struct LackingStoreTests {
  private static func library() throws -> StorePlace {
    try StorePlace(StorePlace.plan(.library, "V2"))
  }

  private static func ritualist() throws -> StorePlace {
    try StorePlace(StorePlace.plan(.ritualist, "V11"))
  }

  private static func setHidden(_ isAway: Bool, of place: StorePlace) throws {
    let (here, away) = (place.stores.path + "/.Library_SUPPORT", place.stores.beside("away"))
    try FileManager.default.moveItem(atPath: isAway ? here : away, toPath: isAway ? away : here)
  }

  @Test func `a store without its files takes no value from documents, and gets none lost`() throws
  {
    let place = try Self.library()
    try place.importing()
    let documents = try place.documents()
    try Self.setHidden(true, of: place)
    let without = try place.importing { $0.updates = true }
    #expect(without.findings.contains { $0.code == .missingFile })
    let kept = without.findings.filter { $0.code == .keptValue }
    #expect(!kept.isEmpty && kept.allSatisfy { $0.message.contains("keeps the cover") })
    #expect(try place.documents() == documents)
    let verified = try place.verifying()
    #expect(verified.isSound && !verified.isComplete)
    #expect(verified.findings.count { $0.code == .keptValue } == kept.count)
    // No advice is to do what would have lost them.
    #expect(!verified.findings.contains { $0.command?.shellText.contains("--update") ?? false })
    #expect(
      try place.importing {
        $0.updates = true
        $0.prefersLegacy = true
      }.documents.allSatisfy { $0.changesAdded == 0 })
    try Self.setHidden(false, of: place)
    #expect(try place.importing { $0.updates = true }.documents.allSatisfy { $0.changesAdded == 0 })
    #expect(try place.verifying().isComplete)
  }

  @Test func `what was missing when it was imported comes in with the files`() throws {
    let place = try Self.library()
    try Self.setHidden(true, of: place)
    try place.importing()
    try Self.setHidden(false, of: place)
    let told = try place.importing()
    #expect(
      told.findings.contains {
        $0.code == .diverged && $0.message.contains("shows that a store lacked its cover")
      })
    #expect(try !place.verifying().isSound)
    #expect(try place.importing { $0.updates = true }.documents.contains { $0.changesAdded > 0 })
    let verified = try place.verifying()
    #expect(verified.isComplete && verified.otherViewCount == 0)
  }

  @Test func `rows that are gone take no identity from documents, and come back`() throws {
    let place = try Self.ritualist()
    try place.importing()
    let documents = try place.documents()
    let database = try TestDatabase(at: place.stores.path + "/CloudKit.store")
    try database.run(
      """
      CREATE TEMP TABLE KEPT AS SELECT * FROM ZHABITMODEL WHERE Z_PK = 1;
      DELETE FROM ZHABITMODEL WHERE Z_PK = 1
      """)
    try database.checkpoint()
    let without = try place.importing { $0.updates = true }
    #expect(without.findings.contains { $0.code == .keptValue && $0.message.contains("habit") })
    #expect(try place.documents() == documents)
    try database.run("INSERT INTO ZHABITMODEL SELECT * FROM KEPT")
    try database.checkpoint()
    #expect(try place.importing { $0.updates = true }.documents.allSatisfy { $0.changesAdded == 0 })
    #expect(try place.verifying().isComplete)
  }

  @Test func `an identity that an import lacked comes in with its row`() throws {
    let place = try Self.ritualist()
    let database = try TestDatabase(at: place.stores.path + "/CloudKit.store")
    func setHabit(_ value: String) throws {
      try database.run(
        "UPDATE ZHABITLOGMODEL SET ZHABIT = \(value) WHERE Z_PK = "
          + "(SELECT MIN(Z_PK) FROM ZHABITLOGMODEL)")
      try database.checkpoint()
    }
    let habit = try #require(
      try database.texts("SELECT ZHABIT FROM ZHABITLOGMODEL ORDER BY Z_PK LIMIT 1").first)
    try setHabit("9999")
    try place.importing()
    try setHabit(habit)
    #expect(try place.importing().findings.contains { $0.code == .diverged })
    #expect(try place.importing { $0.updates = true }.documents.contains { $0.changesAdded > 0 })
    #expect(try place.verifying().isComplete)
  }

  @Test func `two devices of which one lacks the files come to the same, with every value`() throws
  {
    let (whole, bare) = (try Self.library(), try Self.library())
    try Self.setHidden(true, of: bare)
    try whole.importing()
    try bare.importing()
    try Self.merge(whole, with: bare)
    for _ in 0..<2 {
      for place in [whole, bare] { try place.importing { $0.updates = true } }
      try Self.merge(whole, with: bare)
    }
    let verified = try whole.verifying()
    #expect(verified.isComplete && verified.otherViewCount == 0, "\(verified.findings)")
    #expect(try bare.verifying().findings.contains { $0.code == .keptValue })
    #expect(try !bare.verifying().findings.contains { $0.code == .diverged })
    #expect(
      try bare.importing { $0.updates = true }.documents.allSatisfy { $0.changesAdded == 0 })
  }

  /// Gives both folders the documents of both, merged.
  private static func merge(_ one: StorePlace, with other: StorePlace) throws {
    let (left, right) = (try one.documents(), try other.documents())
    for (path, bytes) in left where path.hasSuffix(".automerge") {
      let merged = try Document(Data(bytes))
      try merged.merge(other: Document(Data(right[path] ?? [])))
      let saved = [UInt8](merged.save())
      for place in [one, other] { try place.folder.write(saved, to: path) }
    }
    for (path, bytes) in left.merging(right, uniquingKeysWith: { first, _ in first })
    where path.hasPrefix("blobs/") {
      for place in [one, other] { try place.folder.write(bytes, to: path) }
    }
  }
}
