import SafeFiles

/// How many values are kept to compare with others; when none are left, that is not looked at.
struct ValueBudget {
  var left = 1_000_000
}

/// What the values of one member of all entities of a kind have in common.
struct PropertySurvey {
  /// The forms that JSON has.
  struct Forms: OptionSet {
    let rawValue: UInt8
    static let string = Forms(rawValue: 1)
    static let number = Forms(rawValue: 2)
    static let boolean = Forms(rawValue: 4)
    static let list = Forms(rawValue: 8)
    static let map = Forms(rawValue: 16)

    static let names: [(Forms, String)] = [
      (.string, "strings"), (.number, "numbers"), (.boolean, "booleans"), (.list, "lists"),
      (.map, "objects"),
    ]
  }

  /// Of values that are not unique so many are kept.
  private static let sampleCount = 256

  private(set) var valueCount = 0
  private(set) var nullCount = 0
  private(set) var forms: Forms = []
  private(set) var areUUIDs = true
  private(set) var areDates = true
  private(set) var areIntegers = true
  /// Whether all strings are decimals without zeros in front, and one at least has a point.
  var areDecimals: Bool { areDecimalTexts && hasPoint }
  private var areDecimalTexts = true
  private var hasPoint = false
  /// Whether a string has several lines.
  private(set) var hasLines = false
  /// Whether all are strings, none empty, no two the same.
  private(set) var isUnique = true
  /// Whether all lists hold strings only, each once, and all objects are sets: `true` for each name.
  private(set) var areSets = true
  /// The hashes of strings, and of those in lists; all of unique ones, else some.
  private(set) var values: Set<UInt64> = []
  /// The months of the dates.
  private(set) var months: ClosedRange<Month>?
  /// What whole numbers are.
  private(set) var scale = ScaleSurvey()

  /// Looks at a value; returns the moment that it is in milliseconds, if it is a date as all before it.
  @discardableResult
  mutating func add(_ node: Int, _ tape: JSONTape, _ budget: inout ValueBudget) -> Int64? {
    let text = tape.text.span.extracting(tape.range(of: node))
    if tape.kind(of: node) == .null {
      isUnique = false
      nullCount += 1
      return nil
    }
    valueCount += 1
    if tape.kind(of: node) != .string { isUnique = false }
    switch tape.kind(of: node) {
    case .null: break
    case .string:
      forms.insert(.string)
      return addString(text, &budget)
    case .number:
      forms.insert(.number)
      switch tape.number(at: node) {
      case .int(let number): scale.add(number)
      case .uint: scale.addOther()
      case .double, .notRepresentable:
        areIntegers = false
        scale.addOther()
      }
    case .true, .false: forms.insert(.boolean)
    case .array:
      forms.insert(.list)
      addMembers(of: node, tape, step: 0, &budget)
    case .object:
      forms.insert(.map)
      addMembers(of: node, tape, step: 1, &budget)
    }
    return nil
  }

  private mutating func addString(_ text: Span<UInt8>, _ budget: inout ValueBudget) -> Int64? {
    var milliseconds: Int64?
    areUUIDs = areUUIDs && Identity(text) != nil
    if areDates, let moment = RFC3339(text) {
      milliseconds = moment.milliseconds
      let month = Month(milliseconds: moment.milliseconds)
      months = months.map { min($0.lowerBound, month)...max($0.upperBound, month) } ?? month...month
    } else {
      areDates = false
    }
    noteDecimal(text)
    for index in text.indices where text[index] == UInt8(ascii: "\n") { hasLines = true }
    if text.isEmpty { isUnique = false }
    let isNew = insert(ValueHash.of(text), isNeeded: isUnique, &budget)
    isUnique = isUnique && isNew
    return milliseconds
  }

  private mutating func noteDecimal(_ text: Span<UInt8>) {
    guard areDecimalTexts, text.count < 40, ExactDecimal(text) != nil else {
      return areDecimalTexts = false
    }
    let digits = Array(text).drop { $0 == UInt8(ascii: "-") }
    let point = digits.firstIndex(of: UInt8(ascii: "."))
    hasPoint = hasPoint || point != nil
    // `007` is a number of something, not a number.
    let whole = digits[..<(point ?? digits.endIndex)]
    if whole.count > 1, whole.first == UInt8(ascii: "0") { areDecimalTexts = false }
  }

  private mutating func addMembers(
    of container: Int, _ tape: JSONTape, step: Int, _ budget: inout ValueBudget
  ) {
    guard areSets else { return }
    var seen: Set<UInt64> = []
    var child = container + 1
    while child < tape.node(after: container) {
      guard tape.kind(of: child) == .string, step == 0 || tape.kind(of: child + 1) == .true else {
        return areSets = false
      }
      let hash = ValueHash.of(tape.text.span.extracting(tape.range(of: child)))
      if !seen.insert(hash).inserted { return areSets = false }
      _ = insert(hash, isNeeded: false, &budget)
      child = tape.node(after: child + step)
    }
  }

  /// Keeps a value; returns false if it is there already, or if there is no room to know.
  private mutating func insert(
    _ hash: UInt64, isNeeded: Bool, _ budget: inout ValueBudget
  ) -> Bool {
    guard isNeeded || values.count < Self.sampleCount else { return false }
    guard budget.left > 0 else { return false }
    guard values.insert(hash).inserted else { return false }
    budget.left -= 1
    return true
  }
}

/// What the entities of one kind have in common.
struct KindSurvey {
  /// The most members that are looked at, and the longest names.
  private static let largest = (propertyCount: 400, nameByteCount: 128)

  private(set) var count = 0
  private(set) var properties: [[UInt8]: PropertySurvey] = [:]
  /// How many members have names that are too many or too long.
  private(set) var passedOver = 0
  /// The hashes of the names under which a map has the entities, or of the paths of their files.
  private(set) var names: Set<UInt64> = []
  /// Whether there are no two of one name, and none without.
  private(set) var areNamesUnique = true
  /// Whether one of them is no object.
  private(set) var hasOthers = false
  /// The names of what the files hold besides.
  private(set) var besides: Set<[UInt8]> = []
  /// In which order their dates lie.
  private(set) var dateOrders = DateOrders()

  /// Looks at an entity.
  ///
  /// - Parameter name: what it would be known by if that is no property; empty if there is nothing.
  mutating func add(
    _ node: Int, named name: Span<UInt8>, _ tape: JSONTape, _ budget: inout ValueBudget
  ) {
    count += 1
    if budget.left > 0, !name.isEmpty, names.insert(ValueHash.of(name)).inserted {
      budget.left -= 1
    } else {
      areNamesUnique = false
    }
    guard tape.kind(of: node) == .object else { return hasOthers = true }
    var dates: [(name: [UInt8], milliseconds: Int64)] = []
    var member = node + 1
    while member < tape.node(after: node) {
      let name = tape.bytes(of: member)
      if properties[name] != nil || isRoom(for: name) {
        let date = properties[name, default: PropertySurvey()].add(member + 1, tape, &budget)
        if let date, dates.count < DateOrders.largestCount { dates.append((name, date)) }
      } else {
        passedOver += 1
      }
      member = tape.node(after: member + 1)
    }
    dateOrders.add(dates)
  }

  /// Takes note of what a file holds beside its entities.
  mutating func add(besides name: [UInt8]) { besides.insert(name) }

  private func isRoom(for name: [UInt8]) -> Bool {
    properties.count < Self.largest.propertyCount
      && 1...Self.largest.nameByteCount ~= name.count
  }
}
