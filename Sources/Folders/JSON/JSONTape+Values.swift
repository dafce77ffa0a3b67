// What the text of a string or number means in the data of a folder.
extension JSONTape {
  /// Returns the identity that a string names, `nil` if it is no UUID.
  package func identity(at node: Int) -> Identity? {
    Identity(text.span.extracting(range(of: node)))
  }

  /// Returns the moment that a string names, `nil` if it is no RFC 3339 date.
  package func moment(at node: Int) -> RFC3339? {
    RFC3339(text.span.extracting(range(of: node)))
  }

  /// Returns the moment that a number counts, `nil` if it has no RFC 3339 form.
  package func moment(at node: Int, counting dates: NumericDates) -> RFC3339? {
    dates.moment(text.span.extracting(range(of: node)))
  }

  /// Returns the exact value of a number.
  package func number(at node: Int) -> ExactNumber {
    ExactNumber(text.span.extracting(range(of: node)))
  }

  /// Returns the text of a member that is a string, `nil` if there is none.
  package func string(_ name: String, of object: Int = 0) -> ArraySlice<UInt8>? {
    guard let node = member(name, of: object), kind(of: node) == .string else { return nil }
    return text[range(of: node)]
  }

  /// Returns the integer of a member, `nil` if there is none that fits.
  package func integer(_ name: String, of object: Int = 0) -> Int? {
    guard let node = member(name, of: object), kind(of: node) == .number,
      case .int(let value) = number(at: node)
    else { return nil }
    return Int(value)
  }

  /// Returns a member as `JSONWriter.member(_:anyBytes:)` writes it.
  package func anyBytes(_ name: String, of object: Int = 0) -> [UInt8]? {
    if let text = string(name, of: object) { return Array(text) }
    return string(name + "Bytes", of: object).flatMap(HexDigit.bytes)
  }
}
