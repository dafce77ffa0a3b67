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

  /// The identity of the group of what belongs to no entity.
  private static let whole = MigrationText("")

  /// Adds an entity, if it counts.
  mutating func add(
    _ source: some ExpressionSource, _ identity: Identity
  ) throws(ConversionDefect) {
    if let test = fold.test, try !test.holds(for: source) { return }
    guard let place = try place(of: source) else { return }
    switch fold.combining {
    case .count:
      if case .count(let count) = groups[place] { groups[place] = .count(count + 1) }
    case .sum(let expression):
      guard let value = try expression.value(from: source), value != .null else { return }
      guard case .sum(var sum) = groups[place] else { return }
      try sum.add(value)
      groups[place] = .sum(sum)
    case .minimum(let expression): try keep(expression, source, in: place) { $0.precedes($1) }
    case .maximum(let expression): try keep(expression, source, in: place) { $1.precedes($0) }
    case .list(let expression, let order):
      guard let value = try expression.value(from: source) else { return }
      let key = ordersByElement ? value : try order?.value(from: source)
      byteCount += 96 + value.byteCount
      guard byteCount <= Self.largestByteCount else { throw .tooMuch(limit: Self.largestByteCount) }
      append(Element(order: key.map(OrderKey.init), identity: identity, value: value), to: place)
    }
  }

  /// Returns where the group of an entity is; nil if it belongs to none.
  private mutating func place(of source: some ExpressionSource) throws(ConversionDefect) -> Int? {
    guard let group = fold.group else {
      if groups.isEmpty { begin(Self.whole) }
      return 0
    }
    // What belongs to no entity is in no group.
    guard let value = try group.value(from: source), case .text(let text) = value else {
      return nil
    }
    let key = Self.key(text.string)
    return places[key] ?? begin(key)
  }

  @discardableResult
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

  private mutating func keep(
    _ expression: ValueExpression, _ source: some ExpressionSource, in place: Int,
    _ isBetter: (MigrationValue, MigrationValue) -> Bool
  ) throws(ConversionDefect) {
    guard let value = try expression.value(from: source), value != .null else { return }
    if case .extreme(let before?) = groups[place], !isBetter(value, before) { return }
    groups[place] = .extreme(value)
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
    let key = fold.group == nil ? Self.whole : Self.key(identity ?? "")
    if let result = results[key] { return result }
    switch fold.combining {
    case .count, .sum: return .number(0)
    case .list: return .list([])
    case .minimum, .maximum: return nil
    }
  }

  /// A UUID is written in several ways.
  private static func key(_ text: String) -> MigrationText {
    MigrationText(Identity(text)?.description ?? text)
  }
}

/// A sum of decimals that is exact, so that it does not depend on their order.
struct ExactSum {
  private var mantissa: Int128 = 0
  /// The power of ten of the last digit.
  private var exponent = 0

  mutating func add(_ value: MigrationValue) throws(ConversionDefect) {
    guard case .number(let number) = value, var (next, power) = Self.parts(number) else {
      throw .notAddable(value)
    }
    while power > exponent {
      next = try Self.tenfold(next, value)
      power -= 1
    }
    while exponent > power {
      mantissa = try Self.tenfold(mantissa, value)
      exponent -= 1
    }
    let (sum, overflow) = mantissa.addingReportingOverflow(next)
    guard !overflow else { throw .notAddable(value) }
    mantissa = sum
  }

  private static func tenfold(
    _ number: Int128, _ value: MigrationValue
  ) throws(ConversionDefect) -> Int128 {
    let (product, overflow) = number.multipliedReportingOverflow(by: 10)
    guard !overflow else { throw .notAddable(value) }
    return product
  }

  /// The digits of a number as one, and the power of ten of the last one.
  private static func parts(_ number: MigrationNumber) -> (Int128, Int)? {
    var text = String(decoding: number.normalForm, as: UTF8.self)
    var power = 0
    if let point = text.firstIndex(of: ".") {
      power = -text.distance(from: point, to: text.endIndex) + 1
      text.remove(at: point)
    }
    return Int128(text).map { ($0, power) }
  }

  /// The sum.
  var value: MigrationValue {
    var digits = mantissa.magnitude.description
    if exponent < 0 {
      digits = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
      digits.insert(".", at: digits.index(digits.endIndex, offsetBy: exponent))
    }
    let literal = (mantissa < 0 ? "-" : "") + digits
    return .number(MigrationNumber(checked: literal))
  }
}

extension MigrationValue {
  /// Whether it comes before another one: null, booleans, numbers, texts by their bytes, then the rest
  /// by its canonical JSON.
  func precedes(_ other: MigrationValue) -> Bool { order(to: other) < 0 }

  /// Less than, equal to or greater than zero, as it comes before, with or behind another one.
  fileprivate func order(to other: MigrationValue) -> Int {
    switch (self, other) {
    case (.boolean(let left), .boolean(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
    case (.number(let left), .number(let right)):
      return left.precedes(right) ? -1 : right.precedes(left) ? 1 : 0
    case (.text(let left), .text(let right)): return left.order(to: right)
    default:
      if rank != other.rank { return rank - other.rank }
      let (left, right) = (canonicalJSON, other.canonicalJSON)
      return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .boolean: 1
    case .number: 2
    case .text: 3
    case .list: 4
    case .object: 5
    }
  }

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

extension MigrationText {
  /// Less than, equal to or greater than zero, as its bytes come before, with or behind those of another.
  fileprivate func order(to other: MigrationText) -> Int {
    let (left, right) = (string.utf8, other.string.utf8)
    if left.elementsEqual(right) { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}

/// A value to be sorted by: a short text, a date for instance, as three words, which are compared at once.
private struct OrderKey {
  private let words: (UInt64, UInt64, UInt64)
  /// The number of bytes of a short text; nil of any other value.
  private let byteCount: UInt8?
  /// The value, unless the words are all of it.
  private let value: MigrationValue?

  init(_ value: MigrationValue) {
    guard case .text(let text) = value, text.string.utf8.count <= 24 else {
      words = (0, 0, 0)
      byteCount = nil
      self.value = value
      return
    }
    var (words, position): ((UInt64, UInt64, UInt64), UInt64) = ((0, 0, 0), 0)
    for byte in text.string.utf8 {
      let place = UInt64(byte) << (56 - 8 * (position & 7))
      switch position >> 3 {
      case 0: words.0 |= place
      case 1: words.1 |= place
      default: words.2 |= place
      }
      position += 1
    }
    self.words = words
    byteCount = UInt8(truncatingIfNeeded: position)
    self.value = nil
  }

  /// The value, as it was.
  private var whole: MigrationValue {
    if let value { return value }
    var bytes: [UInt8] = []
    for word in [words.0, words.1, words.2] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    return .text(String(decoding: bytes.prefix(Int(byteCount ?? 0)), as: UTF8.self))
  }

  /// Less than, equal to or greater than zero, as its value comes before, with or behind another one.
  func order(to other: OrderKey) -> Int {
    guard let byteCount, let otherCount = other.byteCount else {
      return whole.order(to: other.whole)
    }
    if words.0 != other.words.0 { return words.0 < other.words.0 ? -1 : 1 }
    if words.1 != other.words.1 { return words.1 < other.words.1 ? -1 : 1 }
    if words.2 != other.words.2 { return words.2 < other.words.2 ? -1 : 1 }
    return Int(byteCount) - Int(otherCount)
  }
}
