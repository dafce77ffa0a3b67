import Diagnostics

/// What is wrong with JSON text, and at which byte.
///
/// The tape that finds it knows no file name; whoever reads the file adds it.
package struct JSONDefect: Error, Hashable, Sendable {
  /// The kinds of defect.
  package enum Fact: Hashable, Sendable {
    /// There are no bytes at all.
    case empty
    /// The text ends inside a value.
    case truncated
    /// A byte stands where something else belongs.
    case unexpectedByte(UInt8, expected: Expectation)
    /// The text is in another encoding; the name says which.
    case otherEncoding(String)
    /// Bytes that are not well-formed UTF-8.
    case invalidUTF8
    /// A control character that a string must escape.
    case unescapedControlCharacter(UInt8)
    /// A backslash that starts no escape of JSON.
    case invalidEscape
    /// Half of a surrogate pair.
    case loneSurrogate
    /// A literal that is no number of JSON, such as `01`, `1.` or `+1`.
    case invalidNumber
    /// One object has two members of one name.
    case duplicateMember(name: String)
    /// Objects and arrays lie deeper in each other than the limit allows.
    case tooDeep(limit: Int)
    /// Something follows the value.
    case trailingContent
    /// There are more values than the limit allows.
    case tooManyValues(limit: Int)
    /// There are more bytes than the limit allows.
    case tooLarge(limit: Int)
  }

  /// What belongs where something else was found.
  package enum Expectation: String, Hashable, Sendable {
    case value = "a value"
    case memberName = "a member name in quotes"
    case memberNameOrEnd = "a member name in quotes or \"}\""
    case colon = "\":\""
    case commaOrObjectEnd = "\",\" or \"}\""
    case commaOrArrayEnd = "\",\" or \"]\""
  }

  /// What is wrong.
  package var fact: Fact
  /// The offset of the first byte that is wrong, counted from the start of the text.
  package var offset: Int

  /// Creates a defect.
  package init(_ fact: Fact, at offset: Int) {
    self.fact = fact
    self.offset = offset
  }

  /// The defect as a sentence fragment without a trailing stop.
  package var problem: String {
    switch fact {
    case .empty: "the file is empty"
    case .truncated: "the text ends in the middle of a value"
    case .unexpectedByte(let byte, let expected):
      "\(Self.display(byte)) where \(expected.rawValue) is expected"
    case .otherEncoding(let name): "the text is \(name), expected UTF-8"
    case .invalidUTF8: "bytes that are not UTF-8"
    case .unescapedControlCharacter(let byte):
      "control character \(Self.display(byte)) inside a string must be escaped"
    case .invalidEscape: "a backslash that starts no escape sequence"
    case .loneSurrogate: "half of a surrogate pair"
    case .invalidNumber: "a literal that is no JSON number"
    case .duplicateMember(let name): "the member \"\(name)\" appears twice in one object"
    case .tooDeep(let limit): "nested more than \(limit.counted("level")) deep"
    case .trailingContent: "something follows the value"
    case .tooManyValues(let limit): "more than \(limit.counted("value"))"
    case .tooLarge(let limit): "more than \(limit.counted("byte"))"
    }
  }

  private static func display(_ byte: UInt8) -> String {
    if byte > 0x20, byte < 0x7f { return "\"\(Character(Unicode.Scalar(byte)))\"" }
    let digits = String(byte, radix: 16)
    return "byte 0x" + (digits.count == 1 ? "0" : "") + digits
  }
}
