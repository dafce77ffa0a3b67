/// A place in a list or text that moves with the elements around it.
public struct Cursor: Equatable, Hashable, Sendable {
  /// The encoded form (format.md 10).
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }
}

extension Cursor: CustomStringConvertible {
  /// Upper-case hexadecimal digits.
  public var description: String { bytes.hexDigits.uppercased() }
}

/// A place in a list or text, fixed or moving.
public enum Position: Sendable {
  case cursor(Cursor)
  case index(UInt64)
}
