import Folders
import SampleFolders

/// What all rows of an app are made up from: the same place gives the same row on both devices, but
/// for what was edited on the second.
struct SampleSource {
  let plan: StorePlan

  /// Returns the numbers that a row is made up from.
  func random(_ index: Int, of entity: String) -> SeededRandom {
    var mixed = plan.seed
    for byte in entity.utf8 { mixed = (mixed ^ UInt64(byte)) &* 0x100_0000_01b3 }
    var random = SeededRandom(seed: mixed)
    return SeededRandom(seed: random.bits() ^ (UInt64(truncatingIfNeeded: index) &* 0x9e37_79b9))
  }

  /// Returns the identity of a row.
  func uuid(_ index: Int, of entity: String) -> SampleUUID {
    var random = random(index, of: entity + "/id")
    return SampleUUID(&random)
  }

  /// Whether a row was edited on the second device only.
  func isEdited(_ index: Int) -> Bool { plan.device == 2 && index % 7 == 3 }

  /// Returns a moment in the months before the samples were made, with microseconds as apps have them,
  /// in seconds since 2001. Later places are later moments.
  func moment(_ index: Int, of count: Int, _ random: inout SeededRandom) -> Double {
    let (start, length) = (694_224_000, 94_608_000)
    let slot = max(1, length / max(1, count))
    let second = start + min(index, count) * slot + random.number(below: slot)
    return Double(second) + Double(random.number(below: 1_000_000)) / 1_000_000
  }

  /// Returns some of the elements of a set, in an order that differs between devices.
  func set(_ elements: ClosedRange<Int>, _ random: inout SeededRandom) -> [Int] {
    var chosen = elements.filter { _ in random.happens(50) }
    if chosen.isEmpty { chosen = [elements.lowerBound] }
    var order = SeededRandom(seed: random.bits() ^ UInt64(plan.device))
    for index in chosen.indices { chosen.swapAt(index, order.number(below: index + 1)) }
    return chosen
  }
}

/// An identity as stores keep it.
struct SampleUUID: Hashable {
  let bytes: [UInt8]

  init(_ random: inout SeededRandom) {
    var bytes: [UInt8] = []
    for _ in 0..<2 {
      let bits = random.bits()
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    self.bytes = bytes
  }

  var cell: SampleCell { .blob(bytes) }

  var text: String {
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
      .joined(separator: "-")
  }
}

extension JSONWriter {
  /// Returns the bytes of a value as Swift's own encoder keeps it in a column.
  static func data(_ write: (inout JSONWriter) -> Void) -> SampleCell {
    var json = JSONWriter()
    write(&json)
    return .blob(json.bytes)
  }
}
