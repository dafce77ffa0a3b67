/// One value, or one member name, on a `JSONTape`.
package struct JSONNode: Sendable {
  /// The type of a value.
  package enum Kind: UInt8, Sendable {
    case null, `false`, `true`, number, string, array, object
  }

  /// The offset in the source where the value begins (of a string, its opening quote).
  package let offset: UInt32
  /// Where the decoded string or the number's literal begins in the tape's text.
  let start: UInt32
  /// The bytes of the decoded string or literal; of a container, the number of its children.
  var length: UInt32
  /// The index of the first node that is not part of this value.
  var end: UInt32
  /// The type of the value; a member name is a string.
  package let kind: Kind

  /// Whether the value is an object or an array.
  package var isContainer: Bool { kind == .array || kind == .object }
  /// Whether the value is `true` or `false`.
  package var isBoolean: Bool { kind == .true || kind == .false }
}
