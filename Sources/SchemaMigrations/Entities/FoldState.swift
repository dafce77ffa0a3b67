import Folders

/// What the entities of a fold add up to, one group after the other.
struct FoldState {
  /// The most bytes that the values of a fold take together.
  static let largestByteCount = 256 << 20

  private let fold: EntityStep.Fold
  private var groups: [MigrationText: Group] = [:]
  private var results: [MigrationText: MigrationValue] = [:]
  private var byteCount = 0

  private enum Group {
    case count(Int64)
    case sum(ExactSum)
    case extreme(MigrationValue)
    case list([Element])
  }

  private struct Element {
    let order: MigrationValue?
    let identity: Identity
    let value: MigrationValue
  }

  init(_ fold: EntityStep.Fold) { self.fold = fold }

  /// The identity of the group of what belongs to no entity.
  private static let whole = MigrationText("")

  /// Adds an entity, if it counts.
  mutating func add(
    _ source: some ExpressionSource, _ identity: Identity
  ) throws(ConversionDefect) {
    if let test = fold.test, try !test.holds(for: source) { return }
    var key = Self.whole
    if let group = fold.group {
      // What belongs to no entity is in no group.
      guard let value = try group.value(from: source), case .text(let text) = value else { return }
      key = Self.key(text.string)
    }
    switch fold.combining {
    case .count:
      var count: Int64 = 1
      if case .count(let before) = groups[key] { count += before }
      groups[key] = .count(count)
    case .sum(let expression):
      guard let value = try expression.value(from: source), value != .null else { return }
      var sum = ExactSum()
      if case .sum(let before) = groups[key] { sum = before }
      try sum.add(value)
      groups[key] = .sum(sum)
    case .minimum(let expression): try keep(expression, source, in: key) { $0.precedes($1) }
    case .maximum(let expression): try keep(expression, source, in: key) { $1.precedes($0) }
    case .list(let expression, let order):
      guard let value = try expression.value(from: source) else { return }
      let element = Element(
        order: try order?.value(from: source), identity: identity, value: value)
      byteCount += 96 + value.byteCount
      guard byteCount <= Self.largestByteCount else { throw .tooMuch(limit: Self.largestByteCount) }
      // In place, so that a list does not move with each element.
      if case .list(var elements) = groups.removeValue(forKey: key) ?? .list([]) {
        elements.append(element)
        groups[key] = .list(elements)
      }
    }
  }

  private mutating func keep(
    _ expression: ValueExpression, _ source: some ExpressionSource, in key: MigrationText,
    _ isBetter: (MigrationValue, MigrationValue) -> Bool
  ) throws(ConversionDefect) {
    guard let value = try expression.value(from: source), value != .null else { return }
    if case .extreme(let before) = groups[key], !isBetter(value, before) { return }
    groups[key] = .extreme(value)
  }

  /// Makes the results; nothing is added any more.
  mutating func finish() {
    for (key, group) in groups {
      switch group {
      case .count(let count): results[key] = .number(count)
      case .sum(let sum): results[key] = sum.value
      case .extreme(let value): results[key] = value
      case .list(let elements): results[key] = .list(Self.sorted(elements))
      }
    }
    groups.removeAll()
  }

  private static func sorted(_ elements: [Element]) -> [MigrationValue] {
    elements.sorted { left, right in
      switch (left.order, right.order) {
      case (let one?, let other?) where one != other: one.precedes(other)
      case (nil, _?): true
      case (_?, nil): false
      default: left.identity < right.identity
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
  func precedes(_ other: MigrationValue) -> Bool {
    switch (self, other) {
    case (.boolean(let left), .boolean(let right)): return !left && right
    case (.number(let left), .number(let right)): return left.precedes(right)
    case (.text(let left), .text(let right)):
      return left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    default:
      if rank != other.rank { return rank < other.rank }
      return canonicalJSON.lexicographicallyPrecedes(other.canonicalJSON)
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
