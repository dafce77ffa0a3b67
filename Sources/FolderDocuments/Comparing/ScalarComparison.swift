import Automerge
import Folders

/// Compares one JSON token with one scalar of a document.
enum ScalarComparison {
  /// Returns whether the token says what the scalar is, its type included.
  ///
  /// - Parameter declared: the type that a stream names for the token.
  package static func isEqual(
    _ node: Int, on tape: JSONTape, as declared: StreamType?, _ place: ScalarPlace,
    _ document: DocumentState
  ) -> Bool {
    let token = tape.text.span.extracting(tape.range(of: node))
    let kind = tape.kind(of: node)
    switch (place.type, declared) {
    case (.null, nil): return kind == .null
    case (.boolTrue, nil): return kind == .true
    case (.boolFalse, nil): return kind == .false
    case (.string, nil), (.string, .string):
      return kind == .string && token.isEqual(to: document.pool.span.extracting(place.range))
    case (.int, nil):
      return kind == .number && token.isEqual(toDigitsOf: document.signed(place))
    case (.uint, nil):
      // A smaller number without a declared type would be an int.
      let value = document.unsigned(place)
      return kind == .number && value > UInt64(Int64.max) && token.isEqual(toDigitsOf: value)
    case (.uint, .uint):
      return kind == .number && token.isEqual(toDigitsOf: document.unsigned(place))
    case (.counter, .counter):
      return kind == .number && token.isEqual(toDigitsOf: document.signed(place))
    case (.timestamp, .timestamp):
      return isMoment(node, of: tape, document.signed(place))
    case (.float64, nil):
      return kind == .number && !isInteger(token) && isDecimal(token, document.double(place))
    case (.float64, .f64):
      return kind == .number
        ? isDecimal(token, document.double(place)) : isNonFinite(token, document.double(place))
    case (.bytes, .bytes):
      return kind == .string && Base64.decode(token) == document.bytes(place)
    case (let type, .unknown(let code)):
      return kind == .string && type.code == code && Base64.decode(token) == document.bytes(place)
    default: return false
    }
  }

  private static func isMoment(_ node: Int, of tape: JSONTape, _ milliseconds: Int64) -> Bool {
    tape.kind(of: node) == .string
      ? RFC3339(tape.text.span.extracting(tape.range(of: node)))?.milliseconds == milliseconds
      : tape.text.span.extracting(tape.range(of: node)).isEqual(toDigitsOf: milliseconds)
  }

  /// Whether a literal is written without fraction and exponent and fits 64 bits: an integer in a
  /// document. `-0` is none, because an integer has no such value.
  private static func isInteger(_ literal: Span<UInt8>) -> Bool {
    for index in literal.indices {
      switch literal[index] {
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return false
      default: continue
      }
    }
    let text = String(decoding: Array(literal), as: UTF8.self)
    return text != "-0" && (Int64(text) != nil || UInt64(text) != nil)
  }

  /// Returns whether a literal has the decimal value of the shortest one that reads as a double.
  static func isDecimal(_ literal: Span<UInt8>, _ value: Double) -> Bool {
    guard value.isFinite else { return false }
    let shortest = Array(value.description.utf8)
    return DecimalText(literal) == DecimalText(shortest.span)
  }

  private static func isNonFinite(_ token: Span<UInt8>, _ value: Double) -> Bool {
    if value.isNaN { return token.isEqual(to: "NaN") }
    return value.isInfinite && token.isEqual(to: value > 0 ? "Infinity" : "-Infinity")
  }
}

extension Span<UInt8> {
  /// Returns whether the bytes are the decimal digits of an integer, as JSON writes them.
  fileprivate func isEqual(toDigitsOf value: some FixedWidthInteger) -> Bool {
    let digits = String(value).utf8
    guard count == digits.count else { return false }
    var index = 0
    for digit in digits {
      guard self[index] == digit else { return false }
      index += 1
    }
    return true
  }
}

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
