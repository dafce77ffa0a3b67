/// The decimal value of a number's text, for comparing numbers digit by digit.
///
/// The verifier compares what JSON says with what a document holds without either becoming a
/// `Double`: two texts are equal when they name the same decimal value.
struct DecimalText: Equatable {
  /// Whether the text begins with a minus sign; `-0` is not `0`.
  package private(set) var isNegative = false
  /// The significant digits, without zeros in front or behind; empty for zero.
  package private(set) var digits: [UInt8] = []
  /// The power of ten of the last digit; 0 for zero.
  package private(set) var exponent = 0

  /// Reads a JSON number literal, or what Swift prints for an integer or a finite double.
  package init(_ text: Span<UInt8>) {
    var index = 0
    if index < text.count, text[index] == UInt8(ascii: "-") {
      isNegative = true
      index += 1
    }
    var isFraction = false
    while index < text.count, text[index] | 0x20 != UInt8(ascii: "e") {
      if text[index] == UInt8(ascii: ".") {
        isFraction = true
      } else {
        if isFraction { exponent -= 1 }
        if !digits.isEmpty || text[index] != UInt8(ascii: "0") { digits.append(text[index]) }
      }
      index += 1
    }
    index += 1
    var isExponentNegative = false
    var written = 0
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "-") {
        isExponentNegative = true
      } else if byte != UInt8(ascii: "+"), written < 1 << 40 {
        written = written * 10 + Int(byte &- UInt8(ascii: "0"))
      }
      index += 1
    }
    exponent += isExponentNegative ? -written : written
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { exponent = 0 }
  }
}
