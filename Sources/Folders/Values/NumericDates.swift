/// What a date given as a number means; a number alone cannot tell, so somebody has to say.
package enum NumericDates: String, CaseIterable, Hashable, Sendable {
  /// Seconds since 2001-01-01, as Foundation's `Date` counts.
  case reference
  /// Seconds since 1970-01-01.
  case unix
  /// Milliseconds since 1970-01-01.
  case unixMilliseconds = "unix-ms"

  /// Returns the moment a literal names, rounded half up to milliseconds on its decimal digits.
  ///
  /// Returns `nil` if the moment has no RFC 3339 form.
  package func moment(_ literal: Span<UInt8>) -> RFC3339? {
    guard let value = ScaledDecimal(literal, powerOfTen: self == .unixMilliseconds ? 0 : 3) else {
      return nil
    }
    let moment = RFC3339(
      milliseconds: value.rounded + epoch, isPrecisionReduced: value.isReduced)
    return moment.isWritable ? moment : nil
  }

  /// Returns the number that counts a moment, with all digits it needs and no more.
  package func literal(of milliseconds: Int64) -> [UInt8] {
    let (value, isOver) = milliseconds.subtractingReportingOverflow(epoch)
    if self == .unixMilliseconds || isOver { return Array(milliseconds.description.utf8) }
    let digits = String(value.magnitude % 1000)
    var text = "\(value < 0 ? "-" : "")\(value.magnitude / 1000)"
    if value % 1000 != 0 {
      text += "." + String(repeating: "0", count: 3 - digits.count) + digits
      while text.hasSuffix("0") { text.removeLast() }
    }
    return Array(text.utf8)
  }

  /// The moment that zero names, in milliseconds since 1970.
  private var epoch: Int64 { self == .reference ? 978_307_200_000 : 0 }
}

/// A decimal literal times a power of ten, rounded half up to an integer.
private struct ScaledDecimal {
  var rounded: Int64 = 0
  var isReduced = false

  /// Returns `nil` if the result is beyond a million years of milliseconds.
  init?(_ literal: Span<UInt8>, powerOfTen: Int) {
    guard let decimal = ExactNumber.Decimal(literal) else { return nil }
    var digits = decimal.digits
    var exponent = decimal.exponent + powerOfTen
    if digits == 0 { return }
    while exponent > 0 {
      guard digits < 1 << 55 else { return nil }
      digits *= 10
      exponent -= 1
    }
    var fractionAgainstHalf = -1
    if exponent < 0 {
      isReduced = true
      var divisor: UInt64 = 1
      while exponent < 0, divisor < 10_000_000_000_000_000_000 {
        divisor *= 10
        exponent += 1
      }
      let fraction = exponent < 0 ? 0 : digits % divisor
      digits = exponent < 0 ? 0 : digits / divisor
      fractionAgainstHalf = fraction < divisor / 2 ? -1 : fraction > divisor / 2 ? 1 : 0
    }
    guard digits < 1 << 55 else { return nil }
    // Half up means towards the future: -0.5 becomes 0.
    let whole = Int64(truncatingIfNeeded: digits)
    if decimal.isNegative {
      rounded = fractionAgainstHalf > 0 ? -whole - 1 : -whole
    } else {
      rounded = fractionAgainstHalf >= 0 ? whole + 1 : whole
    }
  }
}
