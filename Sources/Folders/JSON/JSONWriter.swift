package import SafeFiles

/// Writes JSON into a byte array: compact, digit by digit, members in the order they are given.
///
/// The caller keeps the structure right; the writer keeps the separators.
package struct JSONWriter: Sendable {
  /// What was written so far.
  package var bytes: [UInt8] = []
  private var needsComma = false
  private let hasShortEscapes: Bool

  /// Creates a writer that has written nothing.
  ///
  /// Without short escapes every control character of a string is written by its number.
  package init(hasShortEscapes: Bool = true) { self.hasShortEscapes = hasShortEscapes }

  /// Forgets what was written and keeps the storage.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// How far somebody has written.
  package struct Mark {
    fileprivate let byteCount: Int
    fileprivate let needsComma: Bool
  }

  /// How far it is now.
  package var mark: Mark { Mark(byteCount: bytes.count, needsComma: needsComma) }

  /// Takes back what was written since.
  package mutating func rewind(to mark: Mark) {
    bytes.removeSubrange(mark.byteCount...)
    needsComma = mark.needsComma
  }

  /// Starts another value that no comma separates from the last one, as on the next line.
  package mutating func restart() { needsComma = false }

  /// Begins an object; its members come next.
  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  /// Ends the object that was begun last.
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  /// Begins an array; its elements come next.
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  /// Ends the array that was begun last.
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Writes a member's name; its value comes next.
  package mutating func name(_ name: Span<UInt8>) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a member's name, in which nothing is to be escaped; its value comes next.
  package mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(name)
    bytes.append("\":")
    needsComma = false
  }

  /// Writes a member's name as `name` has written it before; its value comes next.
  package mutating func name(written name: [UInt8]) {
    separate()
    bytes += name
    needsComma = false
  }

  /// Writes a string given as UTF-8.
  package mutating func string(_ text: Span<UInt8>) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    if Self.needsNoEscape(text) {
      bytes.append(text)
    } else {
      for index in text.indices { appendInString(text[index]) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsNoEscape(_ text: Span<UInt8>) -> Bool {
    var next = 0
    while next < text.count {
      next = text.endOfPlainWords(from: next, end: text.count)
      if next < text.count, mayNeedEscape(text[next]) { return false }
      next &+= 1
    }
    return true
  }

  @inline(__always)
  private static func mayNeedEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Writes a string.
  package mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 { appendInString(byte) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a string in which nothing is to be escaped.
  package mutating func plainString(_ append: (inout [UInt8]) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(&bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes an identity in its canonical form.
  package mutating func string(_ identity: Identity) {
    plainString { identity.append(to: &$0) }
  }

  /// Writes a hash in hexadecimal.
  package mutating func string(_ hash: ContentHash) {
    plainString { hash.appendHexDigits(to: &$0) }
  }

  /// Writes a member that any bytes can be: text as a string, anything else as `NAMEBytes` in
  /// hexadecimal.
  package mutating func member(_ name: StaticString, anyBytes value: ArraySlice<UInt8>) {
    if value.allSatisfy({ $0 < 0x80 }) || String(validating: value, as: UTF8.self) != nil {
      self.name(name)
      return string(value.span)
    }
    self.name(Array((name.description + "Bytes").utf8).span)
    plainString { for byte in value { HexDigits.append(byte, to: &$0) } }
  }

  /// Writes a moment; the caller has checked that it is writable.
  package mutating func string(_ moment: RFC3339) {
    plainString { moment.append(to: &$0) }
  }

  /// Writes an integer.
  package mutating func number(_ value: Int) { number(Int64(value)) }

  /// Writes an integer.
  package mutating func number(_ value: Int64) {
    separate()
    bytes.append(digitsOf: value)
  }

  /// Writes an integer.
  package mutating func number(_ value: some FixedWidthInteger) { literal(value.description) }

  /// Writes a finite double as its shortest decimal, which has a `.` or an `e`.
  package mutating func number(_ value: Double) {
    precondition(value.isFinite, "JSON has no literal for a number that is not finite")
    literal(value.description)
  }

  /// Writes `true` or `false`.
  package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
  /// Writes `null`.
  package mutating func null() { literal("null") }

  /// Writes a number's literal as it stands.
  package mutating func number(literal: Span<UInt8>) {
    separate()
    bytes.append(literal)
  }

  /// Writes a value that is JSON already, as it stands.
  package mutating func value(written json: Span<UInt8>) { number(literal: json) }

  /// Copies a value from a tape: the digits of its numbers and the order of its members stay.
  package mutating func value(_ node: Int, of tape: JSONTape) {
    let text = tape.text.span.extracting(tape.range(of: node))
    switch tape.kind(of: node) {
    case .null: null()
    case .true: bool(true)
    case .false: bool(false)
    case .number: number(literal: text)
    case .string: string(text)
    case .array:
      beginArray()
      var element = node + 1
      while element < tape.node(after: node) {
        value(element, of: tape)
        element = tape.node(after: element)
      }
      endArray()
    case .object:
      beginObject()
      var member = node + 1
      while member < tape.node(after: node) {
        name(tape.text.span.extracting(tape.range(of: member)))
        value(member + 1, of: tape)
        member = tape.node(after: member + 1)
      }
      endObject()
    }
  }

  private mutating func literal(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func begin(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    needsComma = false
  }

  private mutating func end(_ byte: UInt8) {
    bytes.append(byte)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  @inline(__always)
  private mutating func appendInString(_ byte: UInt8) {
    if Self.mayNeedEscape(byte) { appendEscaped(byte) } else { bytes.append(byte) }
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x20...: bytes.append(byte)
    case 0x08 where hasShortEscapes: bytes.append(UInt8(ascii: "b"))
    case 0x09 where hasShortEscapes: bytes.append(UInt8(ascii: "t"))
    case 0x0a where hasShortEscapes: bytes.append(UInt8(ascii: "n"))
    case 0x0c where hasShortEscapes: bytes.append(UInt8(ascii: "f"))
    case 0x0d where hasShortEscapes: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      HexDigits.append(byte, to: &bytes)
    }
  }
}
