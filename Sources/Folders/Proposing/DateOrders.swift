import SafeFiles

/// In which order the dates of one entity lie, over all entities of a kind.
struct DateOrders {
  /// How two dates lay in the entities that have both.
  struct Order {
    var before = 0
    var equal = 0
    var behind = 0

    var count: Int { before + equal + behind }
  }

  /// Two members, by their names.
  private struct Pair: Hashable {
    var first: [UInt8]
    var second: [UInt8]
  }

  /// The most members whose dates are compared.
  static let largestCount = 12
  /// The fewest entities with both dates that show an order.
  static let fewest = 3

  private var names: Set<[UInt8]> = []
  private var orders: [Pair: Order] = [:]

  /// Adds the dates of an entity, in milliseconds.
  mutating func add(_ dates: [(name: [UInt8], milliseconds: Int64)]) {
    if dates.count < 2 { return }
    let known = dates.filter { date in
      if names.count < Self.largestCount { names.insert(date.name) }
      return names.contains(date.name)
    }.sorted { ByteOrder.precedes($0.name, $1.name) }
    for (index, first) in known.enumerated() {
      for second in known[(index + 1)...] {
        let pair = Pair(first: first.name, second: second.name)
        if first.milliseconds == second.milliseconds {
          orders[pair, default: Order()].equal += 1
        } else if first.milliseconds < second.milliseconds {
          orders[pair, default: Order()].before += 1
        } else {
          orders[pair, default: Order()].behind += 1
        }
      }
    }
  }

  /// Returns the orders that hold in all entities, without those that follow from others; `isDate` says
  /// which members are dates in all entities that have them.
  func found(
    where isDate: (PropertyName) -> Bool
  ) -> [(first: PropertyName, notAfter: PropertyName, count: Int)] {
    var found: [PropertyName: [PropertyName: Int]] = [:]
    for (pair, order) in orders where order.count >= Self.fewest {
      let (first, second) = (PropertyName(pair.first), PropertyName(pair.second))
      guard isDate(first), isDate(second) else { continue }
      // Where all are equal nothing shows which comes first.
      if order.behind == 0, order.before > 0 {
        found[first, default: [:]][second] = order.count
      } else if order.before == 0, order.behind > 0 {
        found[second, default: [:]][first] = order.count
      }
    }
    return found.sorted { $0.key < $1.key }.flatMap { first, others in
      others.sorted { $0.key < $1.key }.compactMap { other, count in
        let isBetween = others.keys.contains { found[$0]?[other] != nil }
        return isBetween ? nil : (first, other, count)
      }
    }
  }
}
