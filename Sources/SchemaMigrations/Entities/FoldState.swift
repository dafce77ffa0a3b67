import Folders

/// What the entities of a fold add up to, one group after the other.
struct FoldState {
  /// The most bytes that the values of a fold take together.
  static let largestByteCount = 256 << 20

  private let fold: EntityStep.Fold
  /// The groups in the order in which they came, and where each is.
  private var groups: [Group] = []
  private var places: [MigrationText: Int] = [:]
  private var results: [MigrationText: MigrationValue] = [:]
  private var byteCount = 0
  /// The place of what is put together of all.
  private static let whole = MigrationText("")
  /// Whether the elements of a list order themselves.
  private let ordersByElement: Bool

  private enum Group {
    case count(Int64)
    case sum(ExactSum)
    case extreme(MigrationValue?)
    case list([Element])
  }

  private struct Element {
    let order: OrderKey?
    let identity: Identity
    let value: MigrationValue
  }

  init(_ fold: EntityStep.Fold) {
    self.fold = fold
    ordersByElement =
      if case .list(let element, orderedBy: let order) = fold.combining { element == order } else {
        false
      }
  }

  /// Adds an entity, if it counts.
  mutating func add(
    _ source: some ExpressionSource, _ identity: Identity
  ) throws(ConversionDefect) {
    guard let added = try contribution(of: source) else { return }
    let place = place(of: added.group)
    switch groups[place] {
    case .count(let count): groups[place] = .count(count + 1)
    case .sum(var sum):
      guard let value = added.value else { return }
      try sum.add(value)
      groups[place] = .sum(sum)
    case .extreme(let before):
      guard let value = added.value else { return }
      if let before, !isBetter(value, before) { return }
      groups[place] = .extreme(value)
    case .list:
      guard let value = added.value else { return }
      byteCount += 96 + value.byteCount
      guard byteCount <= Self.largestByteCount else { throw .tooMuch(limit: Self.largestByteCount) }
      append(
        Element(order: added.order.map(OrderKey.init), identity: identity, value: value), to: place)
    }
  }

  /// Returns what an entity adds; nil if it does not count.
  func contribution(
    of source: some ExpressionSource
  ) throws(ConversionDefect) -> FoldContribution? {
    if let test = fold.test, try !test.holds(for: source) { return nil }
    var added = FoldContribution()
    if let group = fold.group {
      // What belongs to no entity is in no group.
      guard let value = try group.value(from: source), case .text(let text) = value else {
        return nil
      }
      added.group = FoldContribution.group(of: text.string)
    }
    switch fold.combining {
    case .count: break
    case .sum(let expression), .minimum(let expression), .maximum(let expression):
      guard let value = try expression.value(from: source), value != .null else { return nil }
      added.value = value
    case .list(let expression, orderedBy: let order):
      guard let value = try expression.value(from: source) else { return nil }
      added.value = value
      added.order = ordersByElement ? value : try order?.value(from: source)
    }
    return added
  }

  /// Whether a value takes the place of another one.
  private func isBetter(_ value: MigrationValue, _ other: MigrationValue) -> Bool {
    if case .maximum = fold.combining { other.precedes(value) } else { value.precedes(other) }
  }

  private mutating func place(of group: MigrationText?) -> Int {
    guard let group else { return groups.isEmpty ? begin(Self.whole) : 0 }
    return places[group] ?? begin(group)
  }

  private mutating func begin(_ key: MigrationText) -> Int {
    places[key] = groups.count
    switch fold.combining {
    case .count: groups.append(.count(0))
    case .sum: groups.append(.sum(ExactSum()))
    case .minimum, .maximum: groups.append(.extreme(nil))
    case .list: groups.append(.list([]))
    }
    return groups.count - 1
  }

  /// In place, so that a list does not move with each element.
  private mutating func append(_ element: Element, to place: Int) {
    guard case .list(var elements) = groups[place] else { return }
    groups[place] = .count(0)
    elements.append(element)
    groups[place] = .list(elements)
  }

  /// Makes the results; nothing is added any more.
  mutating func finish() {
    for (key, place) in places {
      switch groups[place] {
      case .count(let count): results[key] = .number(count)
      case .sum(let sum): results[key] = sum.value
      case .extreme(let value): results[key] = value
      case .list(let elements): results[key] = .list(Self.sorted(elements))
      }
    }
    groups.removeAll()
    places.removeAll()
  }

  private static func sorted(_ elements: [Element]) -> [MigrationValue] {
    elements.sorted { left, right in
      switch (left.order, right.order) {
      case (let one?, let other?):
        let order = one.order(to: other)
        return order == 0 ? left.identity < right.identity : order < 0
      case (nil, _?): return true
      case (_?, nil): return false
      case (nil, nil): return left.identity < right.identity
      }
    }.map(\.value)
  }

  /// Returns what the entities that belong to this one were made into; nil is nothing.
  func result(for identity: String?) -> MigrationValue? {
    let key = fold.group == nil ? Self.whole : FoldContribution.group(of: identity ?? "")
    if let result = results[key] { return result }
    switch fold.combining {
    case .count, .sum: return .number(0)
    case .list: return .list([])
    case .minimum, .maximum: return nil
    }
  }

}

/// What an entity adds to a fold.
package struct FoldContribution: Hashable, Sendable {
  /// The entity that gets it; nil for what is put together of all.
  package fileprivate(set) var group: MigrationText?
  fileprivate(set) var value: MigrationValue?
  fileprivate(set) var order: MigrationValue?

  /// Returns the group of what belongs to an entity. A UUID is written in several ways.
  package static func group(of identity: String) -> MigrationText {
    MigrationText(Identity(identity)?.description ?? identity)
  }
}

extension MigrationValue {
  /// About how many bytes of memory it takes.
  var byteCount: Int {
    switch self {
    case .null, .boolean: 0
    case .number(let number): number.literal.utf8.count
    case .text(let text): text.string.utf8.count
    case .list(let elements): elements.reduce(32) { $0 + 32 + $1.byteCount }
    case .object(let object):
      object.members.reduce(64) { $0 + 64 + $1.name.string.utf8.count + $1.value.byteCount }
    }
  }
}
