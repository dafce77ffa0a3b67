/// A sum of decimals that is exact, so that it does not depend on their order.
struct ExactSum {
  private var mantissa: Int128 = 0
  /// The power of ten of the last digit.
  private var exponent = 0

  mutating func add(_ value: MigrationValue) throws(ConversionDefect) {
    guard case .number(let number) = value, var (next, power) = Self.parts(number) else {
      throw .notAddable(value)
    }
    while power > exponent {
      next = try Self.tenfold(next, value)
      power -= 1
    }
    while exponent > power {
      mantissa = try Self.tenfold(mantissa, value)
      exponent -= 1
    }
    let (sum, overflow) = mantissa.addingReportingOverflow(next)
    guard !overflow else { throw .notAddable(value) }
    mantissa = sum
  }

  private static func tenfold(
    _ number: Int128, _ value: MigrationValue
  ) throws(ConversionDefect) -> Int128 {
    let (product, overflow) = number.multipliedReportingOverflow(by: 10)
    guard !overflow else { throw .notAddable(value) }
    return product
  }

  /// The digits of a number as one, and the power of ten of the last one.
  private static func parts(_ number: MigrationNumber) -> (Int128, Int)? {
    var text = String(decoding: number.normalForm, as: UTF8.self)
    var power = 0
    if let point = text.firstIndex(of: ".") {
      power = -text.distance(from: point, to: text.endIndex) + 1
      text.remove(at: point)
    }
    return Int128(text).map { ($0, power) }
  }

  /// The sum.
  var value: MigrationValue {
    var digits = mantissa.magnitude.description
    if exponent < 0 {
      digits = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
      digits.insert(".", at: digits.index(digits.endIndex, offsetBy: exponent))
    }
    let literal = (mantissa < 0 ? "-" : "") + digits
    return .number(MigrationNumber(checked: literal))
  }
}
