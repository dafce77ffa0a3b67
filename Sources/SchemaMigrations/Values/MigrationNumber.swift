import Folders

/// A number as its digits say it.
public struct MigrationNumber: Hashable, Sendable {
  /// The number as JSON writes it, `-0.5e3` for instance.
  public let literal: String

  /// Creates a number from a literal of JSON; nil for anything else.
  public init?(literal: String) {
    guard Self.isLiteral(Array(literal.utf8)) else { return nil }
    self.literal = literal
  }

  /// Creates a number from what is known to be a literal.
  init(checked literal: String) { self.literal = literal }

  /// Creates a whole number.
  public init(_ number: Int64) { literal = number.description }

  /// Creates a number from the shortest decimal that reads as it; nil for what JSON has no literal for.
  public init?(_ number: Double) {
    guard number.isFinite else { return nil }
    literal = number.description
  }

  /// The number, if it is a whole one that fits.
  public var int64: Int64? {
    if case .int(let number) = ExactNumber(literal) { return number }
    // 2.0 and 2e0 are whole numbers, too.
    guard let decimal, let double = Double(literal), let number = Int64(exactly: double) else {
      return nil
    }
    return ExactDecimal(number.description) == decimal ? number : nil
  }

  /// The nearest double; infinite beyond them.
  public var double: Double { Double(literal) ?? .nan }

  /// The one form that all equal numbers have, in ASCII.
  var normalForm: [UInt8] {
    var text: [UInt8] = []
    guard let decimal else { return Array(literal.utf8) }
    decimal.append(to: &text)
    return text
  }

  /// Whether it is less than another one; beyond the limits of a decimal by the nearest doubles.
  func precedes(_ other: MigrationNumber) -> Bool {
    guard let decimal, let otherDecimal = other.decimal else { return double < other.double }
    return decimal < otherDecimal
  }

  private var decimal: ExactDecimal? { ExactDecimal(literal) }

  public static func == (left: MigrationNumber, right: MigrationNumber) -> Bool {
    if left.literal.utf8.elementsEqual(right.literal.utf8) { return true }
    // Beyond the limits of a decimal only the same digits are the same number.
    guard let decimal = left.decimal else { return false }
    return decimal == right.decimal
  }

  public func hash(into hasher: inout Hasher) {
    if let decimal { hasher.combine(decimal) } else { hasher.combine(literal) }
  }

  /// Whether bytes are a number, and nothing else, in the grammar of JSON.
  private static func isLiteral(_ bytes: [UInt8]) -> Bool {
    var tape = JSONTape()
    do throws(JSONDefect) { try tape.parse(bytes) } catch { return false }
    return tape.kind(of: 0) == .number && tape.range(of: 0) == bytes.indices
  }
}
