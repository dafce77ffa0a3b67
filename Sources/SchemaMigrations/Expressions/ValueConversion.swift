import Folders

/// Another type that a value can be given.
public enum ValueConversion: String, Hashable, Sendable, CaseIterable {
  /// A whole number of 64 bits: `"12"`, `12.0`. What has a fraction is none.
  case integer
  /// A number, of a text that is one.
  case number
  /// A text: of a number its digits, of a boolean `true` or `false`.
  case text
  /// A boolean, of one, of 0 and 1, and of the texts `true`, `false`, `yes`, `no`, `1`, `0` in any case.
  case boolean
  /// A UUID in upper case, of a text that is one in any case.
  case uuid
  /// A date as RFC 3339 writes it in UTC, of a text that is one.
  case date
  /// A date, of a number of seconds since 1970.
  case dateOfUnixSeconds
  /// A date, of a number of milliseconds since 1970.
  case dateOfUnixMilliseconds
  /// A date, of a number of seconds since 2001, as Foundation counts them.
  case dateOfReferenceSeconds

  /// Converts a value; nil if it is none of this type.
  public func converted(_ value: MigrationValue) -> MigrationValue? {
    switch (self, value) {
    case (.integer, _): return number(value)?.int64.map(MigrationValue.number)
    case (.number, _): return number(value).map(MigrationValue.number)
    case (.text, .text): return value
    case (.text, .number(let number)): return .text(number.literal)
    case (.text, .boolean(let isTrue)): return .text(isTrue ? "true" : "false")
    case (.boolean, .boolean): return value
    case (.boolean, .number(let number)): return number.int64.flatMap(Self.boolean)
    case (.boolean, .text(let text)): return Self.boolean(text.string)
    case (.uuid, .text(let text)):
      return Identity(text.string).map { .text($0.description) }
    case (.date, .text(let text)): return RFC3339(text.string).flatMap(Self.date)
    case (.dateOfUnixSeconds, .number(let number)): return Self.date(of: number, .unix)
    case (.dateOfUnixMilliseconds, .number(let number)):
      return Self.date(of: number, .unixMilliseconds)
    case (.dateOfReferenceSeconds, .number(let number)):
      return Self.date(of: number, .reference)
    default: return nil
    }
  }

  private func number(_ value: MigrationValue) -> MigrationNumber? {
    switch value {
    case .number(let number): number
    case .text(let text): MigrationNumber(literal: text.string)
    default: nil
    }
  }

  private static func boolean(_ number: Int64) -> MigrationValue? {
    number == 0 || number == 1 ? .boolean(number == 1) : nil
  }

  private static func boolean(_ text: String) -> MigrationValue? {
    switch text.lowercased() {
    case "true", "yes", "1": .boolean(true)
    case "false", "no", "0": .boolean(false)
    default: nil
    }
  }

  private static func date(of number: MigrationNumber, _ dates: NumericDates) -> MigrationValue? {
    let literal = Array(number.literal.utf8)
    return dates.moment(literal.span).flatMap(date)
  }

  private static func date(_ moment: RFC3339) -> MigrationValue? {
    // Digits behind the milliseconds would be lost.
    guard moment.isWritable, !moment.isPrecisionReduced else { return nil }
    return .text(moment.description)
  }
}
