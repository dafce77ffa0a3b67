import Diagnostics

/// A check of a kind with the properties that it is about, by their positions in the table.
struct DeclaredCheck: Sendable {
  /// What an entity is asked first.
  ///
  /// It refers to nothing, so that an entity in which all is as expected costs no count of references,
  /// which all threads would make.
  struct Question: Sendable {
    enum Form { case absence, timeZone, same, other }
    let form: Form
    let property: Int
    /// The second property that it is about.
    let other: Int?
  }

  let check: PropertyCheck
  let question: Question

  init?(_ check: PropertyCheck, of properties: PropertyTable) {
    guard let property = properties.index(of: check.property.bytes.span) else { return nil }
    self.check = check
    let form: Question.Form =
      switch check {
      case .presence: .absence
      case .timeZone: .timeZone
      case .same: .same
      default: .other
      }
    question = Question(
      form: form, property: property,
      other: check.other.flatMap { properties.index(of: $0.bytes.span) })
    if check.other != nil, question.other == nil { return nil }
  }
}

// What an app expects of values besides their types.
extension EntityBatch {
  /// Tells of values that a profile's checks do not expect; they are carried as they are.
  ///
  /// - Parameter values: the node of each property's value; 0 where there is none.
  mutating func noteUnexpected(_ values: [UInt32], of declared: DeclaredKind) {
    for (index, question) in declared.questions.enumerated() {
      let node = Int(values[question.property])
      if question.form == .absence {
        if isNothing(node) { noteAbsence(declared.checks[index], values) }
        continue
      }
      guard node > 0, !isExpected(node, question, values),
        let problem = problem(with: node, declared.checks[index], values)
      else { continue }
      let name = DisplayText.escaping(declared.checks[index].check.property.bytes)
      note(.unexpectedValue, .warning, "\(name) \(problem); it is carried as it is", at: node)
    }
  }

  private func isNothing(_ node: Int) -> Bool { node == 0 || tape.kind(of: node) == .null }

  /// Whether a value is as a check expects it, as far as that is seen at once.
  private func isExpected(
    _ node: Int, _ question: DeclaredCheck.Question, _ values: [UInt32]
  ) -> Bool {
    guard tape.kind(of: node) == .string else { return false }
    switch question.form {
    case .timeZone: return TimeZoneNames.contains(tape.text.span.extracting(tape.range(of: node)))
    case .same:
      guard let other = question.other, tape.kind(of: Int(values[other])) == .string else {
        return false
      }
      return tape.isEqual(node, Int(values[other]))
    case .absence, .other: return false
    }
  }

  /// Tells that a value is not there that should be.
  private mutating func noteAbsence(_ check: DeclaredCheck, _ values: [UInt32]) {
    var reason = ""
    if let other = check.question.other, case .presence(_, let condition?) = check.check {
      guard values[other] > 0, tape.kind(of: Int(values[other])) == .true else { return }
      reason = ", and \(DisplayText.escaping(condition.bytes)) is true"
    }
    let name = DisplayText.escaping(check.check.property.bytes)
    note(.unexpectedValue, .warning, "there is no \(name)\(reason)", at: 0)
  }

  /// How far clocks of devices may differ, and what people take for today, in milliseconds.
  private static let clockDifference: Int64 = 86_400_000

  /// Returns what an app would not expect of a number inside of a value; what is not there is as it may be.
  private func problem(
    inside node: Int, at pointer: JSONPointer, _ minimum: ExactDecimal?, _ maximum: ExactDecimal?
  ) -> String? {
    var inner = node
    for token in pointer.tokens {
      guard tape.kind(of: inner) == .object, let member = tape.member(token, of: inner) else {
        return nil
      }
      inner = member
    }
    guard tape.kind(of: inner) == .number,
      let number = ExactDecimal(tape.text.span.extracting(tape.range(of: inner)))
    else { return nil }
    let place = "has \(tape.displayedString(at: inner)) at \(DisplayText.escaping(pointer.text))"
    if let minimum, number < minimum { return "\(place), less than \(minimum)" }
    if let maximum, number > maximum { return "\(place), more than \(maximum)" }
    return nil
  }

  /// Returns how two references lead to different entities. One that a store lacks may be any.
  private func problem(with node: Int, besides other: Int, named name: PropertyName) -> String? {
    guard tape.kind(of: node) == .string, tape.kind(of: other) == .string,
      !tape.isEqual(node, other)
    else { return nil }
    let (one, two) = (tape.bytes(of: node), tape.bytes(of: other))
    if let first = Identity(one.span), first == Identity(two.span) { return nil }
    let isLost = [one, two].contains {
      LostValue($0.span, of: .reference(ReferenceTarget()), in: kinds.profile) != nil
    }
    return isLost
      ? nil
      : "is \(tape.displayedString(at: node)), and \(DisplayText.escaping(name.bytes)) leads to "
        + tape.displayedString(at: other)
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
    case .length(_, let maximum):
      guard tape.kind(of: node) == .string else { return nil }
      let count = String(decoding: tape.bytes(of: node), as: UTF8.self).count
      guard count > maximum else { return nil }
      return "has \(count.counted("character")), more than \(maximum.grouped)"
    case .timeZone:
      guard tape.kind(of: node) == .string, !TimeZoneNames.contains(text) else { return nil }
      return "is \"\(shown)\", which is the name of no time zone"
    case .notBlank:
      guard tape.kind(of: node) == .string,
        String(decoding: tape.bytes(of: node), as: UTF8.self)
          .unicodeScalars.allSatisfy(\.properties.isWhitespace)
      else { return nil }
      return "is blank"
    case .past:
      guard let now = rules.now, let moment = tape.kind(of: node) == .string ? RFC3339(text) : nil,
        moment.milliseconds > now + Self.clockDifference
      else { return nil }
      return "is \(shown), which lies ahead"
    case .count(_, let maximum):
      guard tape.nodes[node].isContainer, tape.childCount(of: node) > maximum else { return nil }
      return "has \(tape.childCount(of: node).counted("element")), more than \(maximum.grouped)"
    case .nested(_, let pointer, let minimum, let maximum):
      return problem(inside: node, at: pointer, minimum, maximum)
    case .same(_, let name):
      guard let other = check.question.other, values[other] > 0 else { return nil }
      return problem(with: node, besides: Int(values[other]), named: name)
    case .presence: return nil
    case .atMost(_, let greatest):
      guard let other = check.question.other, values[other] > 0,
        let number = ExactDecimal(text),
        let limit = ExactDecimal(tape.text.span.extracting(tape.range(of: Int(values[other])))),
        tape.kind(of: node) == .number, tape.kind(of: Int(values[other])) == .number,
        number > limit
      else { return nil }
      return "is \(shown), more than \(DisplayText.escaping(greatest.bytes)), which is \(limit)"
    case .order(_, let notAfter):
      guard let other = check.question.other, values[other] > 0 else { return nil }
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
