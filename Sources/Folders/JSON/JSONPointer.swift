/// The name of a value inside a JSON text (RFC 6901).
package struct JSONPointer: Hashable, Sendable {
  /// The names and indexes on the way, outermost first, in UTF-8.
  package let tokens: [[UInt8]]

  /// Parses a pointer; nil if the text is none. The empty one names the whole text.
  package init?(_ text: [UInt8]) {
    guard text.first ?? UInt8(ascii: "/") == UInt8(ascii: "/") else { return nil }
    var tokens: [[UInt8]] = []
    let parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for part in parts.dropFirst() {
      guard let token = Self.unescape(part) else { return nil }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  /// Creates a pointer from its tokens.
  package init(tokens: [[UInt8]] = []) { self.tokens = tokens }

  /// The pointer as text.
  package var text: [UInt8] {
    var text: [UInt8] = []
    for token in tokens { Self.append(token.span, to: &text) }
    return text
  }

  /// Returns whether a pointer names this value or one inside of it.
  package func contains(_ other: JSONPointer) -> Bool { other.tokens.starts(with: tokens) }

  /// `~1` is a slash and `~0` a tilde; any other tilde is an error.
  static func unescape(_ token: ArraySlice<UInt8>) -> [UInt8]? {
    guard token.contains(UInt8(ascii: "~")) else { return Array(token) }
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in token {
      switch (isEscaped, byte) {
      case (false, UInt8(ascii: "~")): isEscaped = true
      case (false, _): bytes.append(byte)
      case (true, UInt8(ascii: "0")), (true, UInt8(ascii: "1")):
        bytes.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
        isEscaped = false
      default: return nil
      }
    }
    return isEscaped ? nil : bytes
  }

  /// Appends `/` and a name or index as a token of a pointer.
  static func append(_ name: Span<UInt8>, to pointer: inout [UInt8]) {
    pointer.append(UInt8(ascii: "/"))
    for index in name.indices {
      switch name[index] {
      case UInt8(ascii: "~"): pointer.append(contentsOf: "~0".utf8)
      case UInt8(ascii: "/"): pointer.append(contentsOf: "~1".utf8)
      default: pointer.append(name[index])
      }
    }
  }
}
