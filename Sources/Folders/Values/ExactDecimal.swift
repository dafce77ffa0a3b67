/// A decimal number as its digits say it, in its only form: no double stands between.
package struct ExactDecimal: Hashable, Sendable {
  /// The most digits between the first and the last that are not zero.
  package static let largestDigitCount = 1000
  /// How far the last digit that is not zero may lie from the point, on either side.
  package static let largestExponent = 1000

  private let isNegative: Bool
  /// In ASCII, without a zero at either end; empty for zero.
  private let digits: [UInt8]
  /// The power of ten of the last digit; 0 for zero.
  private let exponent: Int

  /// Parses digits with an optional `-`, `.` and exponent; nil for anything else and beyond the limits.
  package init?(_ text: Span<UInt8>) {
    var position = 0
    let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
    if isNegative { position = 1 }
    var digits: [UInt8] = []
    var zeros = 0
    var digitCount = 0
    var fractionCount = 0
    var isFraction = false
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "."), !isFraction, digitCount > 0 {
        isFraction = true
      } else if byte &- UInt8(ascii: "0") < 10 {
        digitCount += 1
        if isFraction { fractionCount += 1 }
        if byte == UInt8(ascii: "0") {
          zeros += digits.isEmpty ? 0 : 1
        } else {
          guard digits.count + zeros < Self.largestDigitCount else { return nil }
          digits.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: zeros))
          digits.append(byte)
          zeros = 0
        }
      } else {
        break
      }
      position += 1
    }
    guard digitCount > 0, !isFraction || fractionCount > 0,
      let written = Self.exponent(text, from: position)
    else { return nil }
    let exponent = written - fractionCount + zeros
    guard digits.isEmpty || abs(exponent) <= Self.largestExponent else { return nil }
    self.isNegative = isNegative && !digits.isEmpty
    self.digits = digits
    self.exponent = digits.isEmpty ? 0 : exponent
  }

  /// Parses a string as `init(_:Span<UInt8>)` does.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.init(bytes.span)
  }

  /// An exponent of any length is read; one that no text could bring back into the limits stays there.
  private static func exponent(_ text: Span<UInt8>, from start: Int) -> Int? {
    guard start < text.count else { return 0 }
    var position = start + 1
    guard text[start] | 0x20 == UInt8(ascii: "e"), position < text.count else { return nil }
    let isNegative = text[position] == UInt8(ascii: "-")
    if isNegative || text[position] == UInt8(ascii: "+") { position += 1 }
    guard position < text.count else { return nil }
    var value = 0
    while position < text.count {
      let digit = text[position] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = min(value * 10 + Int(digit), 1 << 40)
      position += 1
    }
    return isNegative ? -value : value
  }

  /// Appends the number without exponent, and without a zero that can go.
  package func append(to text: inout [UInt8]) {
    if isNegative { text.append(UInt8(ascii: "-")) }
    let zero = UInt8(ascii: "0")
    let pointPlace = digits.count + exponent
    if digits.isEmpty || pointPlace <= 0 { text.append(zero) }
    for (place, digit) in digits.enumerated() {
      if place == max(pointPlace, 0) {
        text.append(UInt8(ascii: "."))
        text.append(contentsOf: repeatElement(zero, count: max(-pointPlace, 0)))
      }
      text.append(digit)
    }
    text.append(contentsOf: repeatElement(zero, count: max(exponent, 0)))
  }
}

extension ExactDecimal: Comparable {
  package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
    if left.sign != right.sign { return left.sign < right.sign }
    return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
  }

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  /// Compares without signs.
  private func isSmaller(than other: ExactDecimal) -> Bool {
    let length = digits.count + exponent
    let otherLength = other.digits.count + other.exponent
    return length != otherLength
      ? length < otherLength : digits.lexicographicallyPrecedes(other.digits)
  }
}

extension ExactDecimal: CustomStringConvertible {
  /// The number as `append(to:)` writes it.
  package var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
