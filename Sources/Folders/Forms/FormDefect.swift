import Diagnostics

/// What is wrong with the form of a JSON file that a person writes, and where in it.
package struct FormDefect: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Fact: Hashable, Sendable {
    case unknownMember(String, known: [String])
    case missingMember(String)
    case wrongForm(expected: String)
    case tooMany(String, limit: Int)
    case notAName(String)
  }

  /// What is wrong.
  package var fact: Fact
  /// Where: the innermost value that is there.
  package var place: [FormStep]

  init(_ fact: Fact, at place: [FormStep]) {
    self.fact = fact
    self.place = place
  }
}

/// A step on the way from a whole file to a place in it.
package enum FormStep: Hashable, Sendable {
  case member([UInt8])
  case element(Int)

  /// The step to a member.
  package static func named(_ name: String) -> FormStep { .member(Array(name.utf8)) }
}

extension FormDefect.Fact {
  /// The fact as a sentence fragment without a trailing stop.
  package var problem: String {
    switch self {
    case .unknownMember(let name, _): "\(DisplayText.quoting(name)) is no member here"
    case .missingMember(let name): "\(DisplayText.quoting(name)) is missing"
    case .wrongForm(let expected): "expected \(expected) here"
    case .tooMany(let what, let limit): "too many \(what), expected at most \(limit.grouped)"
    case .notAName(let name): "\(DisplayText.quoting(name)) is no name"
    }
  }

  /// What to do about it.
  ///
  /// - Parameter option: the option that prints the JSON Schema.
  package func remedy(_ option: String) -> String {
    switch self {
    case .unknownMember(_, let known): "these are known: " + known.joined(separator: ", ")
    case .missingMember(let name): "add \"\(name)\"; \(option) shows the form"
    case .wrongForm: "\(option) shows the form"
    case .tooMany: "leave some out"
    case .notAName: "use letters, digits, - and _, at most 64, a letter first"
    }
  }
}
