import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Synchronization
import Testing
import TestStores

@testable import SwiftDataStores

@Suite struct StoreOpeningTests {
  private let newest = "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (4, 1, 1, 'Newest')"

  @Test func `rows that are in the log only are read, and no file of the user's changes`() throws {
    let place = try StorePlace()
    var made = TestStore()
    made.newest = [newest, "UPDATE ZBOOK SET ZTITLE = 'Ashes' WHERE Z_PK = 3"]
    try place.write(made)
    let before = try place.content()
    #expect(before.count == 2)
    let store = try place.open()
    #expect(try store.texts("title", of: "Book") == ["Middlemarch", "Émile", "Ashes", "Newest"])
    #expect(store.log.frameCount > 0)
    #expect(store.log.tail == .none)
    #expect(store.findings.isEmpty)
    #expect(try place.content() == before)
  }

  @Test func `a store without a log is read, whatever its journal mode`() throws {
    for usesLog in [true, false] {
      let place = try StorePlace()
      var made = TestStore()
      made.usesLog = usesLog
      try place.write(made)
      if usesLog { try FileManager.default.removeItem(atPath: place.store + "-wal") }
      let store = try place.open()
      #expect(store.header.usesLog == usesLog)
      #expect(store.log == WriteAheadLog())
      #expect(try store.texts("title", of: "Book").count == 3)
      #expect(store.findings.isEmpty)
    }
  }

  @Test func `a log of which SQLite takes nothing is told`() throws {
    let place = try StorePlace()
    var made = TestStore()
    made.newest = [newest]
    try place.write(made)
    var log = try place.bytes(of: "Library.store-wal")
    log[16] ^= 1
    try place.write(log, to: "Library.store-wal")
    let store = try place.open()
    #expect(store.log.isStale)
    #expect(store.findings.map(\.code) == [.staleLog])
    #expect(try store.texts("title", of: "Book").count == 3)
  }

  @Test func `a log that is torn behind its last transaction gives what is before`() throws {
    let made = {
      var made = TestStore()
      made.newest = [newest, "UPDATE ZBOOK SET ZTITLE = 'Ashes' WHERE Z_PK = 3"]
      return made
    }()
    let whole = try StorePlace()
    try whole.write(made)
    let log = try whole.bytes(of: "Library.store-wal")
    let frameCount = try whole.open().log.frameCount
    #expect(frameCount >= 2)
    for frames in 0..<frameCount {
      let place = try StorePlace()
      try place.write(try whole.bytes(of: "Library.store"), to: "Library.store")
      try place.write(Array(log.prefix(32 + frames * 4120 + 2000)), to: "Library.store-wal")
      let store = try place.open()
      let titles = try store.texts("title", of: "Book")
      if store.log.frameCount == 0 {
        #expect(store.findings.map(\.code) == [.staleLog])
        #expect(titles.count == 3)
      } else {
        #expect(store.findings.map(\.code) == [.tornLog])
        #expect(titles.contains("Newest") && !titles.contains("Ashes"))
      }
    }
  }

  @Test func `frames of an earlier round behind the newest are no finding`() throws {
    let place = try StorePlace()
    let database = try TestStore().write(to: place.store)
    for row in 10..<60 {
      try database.run(
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (\(row), 1, 1, 'Book \(row)')")
    }
    try database.run("PRAGMA wal_checkpoint(RESTART)")
    try database.run(newest)
    let store = try place.open()
    #expect(store.log.tail == .old)
    #expect(store.findings.isEmpty)
    #expect(try store.texts("title", of: "Book").count == 54)
    withExtendedLifetime(database) {}
  }

  @Test func `frames without the end of their transaction are told`() throws {
    let place = try StorePlace()
    let database = try TestStore().write(to: place.store)
    try database.run(newest)
    try database.run("PRAGMA cache_size=1")
    try database.run("PRAGMA cache_spill=1")
    try database.run("BEGIN")
    for row in 10..<400 {
      try database.run(
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCOVER) VALUES (\(row), 1, 1, 'B \(row)', "
          + "zeroblob(2000))")
    }
    let store = try place.open()
    #expect(store.log.tail == .unfinished)
    #expect(store.findings.map(\.code) == [.tornLog])
    #expect(try store.texts("title", of: "Book").count == 4)
    try database.run("ROLLBACK")
  }

  @Test func `the log of another store is told where it makes one of it`() throws {
    let other = try StorePlace()
    var made = TestStore()
    made.uuid = "FFFFFFFF-0000-4000-8000-00000000000B"
    made.newest = ["UPDATE Z_METADATA SET Z_VERSION = 1"]
    let database = try made.write(to: other.store)
    let place = try StorePlace()
    try place.write()
    try place.write(try other.bytes(of: "Library.store-wal"), to: "Library.store-wal")
    let store = try place.open()
    #expect(store.findings.map(\.code) == [.foreignLog])
    withExtendedLifetime(database) {}
  }

  @Test func `what an unfinished transaction wrote into the database is undone in the copy`() throws
  {
    let made = try StorePlace()
    var content = TestStore()
    content.usesLog = false
    let database = try content.write(to: made.store)
    try database.run("PRAGMA cache_size=1")
    try database.run("BEGIN")
    for row in 10..<400 {
      try database.run(
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCOVER) VALUES (\(row), 1, 1, 'B \(row)', "
          + "zeroblob(2000))")
    }
    // As if the app had died here: nobody has the copies locked.
    let place = try StorePlace()
    for suffix in ["", "-journal"] {
      try place.write(try made.bytes(of: "Library.store" + suffix), to: "Library.store" + suffix)
    }
    try database.run("ROLLBACK")
    let before = try place.content()
    #expect(before["Library.store"] != (try made.content())["Library.store"])
    let store = try place.open()
    #expect(try store.texts("title", of: "Book").count == 3)
    #expect(try place.content() == before)
  }

  @Test func `a journal of several databases is refused, and what it names stays`() throws {
    let place = try StorePlace()
    var made = TestStore()
    made.usesLog = false
    try place.write(made)
    try place.write([1], to: "precious")
    let name = Array((place.path + "/precious").utf8)
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32($1) }
    func number(_ value: UInt32) -> [UInt8] {
      (0..<4).reversed().map { UInt8(value >> (8 * UInt32($0)) & 255) }
    }
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    var journal = magic + number(0) + number(1) + number(6) + number(512) + number(4096)
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    journal += number(0xffff) + name + number(UInt32(name.count)) + number(sum) + magic
    try place.write(journal, to: "Library.store-journal")
    #expect(throws: StoreError.transactionOverSeveral(path: place.store)) { try place.open() }
    #expect(place.exists("precious"))
  }

  // MARK: What is no sound store

  @Test func `what does not begin as a database is told apart from damage`() throws {
    let place = try StorePlace()
    try place.write([], to: "Library.store")
    #expect(throws: StoreError.empty(path: place.store)) { try place.open() }
    var random = TestRandom(seed: 1)
    try place.write((0..<8192).map { _ in UInt8(random.number(below: 256)) }, to: "Library.store")
    #expect(throws: StoreError.notADatabase(path: place.store)) { try place.open() }
    try place.write(Array(DatabaseHeader.magic), to: "Library.store")
    #expect(throws: StoreError.truncated(path: place.store, size: 16, expected: 100)) {
      try place.open()
    }
    let database = try TestDatabase(at: place.path + "/other.db")
    try database.run("CREATE TABLE notes (text)")
    try place.write(try place.bytes(of: "other.db"), to: "Library.store")
    #expect(throws: StoreError.notAStore(path: place.store, missing: "Z_PRIMARYKEY")) {
      try place.open()
    }
  }

  @Test func `a store that was cut off at any page is damaged`() throws {
    let place = try StorePlace()
    try place.write()
    try FileManager.default.removeItem(atPath: place.store + "-wal")
    let whole = try place.bytes(of: "Library.store")
    #expect(whole.count % 4096 == 0 && whole.count > 10 * 4096)
    for size in stride(from: 4096, to: whole.count, by: 4096) + [whole.count - 1, 1000] {
      try place.write(Array(whole.prefix(size)), to: "Library.store")
      #expect(
        throws: StoreError.truncated(
          path: place.store, size: Int64(size), expected: Int64(whole.count))
      ) { try place.open() }
    }
  }

  @Test func `a store that was cut off below a log is damaged unless the log has the rest`() throws
  {
    let place = try StorePlace()
    var made = TestStore()
    made.newest = [newest]
    try place.write(made)
    let whole = try place.bytes(of: "Library.store")
    for size in stride(from: 4096, to: whole.count, by: 4096) {
      try place.write(Array(whole.prefix(size)), to: "Library.store")
      do {
        let titles = try place.open().texts("title", of: "Book")
        #expect(titles == ["Middlemarch", "Émile", "Dust", "Newest"])
      } catch let error as StoreError {
        #expect(error.diagnostic.kind == .damagedInput)
      }
    }
  }

  @Test(arguments: 1...60)
  func `bytes that changed anywhere are refused or read, and never stop the program`(
    seed: UInt64
  ) throws {
    let place = try StorePlace()
    var made = TestStore()
    made.newest = seed % 2 == 0 ? [newest] : []
    try place.write(made)
    var random = TestRandom(seed: seed)
    for name in ["Library.store", "Library.store-wal"] {
      var bytes = try place.bytes(of: name)
      guard !bytes.isEmpty else { continue }
      for _ in 0..<(1 + random.number(below: 12)) {
        bytes[random.number(below: bytes.count)] = UInt8(random.number(below: 256))
      }
      try place.write(bytes, to: name)
    }
    do {
      let store = try place.open()
      for entity in store.layout.entities where !entity.table.isEmpty {
        _ = try store.rowCounts(ofTable: entity.table)
        _ = try store.allRows(of: entity.name)
        for property in entity.properties { _ = try store.pairs(property.name, of: entity.name) }
      }
    } catch let error as StoreError {
      #expect(error.diagnostic.kind == .damagedInput, "seed \(seed): \(error)")
    }
    #expect(try place.privatePlaces().isEmpty)
  }

  // MARK: Others at work

  @Test func `a store that changes while it is copied is whole, or the run is to be repeated`()
    throws
  {
    var opened = 0
    for call in 1...80 {
      let place = try StorePlace()
      let database = try TestStore().write(to: place.store)
      let writer = Mutex(Unchecked(database))
      let plan = FaultPlan(beforeCall: call, calls: .looking) {
        writer.withLock { writer in
          // What fails here fails the expectations below.
          try? writer.value.run(
            "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (4, 1, 1, 'Newest');"
              + "PRAGMA wal_checkpoint(TRUNCATE);"
              + "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (5, 1, 1, 'Last')")
        }
      }
      do {
        let count = try place.open(operations: plan).texts("title", of: "Book").count
        #expect(count == 3 || count == 5, "call \(call)")
        opened += 1
      } catch StoreError.changing {
        #expect(plan.hasFired)
      }
      if !plan.hasFired { break }
    }
    #expect(opened > 2)
  }

  @Test(arguments: ["-wal", "-journal"])
  func `what lies beside a store and vanishes while it is copied is no missing store`(
    suffix: String
  ) throws {
    var (opened, changing) = (0, 0)
    for call in 1...80 {
      let place = try StorePlace()
      var made = TestStore()
      made.usesLog = suffix == "-wal"
      try place.write(made)
      let beside = place.store + suffix
      if !made.usesLog { try place.write([0, 1, 2], to: "Library.store-journal") }
      let plan = FaultPlan(beforeCall: call, calls: .looking) {
        // What is gone already is gone.
        try? FileManager.default.removeItem(atPath: beside)
      }
      do {
        #expect(try place.open(operations: plan).texts("title", of: "Book").count == 3)
        opened += 1
      } catch StoreError.changing {
        changing += 1
        let again = FaultPlan(beforeCall: 1, calls: .looking) {}
        #expect(try place.open(operations: again).texts("title", of: "Book").count == 3)
      }
      if !plan.hasFired { break }
    }
    #expect(opened > 2 && changing > 0)
  }

  @Test func `a store that changes once is copied again`() throws {
    let place = try StorePlace()
    let database = try TestStore().write(to: place.store)
    let writer = Mutex(Unchecked(database))
    let plan = FaultPlan(beforeCall: 30, calls: .looking) {
      // What fails here fails the expectation below.
      writer.withLock { try? $0.value.run("DELETE FROM ZBOOK WHERE Z_PK > 1") }
    }
    let store = try place.open(operations: plan, patienceSeconds: 20)
    #expect(plan.hasFired)
    #expect(try store.texts("title", of: "Book").count == 1)
  }

  @Test func `a copy is private, goes with the store, and a dead run's is swept`() throws {
    let place = try StorePlace()
    try place.write()
    let dead = place.working + "/automerge-migrate-store.0123456789abcdef"
    let others = [
      "automerge-migrate-store.0123456789abcdeX", "automerge-migrate-store.0123", "something",
    ]
    for path in [dead] + others.map({ place.working + "/" + $0 }) {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data([1]).write(to: URL(filePath: path + "/store"))
    }
    do {
      let store = try place.open()
      let mine = try place.privatePlaces().filter { !others.contains($0) }
      #expect(mine.count == 1)
      let mode = try FileManager.default.attributesOfItem(atPath: place.working + "/" + mine[0])
      #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o700)
      // What a living run uses stays.
      let second = try place.open()
      #expect(try place.privatePlaces().count == others.count + 2)
      #expect(try store.texts("title", of: "Book") == second.texts("title", of: "Book"))
    }
    #expect(try place.privatePlaces().sorted() == others.sorted())
  }

  @Test func `no call that fails touches the user's files or leaves anything behind untold`() throws
  {
    let place = try StorePlace()
    var made = TestStore()
    made.newest = [newest]
    try place.write(made)
    let before = try place.content()
    var call = 0
    var plan: FaultPlan
    let told = Count()
    var leftCount = 0
    repeat {
      call += 1
      let toldBefore = told.value.withLock { $0 }
      plan = FaultPlan(atCall: call, .failure(ENOSPC))
      do {
        let store = try place.open(operations: plan) { _ in told.value.withLock { $0 += 1 } }
        #expect(try store.texts("title", of: "Book").count == 4)
      } catch let error as StoreError {
        #expect(error.diagnostic.kind == .inputOutput, "call \(call): \(error)")
      }
      #expect(try place.content() == before)
      // The next one sweeps it.
      let left = try place.privatePlaces().count
      #expect(told.value.withLock { $0 } - toldBefore == left, "call \(call)")
      leftCount += left
      plan = FaultPlan(atCall: call, .stop)
      do {
        _ = try place.open(operations: plan)
      } catch is StoreError {
        #expect(plan.hasFired)
      }
      #expect(try place.content() == before)
    } while plan.hasFired
    #expect(call > 5 && leftCount > 0)
    _ = try place.open()
    #expect(try place.privatePlaces().isEmpty)
  }
}

private final class Count: Sendable {
  let value = Mutex(0)
}

/// A value that a test hands to another place of the same thread.
private struct Unchecked: @unchecked Sendable {
  let value: TestDatabase
  init(_ value: TestDatabase) { self.value = value }
}

private func + (left: StrideTo<Int>, right: [Int]) -> [Int] { Array(left) + right }
