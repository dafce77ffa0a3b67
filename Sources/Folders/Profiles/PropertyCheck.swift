/// What an app expects of values besides their types. Where it does not hold, the entity is carried as
/// it is, and a finding says so.
package enum PropertyCheck: Hashable, Sendable {
  /// A number lies between two others; at least one is given.
  case range(PropertyName, minimum: ExactDecimal?, maximum: ExactDecimal?)
  /// A string looks like this.
  case pattern(PropertyName, TextPattern)
  /// A date does not lie behind another; where one of them is not there, nothing is expected.
  case order(PropertyName, notAfter: PropertyName)
  /// A number is not greater than another; where one of them is not there, nothing is expected.
  case atMost(PropertyName, PropertyName)
  /// A string has no more characters, as people count them.
  case length(PropertyName, maximum: Int)
  /// A string is the name of a time zone.
  case timeZone(PropertyName)
  /// A text has more than blanks.
  case notBlank(PropertyName)
  /// A date does not lie ahead, by more than clocks differ.
  case past(PropertyName)
  /// A list has no more elements.
  case count(PropertyName, maximum: Int)
  /// A number inside of a value, where there is one, lies between two others; at least one is given.
  case nested(PropertyName, JSONPointer, minimum: ExactDecimal?, maximum: ExactDecimal?)
  /// A reference leads to the same as another; where one of them is not there, nothing is expected.
  case same(PropertyName, as: PropertyName)
  /// There is a value, at least where another property is true.
  case presence(PropertyName, when: PropertyName?)

  /// The property that the check is about first.
  package var property: PropertyName {
    switch self {
    case .range(let name, _, _), .pattern(let name, _), .order(let name, _), .atMost(let name, _),
      .length(let name, _), .presence(let name, _), .timeZone(let name), .notBlank(let name),
      .past(let name), .count(let name, _), .nested(let name, _, _, _), .same(let name, _):
      name
    }
  }

  /// The second property that the check is about.
  package var other: PropertyName? {
    switch self {
    case .order(_, let other), .atMost(_, let other), .same(_, let other): other
    case .presence(_, let other): other
    case .range, .pattern, .length, .timeZone, .notBlank, .past, .count, .nested: nil
    }
  }
}

/// A pattern of a whole string, character by character as Unicode scalar values.
///
/// - `*` is any run of characters, an empty one included; `?` is one character
/// - `[a-z0-9_]` is one character of those listed or in a range
/// - `\` before a character means that character
///
/// It costs at most the string's length times the pattern's, whatever the pattern is.
package struct TextPattern: Hashable, Sendable {
  private enum Atom: Hashable, Sendable {
    case one([ClosedRange<Unicode.Scalar>])
    case anyRun
  }

  /// The longest pattern in bytes.
  package static let largestByteCount = 512

  /// The pattern as it is written.
  package let text: String
  private let atoms: [Atom]

  /// Parses a pattern; nil if it is too long, ends in a backslash, or a bracket is empty, open or has a
  /// range that ends before it begins.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.largestByteCount else { return nil }
    var atoms: [Atom] = []
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*": if atoms.last != .anyRun { atoms.append(.anyRun) }
      case "?": atoms.append(.one(["\0"..."\u{10FFFF}"]))
      case "[":
        guard let ranges = Self.ranges(&rest) else { return nil }
        atoms.append(.one(ranges))
      case "\\":
        guard let next = rest.popFirst() else { return nil }
        atoms.append(.one([next...next]))
      default: atoms.append(.one([scalar...scalar]))
      }
    }
    self.text = text
    self.atoms = atoms
  }

  private static func ranges(
    _ rest: inout ArraySlice<Unicode.Scalar>
  ) -> [ClosedRange<Unicode.Scalar>]? {
    func scalar() -> Unicode.Scalar? {
      let first = rest.popFirst()
      return first == "\\" ? rest.popFirst() : first
    }
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    while let first = rest.first {
      if first == "]" {
        rest.removeFirst()
        return ranges.isEmpty ? nil : ranges
      }
      guard let lower = scalar() else { return nil }
      var upper = lower
      if rest.first == "-" {
        rest.removeFirst()
        guard rest.first != "]", let last = scalar(), last >= lower else { return nil }
        upper = last
      }
      ranges.append(lower...upper)
    }
    return nil
  }

  /// Returns a string that looks like the pattern.
  ///
  /// - Parameter choose: returns a number from zero below its argument.
  package func example(_ choose: (Int) -> Int) -> String {
    var scalars = String.UnicodeScalarView()
    for atom in atoms {
      switch atom {
      case .one(let ranges): scalars.append(Self.scalar(of: ranges[choose(ranges.count)], choose))
      case .anyRun: for _ in 0..<choose(8) { scalars.append(Self.scalar(of: "a"..."z", choose)) }
      }
    }
    return String(scalars)
  }

  /// One of the first scalars of a range; where that has the small letters, one of them.
  private static func scalar(
    of range: ClosedRange<Unicode.Scalar>, _ choose: (Int) -> Int
  ) -> Unicode.Scalar {
    let letters: ClosedRange<Unicode.Scalar> = "a"..."z"
    let range = range.contains("a") && range.contains("z") ? letters : range
    let last = min(range.upperBound.value, range.lowerBound.value + 25)
    // Between scalars there are surrogates, which are none.
    return Unicode.Scalar(
      range.lowerBound.value + UInt32(choose(Int(last - range.lowerBound.value) + 1)))
      ?? range.lowerBound
  }

  /// Returns whether a string in UTF-8 looks like the pattern.
  package func matches(_ string: some Sequence<UInt8>) -> Bool {
    let scalars = Array(String(decoding: Array(string), as: UTF8.self).unicodeScalars)
    var position = 0
    var atom = 0
    var lastRun: (atom: Int, position: Int)?
    while position < scalars.count {
      if atom < atoms.count, case .one(let ranges) = atoms[atom],
        ranges.contains(where: { $0 ~= scalars[position] })
      {
        position += 1
        atom += 1
      } else if atom < atoms.count, atoms[atom] == .anyRun {
        lastRun = (atom, position)
        atom += 1
      } else if let run = lastRun {
        lastRun = (run.atom, run.position + 1)
        position = run.position + 1
        atom = run.atom + 1
      } else {
        return false
      }
    }
    return atoms[atom...].allSatisfy { $0 == .anyRun }
  }

  package static func == (left: TextPattern, right: TextPattern) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(Array(text.utf8)) }
}
