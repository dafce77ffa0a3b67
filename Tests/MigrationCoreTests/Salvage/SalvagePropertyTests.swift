import Automerge
import FileFaults
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore

/// Whatever happens to a file, salvaging it ends, invents nothing and proves nothing that is wrong.
@Suite struct SalvagePropertyTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil

  /// Salvages damaged bytes and checks what must hold for all damage; returns the two counts of
  /// values.
  @discardableResult
  private func check(
    _ bytes: [UInt8], against oracle: SalvageOracle, _ comment: @autoclosure () -> String
  ) throws -> (verified: Int, readable: Int) {
    let salvage = SalvagedDocument(salvaging: bytes, labels: ImportLabel.allCases.map(\.text))
    let contradictions = oracle.contradictions(in: salvage)
    #expect(contradictions.isEmpty, "\(comment()): \(contradictions)")
    // The pieces are the file, without gaps.
    var end = 0
    for piece in salvage.pieces {
      #expect(piece.range.lowerBound == end, "\(comment())")
      end = piece.range.upperBound
    }
    #expect(end == bytes.count, "\(comment())")
    // What is written from it loads, by the strictest reading there is.
    let written = try SalvagedFile.document(
      of: salvage, leavingOut: SalvagedEntities(salvage).lost, actor: ActorId(), time: 0)
    #expect(try DocumentState(loading: written).changeCount == 1, "\(comment())")
    return SalvageOracle.counts(of: salvage)
  }

  @Test(arguments: [SalvageCorpus.month, SalvageCorpus.longMonth])
  func `a file cut off anywhere`(_ original: SalvageCorpus.Case) throws {
    let oracle = SalvageOracle(original.document)
    let step = Self.isSlow || original.bytes.count < 100 ? 1 : original.bytes.count / 100
    var readable = 0
    for count in stride(from: 0, to: original.bytes.count, by: step) {
      let counts = try check(
        Array(original.bytes[..<count]), against: oracle, "cut at \(count)")
      readable = max(readable, counts.readable)
    }
    #expect(readable > 4)
  }

  @Test(arguments: [SalvageCorpus.month, SalvageCorpus.longMonth])
  func `a bit flipped anywhere`(_ original: SalvageCorpus.Case) throws {
    let oracle = SalvageOracle(original.document)
    let step = Self.isSlow || original.bytes.count < 100 ? 1 : original.bytes.count / 100
    var verified = 0
    for place in stride(from: 0, to: original.bytes.count, by: step) {
      var bytes = original.bytes
      bytes[place] ^= 1 << UInt8(place % 8)
      verified = max(
        verified, try check(bytes, against: oracle, "bit flipped at \(place)").verified)
    }
    #expect(verified > 4)
  }

  @Test(arguments: [SalvageCorpus.month, SalvageCorpus.longMonth])
  func `zeros from anywhere to the end`(_ original: SalvageCorpus.Case) throws {
    let oracle = SalvageOracle(original.document)
    for start in stride(from: 0, to: original.bytes.count, by: original.bytes.count / 100) {
      var bytes = original.bytes
      for place in start..<bytes.count { bytes[place] = 0 }
      try check(bytes, against: oracle, "zeros from \(start)")
    }
  }

  @Test func `random damage to the documents of the reference`() throws {
    let seed = Self.isSlow ? UInt64.random(in: 0...UInt64.max) : 20_240_115
    print("salvage: seed \(seed)")
    var random = TestRandom(seed: seed)
    let corpus = SalvageCorpus.reference + [SalvageCorpus.month, SalvageCorpus.longMonth]
    let cases = corpus.filter { $0.bytes.count < 8_000 }
    let oracles = cases.map { SalvageOracle($0.document) }
    var counts = (verified: 0, readable: 0)
    let runs = Self.isSlow ? 20_000 : 400
    for run in 0..<runs {
      let index = random.number(below: cases.count)
      var bytes = cases[index].bytes
      for _ in 0...random.number(below: 3) { damage(&bytes, &random) }
      let found = try check(
        bytes, against: oracles[index], "seed \(seed), run \(run), \(cases[index].name)")
      counts.verified += found.verified
      counts.readable += found.readable
    }
    print(
      "salvage: \(runs) runs, \(counts.verified) verified and \(counts.readable) readable values")
    #expect(counts.verified > runs / 10)
    #expect(counts.readable > runs / 10)
  }

  private func damage(_ bytes: inout [UInt8], _ random: inout TestRandom) {
    guard !bytes.isEmpty else { return }
    let place = random.number(below: bytes.count)
    let end = min(bytes.count, place + 1 + random.number(below: 64))
    switch random.number(below: 8) {
    case 0...2: bytes[place] ^= 1 << UInt8(random.number(below: 8))
    case 3: bytes[place] = UInt8(random.number(below: 256))
    case 4: bytes.removeSubrange(place..<end)
    case 5: for index in place..<end { bytes[index] = 0 }
    case 6: bytes.insert(contentsOf: bytes[place..<end], at: random.number(below: bytes.count))
    default: bytes.removeSubrange(place...)
    }
  }
}
