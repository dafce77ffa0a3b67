import Foundation

/// A random shape of data: what is a map, a list or a scalar stays one in all values of a shape, as
/// it does in the data of an app.
indirect enum CodableShape {
  case scalar
  case list(CodableShape)
  case map([String: CodableShape])

  static func random(depth: Int, using random: inout SeededGenerator) -> CodableShape {
    switch random.below(depth == 0 ? 1 : 4) {
    case 1: .list(.random(depth: depth - 1, using: &random))
    case 2, 3: randomMap(depth: depth - 1, using: &random)
    default: .scalar
    }
  }

  static func randomMap(depth: Int, using random: inout SeededGenerator) -> CodableShape {
    var members: [String: CodableShape] = [:]
    for _ in 0...random.below(5) {
      members[randomKey(using: &random)] = .random(depth: max(depth, 0), using: &random)
    }
    return .map(members)
  }

  private static func randomKey(using random: inout SeededGenerator) -> String {
    ["a", "b", "ключ", "2026", "a.b", "[0]", "", "e\u{301}", "👩‍👧"][random.below(9)]
  }

  /// Returns a value of the shape: not every key is there, lists have any length.
  func randomValue(using random: inout SeededGenerator) -> CodableValue {
    switch self {
    case .scalar: return .randomScalar(using: &random)
    case .list(let shape):
      return .list((0..<random.below(6)).map { _ in shape.randomValue(using: &random) })
    case .map(let members):
      var values: [String: CodableValue] = [:]
      for (key, shape) in members.sorted(by: { $0.key < $1.key }) where !random.oneIn(4) {
        values[key] = shape.randomValue(using: &random)
      }
      return .map(values)
    }
  }
}
