extension AnyCodingKey {
  /// Returns the keys and indexes of a path like `notes.[3].title`.
  ///
  /// The parts stand between dots; empty ones do not count. A part that begins with an ASCII letter
  /// is a key, a number in brackets an index, so not every key can be written.
  ///
  /// - Throws: `PathParseError` for any other part.
  public static func parsePath(_ path: String) throws -> [AnyCodingKey] {
    try path.split(separator: ".").map(parse)
  }

  private static func parse(_ part: Substring) throws(PathParseError) -> AnyCodingKey {
    if let first = part.first, first.isASCII, first.isLetter { return AnyCodingKey(String(part)) }
    guard part.first == "[", part.count > 1, part.last == "]" else {
      throw .InvalidPathElement(String(part))
    }
    let digits = part.dropFirst().dropLast()
    // A number may also begin with a sign, an index may not.
    guard digits.first?.isWholeNumber == true, let index = UInt64(digits) else {
      throw .EmptyListIndex(String(part))
    }
    return AnyCodingKey(index)
  }
}

extension Sequence where Element == AnyCodingKey {
  /// Returns the path as text: `.notes.[3].title`.
  public func stringPath() -> String { "." + map(\.description).joined(separator: ".") }
}

extension Sequence where Element == any CodingKey {
  /// Returns the path as text: `.notes.[3].title`.
  public func stringPath() -> String { map { AnyCodingKey($0) }.stringPath() }
}

extension Sequence where Element == PathElement {
  /// Returns the path as text: `.notes.[3].title`.
  public func stringPath() -> String { map { AnyCodingKey($0) }.stringPath() }
}
