/// A JSON value as the golden files hold it, with names and strings as bytes.
///
/// Swift compares strings by canonical equivalence, and a document may hold a composed and a
/// decomposed "é" side by side, so nothing here is a `String` until it is shown.
indirect enum JSONTree: Hashable {
  case null
  case boolean(Bool)
  /// A number without fraction and exponent, digit by digit.
  case integer(String)
  case double(Double)
  case string([UInt8])
  case array([JSONTree])
  case object([Member])

  struct Member: Hashable {
    var name: [UInt8]
    var value: JSONTree
  }

  /// Returns the value of the member called `name`, or nil if there is none.
  subscript(name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == Array(name.utf8) }?.value
  }

  /// The elements of an array, else none.
  var elements: [JSONTree] {
    if case .array(let elements) = self { elements } else { [] }
  }

  /// The text of a string, else nil.
  var text: String? {
    if case .string(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  static func string(_ text: String) -> JSONTree { .string(Array(text.utf8)) }

  static func object(_ members: KeyValuePairs<String, JSONTree>) -> JSONTree {
    .object(members.map { Member(name: Array($0.key.utf8), value: $0.value) })
  }
}

extension JSONTree {
  struct SyntaxError: Error {
    var offset: Int
  }

  /// Parses one JSON text. Golden files are trusted, so nesting may use the stack.
  init(parsing bytes: [UInt8]) throws(SyntaxError) {
    var parser = Parser(bytes: bytes)
    self = try parser.value()
    parser.skipSpace()
    guard parser.position == bytes.count else { throw SyntaxError(offset: parser.position) }
  }

  private struct Parser {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func skipSpace() {
      while position < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) {
        position += 1
      }
    }

    mutating func accepts(_ text: String) -> Bool {
      guard bytes[position...].starts(with: text.utf8) else { return false }
      position += text.utf8.count
      return true
    }

    mutating func value() throws(SyntaxError) -> JSONTree {
      skipSpace()
      guard position < bytes.count else { throw SyntaxError(offset: position) }
      switch bytes[position] {
      case UInt8(ascii: "{"): return try object()
      case UInt8(ascii: "["): return try array()
      case UInt8(ascii: "\""): return .string(try string())
      case UInt8(ascii: "n") where accepts("null"): return .null
      case UInt8(ascii: "t") where accepts("true"): return .boolean(true)
      case UInt8(ascii: "f") where accepts("false"): return .boolean(false)
      default: return try number()
      }
    }

    mutating func object() throws(SyntaxError) -> JSONTree {
      position += 1
      var members: [Member] = []
      skipSpace()
      if accepts("}") { return .object([]) }
      while true {
        skipSpace()
        let name = try string()
        skipSpace()
        guard accepts(":") else { throw SyntaxError(offset: position) }
        members.append(Member(name: name, value: try value()))
        skipSpace()
        if accepts("}") { return .object(members) }
        guard accepts(",") else { throw SyntaxError(offset: position) }
      }
    }

    mutating func array() throws(SyntaxError) -> JSONTree {
      position += 1
      var elements: [JSONTree] = []
      skipSpace()
      if accepts("]") { return .array([]) }
      while true {
        elements.append(try value())
        skipSpace()
        if accepts("]") { return .array(elements) }
        guard accepts(",") else { throw SyntaxError(offset: position) }
      }
    }

    mutating func number() throws(SyntaxError) -> JSONTree {
      let start = position
      while position < bytes.count, "+-.0123456789eE".utf8.contains(bytes[position]) {
        position += 1
      }
      let literal = String(decoding: bytes[start..<position], as: UTF8.self)
      if literal.contains(where: { ".eE".contains($0) }) {
        guard let double = Double(literal) else { throw SyntaxError(offset: start) }
        return .double(double)
      }
      guard !literal.isEmpty else { throw SyntaxError(offset: start) }
      return .integer(literal)
    }

    mutating func string() throws(SyntaxError) -> [UInt8] {
      guard position < bytes.count, accepts("\"") else { throw SyntaxError(offset: position) }
      var result: [UInt8] = []
      while position < bytes.count {
        let byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "\"") { return result }
        guard byte == UInt8(ascii: "\\") else {
          result.append(byte)
          continue
        }
        guard position < bytes.count else { break }
        let escape = bytes[position]
        position += 1
        switch escape {
        case UInt8(ascii: "n"): result.append(0x0a)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "r"): result.append(0x0d)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0c)
        case UInt8(ascii: "u"):
          // The golden files escape nothing but control characters, so there are no surrogates.
          guard position + 4 <= bytes.count,
            let code = UInt32(
              String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(code)
          else { throw SyntaxError(offset: position) }
          position += 4
          result.append(contentsOf: String(Character(scalar)).utf8)
        default: result.append(escape)
        }
      }
      throw SyntaxError(offset: position)
    }
  }
}

extension JSONTree: CustomStringConvertible {
  var description: String {
    switch self {
    case .null: "null"
    case .boolean(let value): String(value)
    case .integer(let literal): literal
    case .double(let value): String(value)
    case .string(let bytes): String(decoding: bytes, as: UTF8.self).debugDescription
    case .array(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
    case .object(let members):
      "{"
        + members.map {
          String(decoding: $0.name, as: UTF8.self).debugDescription + ": " + $0.value.description
        }.joined(separator: ", ") + "}"
    }
  }

  /// Returns the first place where two values differ, as a path and both values, or nil if none.
  ///
  /// A whole golden state in a failure message hides what is wrong.
  func firstDifference(from other: JSONTree, path: String = "") -> String? {
    switch (self, other) {
    case (.object(let left), .object(let right)):
      for (one, two) in zip(left, right) {
        let step = path + "/" + String(decoding: one.name, as: UTF8.self)
        if one.name != two.name {
          return "\(step): expected the name \(String(decoding: two.name, as: UTF8.self))"
        }
        if let found = one.value.firstDifference(from: two.value, path: step) { return found }
      }
      return left.count == right.count
        ? nil : "\(path): \(left.count) members, expected \(right.count)"
    case (.array(let left), .array(let right)):
      for (index, (one, two)) in zip(left, right).enumerated() {
        if let found = one.firstDifference(from: two, path: path + "/\(index)") { return found }
      }
      return left.count == right.count
        ? nil : "\(path): \(left.count) elements, expected \(right.count)"
    default:
      return self == other ? nil : "\(path): \(self), expected \(other)"
    }
  }
}
