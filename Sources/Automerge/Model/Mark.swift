/// A named value on a range of a text.
public struct Mark: Equatable, Hashable, Sendable {
  public let start: UInt64
  /// Exclusive.
  public let end: UInt64
  public let name: String
  public let value: ScalarValue

  public init(start: UInt64, end: UInt64, name: String, value: ScalarValue) {
    self.start = start
    self.end = end
    self.name = name
    self.value = value
  }
}

/// Whether text inserted at the edge of a mark belongs to it.
public enum ExpandMark: Equatable, Hashable, Sendable {
  case before
  case after
  case both
  case none
}
