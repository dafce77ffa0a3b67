package import Diagnostics

/// A value of the machine form of a report.
package indirect enum ReportValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  /// A duration in seconds; written with three decimals.
  case seconds(Double)
  case string(String)
  case array([ReportValue])
  case object(ReportObject)
}

extension ReportValue {
  /// The words of a command.
  package init(_ command: NextCommand) { self = .array(command.words.map { .string($0) }) }
}

/// An object of the machine form of a report: named values in the order they are written.
package struct ReportObject: Hashable, Sendable {
  /// One named value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: ReportValue
  }

  /// The members in the order they are written; names are unique.
  package private(set) var members: [Member] = []

  /// Creates an empty object.
  package init() {}

  /// Appends a value.
  package mutating func add(_ name: String, _ value: ReportValue) {
    members.append(Member(name: name, value: value))
  }

  /// Appends an integer.
  package mutating func add(_ name: String, _ value: Int) { add(name, .integer(value)) }

  /// Appends a string.
  package mutating func add(_ name: String, _ value: String) { add(name, .string(value)) }

  /// Appends a truth value.
  package mutating func add(_ name: String, _ value: Bool) { add(name, .boolean(value)) }

  /// Returns the value of that name.
  package subscript(_ name: String) -> ReportValue? {
    members.first { $0.name == name }?.value
  }
}
