import Diagnostics

/// A check of a kind with the properties that it is about, by their positions in the table.
struct DeclaredCheck: Sendable {
  let check: PropertyCheck
  let property: Int
  /// The second property of an order of dates.
  let other: Int?

  init?(_ check: PropertyCheck, of properties: PropertyTable) {
    guard let property = properties.index(of: check.property.bytes.span) else { return nil }
    self.check = check
    self.property = property
    if case .order(_, let later) = check {
      guard let other = properties.index(of: later.bytes.span) else { return nil }
      self.other = other
    } else {
      other = nil
    }
  }
}

// What an app expects of values besides their types.
extension EntityBatch {
  /// Tells of values that a profile's checks do not expect; they are carried as they are.
  ///
  /// - Parameter values: the node of each property's value; 0 where there is none.
  mutating func noteUnexpected(_ values: [UInt32], of declared: DeclaredKind) {
    for check in declared.checks where values[check.property] > 0 {
      let node = Int(values[check.property])
      guard let problem = problem(with: node, check, values) else { continue }
      let name = DisplayText.escaping(check.check.property.bytes)
      note(.unexpectedValue, .warning, "\(name) \(problem); it is carried as it is", at: node)
    }
  }

  /// Returns what an app would not expect of a value; a value of another type is told as that.
  private func problem(with node: Int, _ check: DeclaredCheck, _ values: [UInt32]) -> String? {
    let text = tape.text.span.extracting(tape.range(of: node))
    var shown: String { tape.displayedString(at: node) }
    switch check.check {
    case .range(_, let minimum, let maximum):
      guard tape.kind(of: node) == .number || tape.kind(of: node) == .string,
        let number = ExactDecimal(text)
      else { return nil }
      if let minimum, number < minimum { return "is \(shown), less than \(minimum)" }
      if let maximum, number > maximum { return "is \(shown), more than \(maximum)" }
    case .pattern(_, let pattern):
      guard tape.kind(of: node) == .string, !pattern.matches(tape.bytes(of: node)) else {
        return nil
      }
      return "is \"\(shown)\", which is not like "
        + DisplayText.escaping(Array(pattern.text.utf8))
    case .order(_, let notAfter):
      guard let other = check.other, values[other] > 0 else { return nil }
      let later = Int(values[other])
      guard tape.kind(of: node) == .string, tape.kind(of: later) == .string,
        let first = RFC3339(text),
        let second = RFC3339(tape.text.span.extracting(tape.range(of: later))),
        first.milliseconds > second.milliseconds
      else { return nil }
      let name = DisplayText.escaping(notAfter.bytes)
      return "is \(shown), behind \(name), which is \(tape.displayedString(at: later))"
    }
    return nil
  }
}
