// The tags, texts and entities that property lists are made of.
extension XMLPropertyListReader {
  enum Tag: Equatable {
    case opening(String)
    case empty(String)
    case closing(String)
  }

  /// Reads `<name ...>`, `<name ... />` or `</name>`; attributes are skipped.
  mutating func openTag() throws(PropertyListError) -> Tag {
    let start = position
    guard take("<") else { throw malformed("an element", start) }
    let isClosing = take("/")
    let name = bytes[position...].prefix {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
    }
    position += name.count
    let rest = bytes[position...].prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") }
    position += rest.count
    guard take(">"), rest.first.map({ Self.isSpace($0) || $0 == UInt8(ascii: "/") }) ?? true else {
      throw malformed("an element", start)
    }
    let text = String(decoding: name, as: UTF8.self)
    if isClosing { return .closing(text) }
    return rest.last == UInt8(ascii: "/") ? .empty(text) : .opening(text)
  }

  /// Whether the closing tag comes next, which is then read; comments before it are skipped.
  mutating func isClosing(_ name: String) throws(PropertyListError) -> Bool {
    try skipMisc()
    guard bytes[position...].starts(with: "</".utf8) else { return false }
    try expectClosing(name)
    return true
  }

  mutating func expectClosing(_ name: String) throws(PropertyListError) {
    let start = position
    guard try openTag() == .closing(name) else { throw malformed("the end of an element", start) }
  }

  /// Reads the text up to the closing tag, which is read, too.
  mutating func text(_ name: String) throws(PropertyListError) -> [UInt8] {
    var text: [UInt8] = []
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "<"):
        if take("<![CDATA[") {
          text += try skip(past: "]]>")
        } else if take("<!--") {
          _ = try skip(past: "-->")
        } else {
          try expectClosing(name)
          guard String(validating: text, as: UTF8.self) != nil else {
            throw malformed("a text", start)
          }
          return text
        }
      case UInt8(ascii: "&"): try text += entity()
      case let byte:
        text.append(byte)
        position += 1
      }
    }
    throw PropertyListError(.truncated, at: position)
  }

  private mutating func entity() throws(PropertyListError) -> [UInt8] {
    let start = position
    position += 1
    // No name of these is longer.
    let name = bytes[position...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
    position += name.count
    guard take(";") else { throw malformed("an entity", start) }
    let text = String(decoding: name, as: UTF8.self)
    switch text {
    case "amp": return [UInt8(ascii: "&")]
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default: break
    }
    let digits = text.hasPrefix("#x") ? text.dropFirst(2) : text.dropFirst()
    guard text.hasPrefix("#"), let value = UInt32(digits, radix: text.hasPrefix("#x") ? 16 : 10),
      let scalar = Unicode.Scalar(value)
    else { throw malformed("an entity", start) }
    return Array(String(Character(scalar)).utf8)
  }

  /// Skips white space, comments, processing instructions and the document type.
  mutating func skipMisc() throws(PropertyListError) {
    while position < bytes.count {
      if Self.isSpace(bytes[position]) {
        position += 1
      } else if take("<!--") {
        _ = try skip(past: "-->")
      } else if take("<?") {
        _ = try skip(past: "?>")
      } else if take("<!DOCTYPE") {
        let start = position
        // A type with declarations of its own could define anything.
        guard try !skip(past: ">").contains(UInt8(ascii: "[")) else {
          throw malformed("the document type", start)
        }
      } else {
        return
      }
    }
  }

  /// Skips everything up to and with a mark; returns what stands before it.
  private mutating func skip(past mark: StaticString) throws(PropertyListError) -> [UInt8] {
    let start = position
    while position < bytes.count {
      if take(mark) { return Array(bytes[start..<position - mark.utf8CodeUnitCount]) }
      position += 1
    }
    throw PropertyListError(.truncated, at: position)
  }

  private mutating func take(_ mark: StaticString) -> Bool {
    guard bytes[position...].starts(with: mark.description.utf8) else { return false }
    position += mark.utf8CodeUnitCount
    return true
  }

  func trimmed(_ text: [UInt8]) -> String {
    let start = text.prefix { Self.isSpace($0) }.count
    let end = text.count - text.reversed().prefix { Self.isSpace($0) }.count
    return start < end ? String(decoding: text[start..<end], as: UTF8.self) : ""
  }

  func malformed(_ what: String, _ offset: Int? = nil) -> PropertyListError {
    PropertyListError(
      position < bytes.count ? .malformed(what) : .truncated, at: offset ?? position)
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
  }
}
