@testable import Automerge
import EngineMeasurements
import Foundation
import Testing

/// Actors, hashes and operation ids: how they compare, print and are read.
@Suite struct IdentityTests {
  @Test func `actors compare as bytes and a prefix is smaller`() {
    let ascending = ["", "00", "00ff", "01", "0100", "02", "7f", "80", "ff"].map {
      ActorId(bytes: hex($0))
    }
    for (left, first) in ascending.enumerated() {
      for (right, second) in ascending.enumerated() {
        #expect((first < second) == (left < right))
      }
    }
  }

  @Test func `actors that come one by one are ordered as those that come at once`() throws {
    var generator = SeededGenerator(seed: 1)
    let ids = (0..<60).map { _ in ActorId(bytes: [generator.byte(), generator.byte()]) }
    var (single, whole) = (ActorTable(), ActorTable())
    for (index, id) in ids.enumerated() {
      let before = single
      single.insert([id])
      #expect(single.ascendingIDs == Set(ids[...index]).sorted())
      #expect(single.places.map { single.ascendingIDs[Int($0)] } == single.ids)
      #expect(isRanked(single))
      var back = single
      back.truncate(to: before.count)
      #expect(back.ids == before.ids)
      #expect(isRanked(back))
    }
    whole.insert(ids)
    #expect(whole.ascendingIDs == single.ascendingIDs)
    #expect(ids.allSatisfy { id in single.index(of: id).map { single[$0] } == id })
  }

  /// Between the last two ids, or below or above all, there is soon no room.
  @Test(arguments: ["ascending", "descending", "inwards"])
  func `actors that come in one direction stay ranked`(direction: String) {
    var table = ActorTable()
    for index in 0..<3_000 {
      let number =
        switch direction {
        case "ascending": index
        case "descending": 3_000 - index
        default: index.isMultiple(of: 2) ? index : 6_000 - index
        }
      table.insert([ActorId(bytes: [UInt8(number >> 8), UInt8(number & 255)])])
      if index.isMultiple(of: 100) { #expect(isRanked(table), "\(index)") }
    }
    #expect(isRanked(table))
  }

  /// Whether ranks ascend as ids do.
  private func isRanked(_ table: ActorTable) -> Bool {
    let ranks = table.ids.indices.sorted { table.ids[$0] < table.ids[$1] }.map { table.ranks[$0] }
    return zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 } && ranks.count == table.count
  }

  @Test func `an actor is made of bytes, digits or a UUID`() throws {
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    #expect(ActorId(uuid: uuid).description == "00112233445566778899AABBCCDDEEFF")
    #expect(ActorId(hex: "00fF") == ActorId(bytes: [0, 255]))
    #expect(ActorId(hex: "0") == nil)
    #expect(ActorId(hex: "0g") == nil)
    #expect(ActorId(data: Data(count: 128))?.bytes.count == 128)
    #expect(ActorId(data: Data(count: 129)) == nil)
    #expect(ActorId() != ActorId())
  }

  @Test func `a hash survives as digits and as bytes`() throws {
    let text = "b0763f23095387073a859a284926c379c732bd239c86d79ec42ce46917dbe6fc"
    let hash = try #require(ChangeHash(hex: text))
    #expect(hash.hex == text)
    #expect(hash.debugDescription == text)
    #expect(ChangeHash(hex: text.uppercased()) == hash)
    #expect(ChangeHash(bytes: hash.bytes) == hash)
    #expect(ChangeHash(hex: String(text.dropLast())) == nil)
    #expect(ChangeHash(hex: String(text.dropLast()) + "x") == nil)
  }

  @Test func `hashes compare as bytes`() {
    var generator = SeededGenerator(seed: 1)
    let hashes = (0..<40).map { _ in
      (0..<32).map { index in generator.oneIn(2) && index < 20 ? 0 : generator.byte() }
    }
    for left in hashes {
      for right in hashes {
        #expect(
          (ChangeHash(bytes: left) < ChangeHash(bytes: right))
            == left.lexicographicallyPrecedes(right))
      }
    }
  }

  @Test func `heads are stored in descending order and read back`() throws {
    let low = ChangeHash(bytes: [UInt8](repeating: 1, count: 32))
    let high = ChangeHash(bytes: [UInt8](repeating: 2, count: 32))
    let heads: Set = [low, high]
    #expect([UInt8](heads.raw()) == high.bytes + low.bytes)
    #expect(heads.raw().heads() == heads)
    #expect(Data().heads() == [])
    #expect(Data(count: 33).heads() == nil)
  }

  @Test func `operation ids compare by counter, then by the actors' places`() {
    // Actor 0 of the document has the greatest id.
    let ranks: [UInt32] = [2, 0, 1]
    let ascending = [
      OpID.root, OpID(counter: 1, actor: 1), OpID(counter: 1, actor: 2), OpID(counter: 1, actor: 0),
      OpID(counter: 2, actor: 1), OpID(counter: .max, actor: 0),
    ]
    for (left, first) in ascending.enumerated() {
      for (right, second) in ascending.enumerated() {
        #expect(first.precedes(second, ranks) == (left < right))
      }
    }
    #expect(OpID(counter: 7, actor: 3).counter == 7)
    #expect(OpID(counter: 7, actor: 3).actor == 3)
    #expect(OpID.root.isRoot)
    #expect(!OpID.root.precedes(.root, []))
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a table of actors keeps their numbers and knows their order`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = ActorTable()
    var all: Set<[UInt8]> = []
    for _ in 0..<5 {
      let before = table.ids
      let added = (0..<generator.below(6)).map { _ in [generator.byte() & 15] }
      table.insert(added.map(ActorId.init(bytes:)))
      all.formUnion(added)
      let sorted = all.sorted { $0.lexicographicallyPrecedes($1) }
      #expect(Array(table.ids.prefix(before.count)) == before, "seed \(seed)")
      #expect(table.ascendingIDs.map(\.bytes) == sorted, "seed \(seed)")
      for (index, id) in table.ids.enumerated() {
        #expect(table.ascendingIDs[Int(table.places[index])] == id, "seed \(seed)")
      }
    }
    for id in table.ids { #expect(table.index(of: id).map { table[$0] } == id) }
    #expect(table.index(of: ActorId(bytes: [0xff])) == nil)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a table of operations finds what was put there`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = OpIDTable()
    var expected: [OpID: UInt32] = [:]
    for step in 0..<2_000 as Range<UInt32> {
      let id = OpID(
        counter: UInt32(generator.below(700)), actor: UInt32(generator.below(3)))
      table.set(id, step)
      expected[id] = step
    }
    #expect(table.count == expected.count, "seed \(seed)")
    for (id, value) in expected { #expect(table[id] == value, "seed \(seed)") }
    #expect(table[OpID(counter: 701, actor: 0)] == nil)
  }

  @Test func `ids whose places are the same do not pass all the others`() {
    // In a table of 65,536 slots, counters that far apart have one place.
    func milliseconds(_ count: UInt32) -> Double {
      ThreadTime.milliseconds {
        var table = OpIDTable(minimumCapacity: 40_000)
        for number in 1...count { table.set(OpID(counter: number << 17, actor: 0), number) }
        #expect(table.count == count)
      }
    }
    var (few, many) = (Double.infinity, Double.infinity)
    for _ in 0..<12 {
      few = min(few, milliseconds(4_000))
      many = min(many, milliseconds(16_000))
      if many < 10 * few { break }
    }
    #expect(many < 10 * few)
  }

  @Test(arguments: [0, 8, 16, 24])
  func `change hashes that differ in one word only spread in a set`(offset: Int) {
    let hashes = (0..<1_000).map { number in
      var bytes = [UInt8](repeating: 0, count: ChangeHash.byteCount)
      bytes[offset] = UInt8(number % 256)
      bytes[offset + 1] = UInt8(number / 256)
      return ChangeHash(bytes: bytes)
    }
    #expect(Set(hashes.map(\.hashValue)).count > 990)
  }
}
