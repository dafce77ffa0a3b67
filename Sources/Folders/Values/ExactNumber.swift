/// A JSON number as the Automerge type that holds exactly this decimal value, if one does.
///
/// A literal without `.`, `e` and `E` is an integer if it fits 64 bits, signed first. Everything
/// else, `-0` included, is a double if the decimal value equals the shortest decimal that reads as
/// this double: so `0.1` is a double and comes back as `0.1`, but `0.10000000000000001` would come
/// back shorter and is not representable.
package enum ExactNumber: Hashable, Sendable {
  case int(Int64)
  case uint(UInt64)
  case double(Double)
  case notRepresentable

  /// Creates the number from a literal that follows the grammar of JSON.
  package init(_ literal: Span<UInt8>) {
    if let integer = Self.integer(literal) {
      self = integer
    } else if let double = Self.double(literal) {
      self = .double(double)
    } else {
      self = .notRepresentable
    }
  }

  /// Creates the number from a string, as `init(_:Span<UInt8>)` does.
  package init(_ literal: some StringProtocol) {
    let bytes = Array(literal.utf8)
    self.init(bytes.span)
  }

  private static func integer(_ literal: Span<UInt8>) -> ExactNumber? {
    let isNegative = literal.count > 0 && literal[0] == UInt8(ascii: "-")
    let first = isNegative ? 1 : 0
    guard first < literal.count else { return nil }
    var magnitude: UInt64 = 0
    for index in first..<literal.count {
      let digit = literal[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      let (tens, tooLarge) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, tooLargeAfterAll) = tens.addingReportingOverflow(UInt64(digit))
      if tooLarge || tooLargeAfterAll { return nil }
      magnitude = sum
    }
    if !isNegative { return Int64(exactly: magnitude).map(Self.int) ?? .uint(magnitude) }
    // -0 is no integer: its sign would be lost.
    if magnitude == 0 || magnitude > Int64.min.magnitude { return nil }
    return .int(Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  private static func double(_ literal: Span<UInt8>) -> Double? {
    // No double's shortest decimal has more than 17 digits.
    guard let decimal = Decimal(literal), decimal.digits < 100_000_000_000_000_000 else {
      return nil
    }
    if let double = decimal.double { return double }
    let text = "\(decimal.isNegative ? "-" : "")\(decimal.digits)e\(decimal.exponent)"
    guard let value = Double(text), value.isFinite else { return nil }
    let shortest = Array(value.description.utf8)
    return Decimal(shortest.span) == decimal ? value : nil
  }
}

extension ExactNumber {
  /// A decimal value in its only form: no trailing zeros in `digits`; zero has exponent 0.
  struct Decimal: Equatable {
    var isNegative = false
    var digits: UInt64 = 0
    var exponent = 0

    /// Returns `nil` if the value has more than 19 significant digits or an absurd exponent.
    init?(_ literal: Span<UInt8>) {
      var position = 0
      if literal.count > 0, literal[0] == UInt8(ascii: "-") {
        isNegative = true
        position = 1
      }
      var isFraction = false
      var zeros = 0
      while position < literal.count {
        let byte = literal[position]
        let digit = byte &- UInt8(ascii: "0")
        if byte == UInt8(ascii: ".") {
          isFraction = true
        } else if digit < 10 {
          if isFraction { exponent -= 1 }
          if digit == 0 {
            // Zeros count only if another digit follows, and not in front.
            if digits > 0 { zeros += 1 }
          } else {
            for _ in 0...zeros {
              let (product, isTooLong) = digits.multipliedReportingOverflow(by: 10)
              if isTooLong { return nil }
              digits = product
            }
            zeros = 0
            let (sum, isTooLong) = digits.addingReportingOverflow(UInt64(digit))
            if isTooLong { return nil }
            digits = sum
          }
        } else {
          guard let written = Self.exponent(literal, from: position + 1) else {
            if digits == 0 { break }
            return nil
          }
          exponent += written
          break
        }
        position += 1
      }
      exponent = digits == 0 ? 0 : exponent + zeros
    }

    /// The powers of ten that are doubles.
    private static let powers: [Double] = (0...22).map { exponent in
      (0..<exponent).reduce(1) { power, _ in power * 10 }
    }

    /// The double that it is the shortest decimal of, where that needs no look at its text; else nil.
    ///
    /// Digits and power are doubles then, so one operation rounds once, and no two decimals of up to 15
    /// digits are one double.
    var double: Double? {
      guard digits < 1_000_000_000_000_000, exponent.magnitude < Self.powers.count else {
        return nil
      }
      let power = Self.powers[abs(exponent)]
      let value = exponent < 0 ? Double(digits) / power : Double(digits) * power
      return isNegative ? -value : value
    }

    /// Returns `nil` for an exponent that no double reaches, however many zeros go with it.
    private static func exponent(_ literal: Span<UInt8>, from start: Int) -> Int? {
      var position = start
      var isNegative = false
      if position < literal.count, !(0..<10).contains(literal[position] &- UInt8(ascii: "0")) {
        isNegative = literal[position] == UInt8(ascii: "-")
        position += 1
      }
      var value = 0
      while position < literal.count {
        value = value * 10 + Int(literal[position] &- UInt8(ascii: "0"))
        if value > 1 << 40 { return nil }
        position += 1
      }
      return isNegative ? -value : value
    }
  }
}
