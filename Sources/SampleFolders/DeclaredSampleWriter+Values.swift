import Folders

// Values of each declared type.
extension DeclaredSampleWriter {
  /// Writes a value of a property that the checks of its kind expect.
  mutating func write(_ property: Property, of kind: SampleKind, _ dates: SampleDates) {
    let range = SampleRange(of: property.name, in: kind.profile.checks)
    switch property.type {
    case .string: json.string(string(property.name, kind.profile.checks))
    case .uuid: json.string(Identity(randomOfVersion4: &random))
    case .boolean: json.bool(random.happens(50))
    case .integer: writeInteger(in: range)
    case .number, .double: writeNumber(in: range)
    case .decimal: writeDecimal(in: range)
    case .date: json.string(date(dates[property.name]))
    case .bytes:
      let bytes = (0..<random.number(below: 48)).map { _ in
        UInt8(truncatingIfNeeded: random.bits())
      }
      let encoded = Base64.encode(bytes.span)
      json.string(encoded.span)
    case .json: writeAny(depth: 3)
    case .text: json.string(text(property.name, kind.profile.checks))
    case .list:
      json.beginArray()
      for _ in 0..<random.number(below: 5) { writeAny(depth: 1) }
      json.endArray()
    case .map: writeMap(depth: 1)
    case .reference(let target): for one in identities(1, of: target) { json.string(one.span) }
    case .links(let target): writeLinks(to: target)
    }
  }

  // MARK: Texts

  private mutating func string(_ name: PropertyName, _ checks: [PropertyCheck]) -> String {
    if checks.contains(.timeZone(name)) {
      return random.pick(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"])
    }
    return pattern(of: name, checks) ?? random.pick(SampleText.comments)
  }

  /// A few sentences in a few paragraphs, now and then none.
  private mutating func text(_ name: PropertyName, _ checks: [PropertyCheck]) -> String {
    if let example = pattern(of: name, checks) { return example }
    if random.happens(5) { return "" }
    var text = random.pick(SampleText.comments)
    for _ in 0..<random.number(below: 16) {
      text += random.happens(20) ? "\n\n" : ". "
      text += random.pick(SampleText.comments)
    }
    return text
  }

  private mutating func pattern(of name: PropertyName, _ checks: [PropertyCheck]) -> String? {
    for case .pattern(name, let pattern) in checks {
      return pattern.example { random.number(below: $0) }
    }
    return nil
  }

  private mutating func date(_ milliseconds: Int64) -> String {
    switch random.number(below: 100) {
    case ..<6:
      return RFC3339(milliseconds: milliseconds + Int64(1 + random.number(below: 999))).description
    case ..<10:
      return RFC3339(milliseconds: milliseconds + 7_200_000).description.dropLast() + "+02:00"
    default: return RFC3339(milliseconds: milliseconds).description
    }
  }

  // MARK: Numbers

  private mutating func writeInteger(in range: SampleRange) {
    if !range.isOpen || !random.happens(2) { return json.number(range.integer(&random)) }
    if random.happens(50) { json.number(UInt64.max) } else { json.number(Int64.min) }
  }

  private mutating func writeNumber(in range: SampleRange) {
    let whole = range.integer(&random)
    if let literal = range.literal {
      json.number(literal: literal.span)
    } else if random.happens(50) || !range.contains(whole + 1) {
      json.number(whole)
    } else {
      json.number(Double(whole) + 0.25 * Double(1 + random.number(below: 3)))
    }
  }

  /// Mostly a string, which keeps its digits.
  private mutating func writeDecimal(in range: SampleRange) {
    if random.happens(10) { return writeNumber(in: range) }
    let whole = range.integer(&random)
    if let literal = range.literal {
      json.string(literal.span)
    } else if random.happens(25) || !range.contains(whole + 1) || whole < 0 {
      json.string("\(whole)")
    } else {
      let cents = random.number(below: 100)
      json.string("\(whole)." + (cents < 10 ? "0" : "") + "\(cents)")
    }
  }

  // MARK: Containers

  /// Any JSON value but null.
  private mutating func writeAny(depth: Int) {
    switch random.number(below: depth > 1 ? 8 : 5) {
    case 0, 1: json.string(random.pick(SampleText.tags))
    case 2: json.number(random.number(below: 2000) - 1000)
    case 3: json.number(Double(random.number(below: 1000)) / 8)
    case 4: json.bool(random.happens(50))
    case 5:
      json.beginArray()
      for _ in 0..<random.number(below: 4) { writeAny(depth: depth - 1) }
      json.endArray()
    default: writeMap(depth: depth - 1)
    }
  }

  private mutating func writeMap(depth: Int) {
    let first = random.number(below: SampleText.places.count)
    json.beginObject()
    for index in 0..<random.number(below: 5) {
      json.name(Array(SampleText.places[(first + index) % SampleText.places.count].utf8).span)
      writeAny(depth: depth)
    }
    json.endObject()
  }

  private mutating func writeLinks(to target: ReferenceTarget) {
    let links = identities(random.number(below: 6), of: target)
    // Some apps write a set as the names of an object.
    guard random.happens(20) else {
      json.beginArray()
      for link in links { json.string(link.span) }
      return json.endArray()
    }
    json.beginObject()
    for (index, link) in links.enumerated() where !links[..<index].contains(link) {
      json.name(link.span)
      json.bool(true)
    }
    json.endObject()
  }

  /// Identities of entities that are there; of a kind that has none, or of none, made up.
  private mutating func identities(_ count: Int, of target: ReferenceTarget) -> [[UInt8]] {
    guard let kind = target.kind.flatMap(target(named:)) else {
      return (0..<count).map { _ in Array(random.pick(SampleText.tags).utf8) }
    }
    return (0..<count).map { _ in
      kind.count == 0
        ? Identity(randomOfVersion4: &random).canonicalBytes
        : kind.identity(of: random.number(below: kind.count))
    }
  }
}

/// The numbers that the checks of a kind expect of a property.
private struct SampleRange {
  /// Whether any number will do.
  private(set) var isOpen = true
  private var whole: ClosedRange<Int> = -20...979
  /// A number of a range without whole ones.
  private(set) var literal: [UInt8]?

  init(of name: PropertyName, in checks: [PropertyCheck]) {
    for case .range(name, let minimum, let maximum) in checks {
      isOpen = false
      let least = minimum.flatMap { Self.bounded($0)?.rounded(.up) }
      let greatest = maximum.flatMap { Self.bounded($0)?.rounded(.down) }
      let lower = Int(least ?? (greatest ?? 0) - 999)
      let upper = Int(greatest ?? Double(lower) + 999)
      if lower <= upper {
        whole = lower...upper
      } else if let bound = minimum ?? maximum {
        literal = Array(bound.description.utf8)
      }
    }
  }

  /// A number as a double, unless whole ones near it are no doubles.
  private static func bounded(_ number: ExactDecimal) -> Double? {
    Double(number.description).flatMap { abs($0) < 1e15 ? $0 : nil }
  }

  func contains(_ number: Int) -> Bool { whole.contains(number) }

  func integer(_ random: inout SeededRandom) -> Int {
    whole.lowerBound + random.number(below: min(whole.count, 1000))
  }
}
