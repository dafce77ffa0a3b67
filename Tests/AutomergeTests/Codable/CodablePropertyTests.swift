import Automerge
import Foundation
import Testing

/// Random data of random shapes, written over each other into one document.
@Suite struct CodablePropertyTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
  private static let seeds: Range<UInt64> = 0..<(isSlow ? 2_000 : 60)

  @Test(arguments: seeds)
  func `what is written is what is read, whatever was there before`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shape = CodableShape.randomMap(depth: 4, using: &random)
    let place = CodableDocument()
    for step in 0..<5 {
      let value = shape.randomValue(using: &random)
      #expect(try place.roundTrip(value) == value, "seed \(seed), step \(step)")
      if step == 2 {
        let heads = place.document.heads()
        try place.encoder.encode(value)
        #expect(place.document.heads() == heads, "seed \(seed)")
      }
      let loaded = try Document(place.document.save())
      #expect(
        try AutomergeDecoder(doc: loaded).decode(CodableValue.self) == value,
        "seed \(seed), step \(step)")
    }
  }

  @Test(arguments: seeds)
  func `a part at a path is the part of the whole`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shape = CodableShape.list(.randomMap(depth: 3, using: &random))
    let place = CodableDocument()
    var elements: [CodableValue] = []
    for _ in 0..<6 {
      let index = random.below(elements.count + 1)
      guard case .list(let list) = shape.randomValue(using: &random), let value = list.first else {
        continue
      }
      elements.replaceSubrange(index..<min(index + 1, elements.count), with: [value])
      let path = [AnyCodingKey("list"), AnyCodingKey(UInt64(index))]
      try place.encoder.encode(value, at: path)
      #expect(try place.decoder.decode(CodableValue.self, from: path) == value, "seed \(seed)")
      #expect(
        try place.decoder.decode(CodableValue.self) == .map(["list": .list(elements)]),
        "seed \(seed)")
    }
  }
}
