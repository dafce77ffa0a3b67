/// Turns bytes of unknown origin into text that is safe to show.
package enum DisplayText {
  /// The subject of a sentence: a path as it is, but for the folder itself, whose path inside of it is
  /// a dot.
  package static func subject(_ path: String) -> String { path == "." ? "the folder" : path }

  /// Text of a file in quotes, at most a line of it, so that it cannot be mistaken for that of this program.
  package static func quoting(_ text: String) -> String {
    let utf8 = Array(text.utf8)
    return "\"" + escaping(utf8.prefix(120)) + (utf8.count > 120 ? "...\"" : "\"")
  }

  /// Returns the bytes as text in which control characters, invalid UTF-8 and backslashes are
  /// written as `\n`, `\t`, `\\` or `\xHH`.
  ///
  /// Distinct byte strings give distinct texts, so a shown name can be told from every other.
  package static func escaping(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }) {
      return String(decoding: bytes, as: UTF8.self)
    }
    var text = ""
    var position = 0
    while position < bytes.count {
      let length = scalarLength(in: bytes, at: position)
      guard length > 0,
        let scalar = String(decoding: bytes[position..<position + length], as: UTF8.self)
          .unicodeScalars.first
      else {
        text += escape(bytes[position])
        position += 1
        continue
      }
      if scalar == "\\" {
        text += "\\\\"
      } else if isHarmless(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        for byte in bytes[position..<position + length] { text += escape(byte) }
      }
      position += length
    }
    return text
  }

  /// Returns the bytes that are shown as a text; nil for a text that shows none.
  ///
  /// The inverse of `escaping`, for a path that was shown and is to be opened.
  package static func bytes(shownAs text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "\\"): bytes.append(byte)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "n"): bytes.append(0x0a)
      case UInt8(ascii: "r"): bytes.append(0x0d)
      case UInt8(ascii: "x"):
        let digits = rest.prefix(2)
        guard digits.count == 2,
          let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: return nil
      }
    }
    return bytes
  }

  /// Returns what is shown as a text, as a word for a command; nil if it is no valid UTF-8, which no
  /// command takes.
  package static func word(shownAs text: String) -> String? {
    bytes(shownAs: text).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Whether a character can be shown: control, format and separator characters could move the
  /// cursor, hide text or fake lines.
  package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7f }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }

  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case 0x09: return "\\t"
    case 0x0a: return "\\n"
    case 0x0d: return "\\r"
    default:
      let digits = String(byte, radix: 16)
      return "\\x" + (digits.count == 1 ? "0" : "") + digits
    }
  }

  /// Returns the length of the valid UTF-8 scalar that starts at `position`, or 0.
  private static func scalarLength(in bytes: [UInt8], at position: Int) -> Int {
    let first = bytes[position]
    func continuation(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xbf) -> Bool {
      position + offset < bytes.count && range.contains(bytes[position + offset])
    }
    switch first {
    case 0x00...0x7f: return 1
    case 0xc2...0xdf: return continuation(1) ? 2 : 0
    case 0xe0: return continuation(1, 0xa0...0xbf) && continuation(2) ? 3 : 0
    case 0xed: return continuation(1, 0x80...0x9f) && continuation(2) ? 3 : 0
    case 0xe1...0xec, 0xee...0xef: return continuation(1) && continuation(2) ? 3 : 0
    case 0xf0:
      return continuation(1, 0x90...0xbf) && continuation(2) && continuation(3) ? 4 : 0
    case 0xf4:
      return continuation(1, 0x80...0x8f) && continuation(2) && continuation(3) ? 4 : 0
    case 0xf1...0xf3: return continuation(1) && continuation(2) && continuation(3) ? 4 : 0
    default: return 0
    }
  }
}

// How numbers stand in messages: the one way to write them, wherever a message is made.
extension BinaryInteger {
  /// The number with a comma between groups of three digits: `100,000`.
  package var grouped: String {
    let digits = Array(String(magnitude))
    var text = self < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// The number with its noun: `1 record`, `2 records`, `1,000 changes wait`.
  ///
  /// - Parameter plural: what follows any number but one; without it the noun gets an `s`.
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    "\(grouped) \(self == 1 ? singular : plural ?? singular + "s")"
  }

  /// The number as a size: `712 bytes`, `3.4 MB`.
  package var byteCountText: String {
    var value = Int(clamping: self)
    if value < 1000 { return value.counted("byte") }
    var remainder = 0
    for unit in ["kB", "MB", "GB"] {
      (value, remainder) = (value / 1000, value % 1000)
      if value < 1000 {
        return value >= 100 ? "\(value) \(unit)" : "\(value).\(remainder / 100) \(unit)"
      }
    }
    return "\((value / 1000).grouped) TB"
  }
}
