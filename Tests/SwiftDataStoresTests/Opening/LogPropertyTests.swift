import Diagnostics
import FileFaults
import Foundation
import Testing
import TestStores

@testable import SwiftDataStores

/// Random transactions, checkpoints and cuts, against a plain model of what was committed when.
@Suite struct LogPropertyTests {
  /// What one row holds in a column that converts nothing.
  private enum Content {
    static func random(_ random: inout TestRandom) -> (cell: StoreCell, sql: String) {
      switch random.number(below: 6) {
      case 0: return (.null, "NULL")
      case 1:
        let value = Int64(bitPattern: random.next()) >> Int64(random.number(below: 64))
        // The smallest number has no literal.
        return value == .min ? (.null, "NULL") : (.integer(value), "\(value)")
      case 2:
        let value = Double(random.number(below: 2_000_000) - 1_000_000) / 1024
        return (.real(value), "\(value)")
      case 3:
        let text = (0..<random.number(below: 20)).map { _ in
          ["é", "x", "🙂", " "][random.number(below: 4)]
        }
        .joined()
        return (.text(Array(text.utf8)), "'\(text)'")
      default:
        let bytes = (0..<random.number(below: 6000)).map { _ in UInt8(random.number(below: 256)) }
        return (.blob([7] + bytes), TestStore.literal([7] + bytes))
      }
    }
  }

  @Test(arguments: 1...25)
  func `a store and the rest of its log hold what some transaction left`(seed: UInt64) throws {
    var random = TestRandom(seed: seed)
    let place = try StorePlace()
    var made = TestStore()
    var model = StoreModel.library
    model.entities[1].attributes[2] = ModelAttribute(name: "extra", type: .undefined)
    (made.model, made.statements) = (model, [])
    let database = try made.write(to: place.store)
    var rows: [Int64: StoreCell] = [:]
    var states = [rows]
    // What is before this place in the log was in the database when the app died.
    var (folded, firstState) = (0, 0)
    for _ in 0..<(1 + random.number(below: 12)) {
      try database.run("BEGIN")
      for _ in 0..<(1 + random.number(below: 8)) {
        let row = Int64(1 + random.number(below: 12))
        if random.isOne(in: 4) {
          try database.run("DELETE FROM ZBOOK WHERE Z_PK = \(row)")
          rows[row] = nil
        } else {
          let (cell, sql) = Content.random(&random)
          try database.run(
            "INSERT OR REPLACE INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZEXTRA) VALUES (\(row), 1, 1, \(sql))"
          )
          rows[row] = cell
        }
      }
      try database.run("COMMIT")
      states.append(rows)
      if random.isOne(in: 4) {
        let isReset = random.isOne(in: 2)
        try database.run("PRAGMA wal_checkpoint(\(isReset ? "TRUNCATE" : "PASSIVE"))")
        folded = try place.bytes(of: "Library.store-wal").count
        firstState = states.count - 1
      }
    }
    let log = try place.bytes(of: "Library.store-wal")
    // A log that was begun anew after all of it was folded in holds frames of two rounds.
    let begin = log.count >= folded ? folded : 0
    let copy = try StorePlace()
    try copy.write(try place.bytes(of: "Library.store"), to: "Library.store")
    let end = random.isOne(in: 3) ? log.count : begin + random.number(below: log.count - begin + 1)
    try copy.write(Array(log.prefix(end)), to: "Library.store-wal")
    let store = try copy.open()
    var read: [Int64: StoreCell] = [:]
    for row in try store.allRows(of: "Book") {
      let cell: StoreCell =
        switch row["extra"] {
        case .integer(let value)?: .integer(value)
        case .double(let value)?: .real(value)
        case .text(let bytes)?: .text(bytes)
        case .bytes(let bytes)?: .blob(bytes)
        default: .null
        }
      read[row.number] = cell
    }
    let found = states.lastIndex(of: read)
    #expect(found != nil, "seed \(seed)")
    #expect((found ?? 0) >= firstState, "seed \(seed)")
    if end == log.count { #expect(found == states.count - 1, "seed \(seed)") }
    withExtendedLifetime(database) {}
  }

  @Test func `saves behind damage in a log are told as lost`() throws {
    let whole = try StorePlace()
    let database = try TestStore().write(to: whole.store)
    for row in 10..<15 {
      try database.run(
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (\(row), 1, 1, 'Book \(row)')")
    }
    let (bytes, log) = (
      try whole.bytes(of: "Library.store"), try whole.bytes(of: "Library.store-wal")
    )
    withExtendedLifetime(database) {}
    let starts = Array(stride(from: 32, to: log.count, by: 4120))
    let ends = starts.filter { log[$0 + 4..<$0 + 8] != [0, 0, 0, 0] }
    #expect(ends.count >= 5)
    for (number, start) in starts.enumerated() {
      // Of a frame its page, its salts, and that it ends a save.
      for offset in [200, 8, 4] {
        let place = try StorePlace()
        try place.write(bytes, to: "Library.store")
        var damaged = log
        damaged[start + offset] ^= 1
        try place.write(damaged, to: "Library.store-wal")
        guard let store = try? place.open() else {
          // Without its first frames a log may leave a database that is none.
          #expect(number == 0)
          continue
        }
        let behind = ends.count { $0 > start }
        let isLost = store.findings.contains { $0.code == .tornLog && $0.severity == .error }
        #expect(isLost == (behind > 0), "frame \(number), byte \(offset): \(store.findings)")
        #expect(store.log.lostSaveCount >= behind && store.log.lostSaveCount <= behind + 1)
      }
    }
  }
}
