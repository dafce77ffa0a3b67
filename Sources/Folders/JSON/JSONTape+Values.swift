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
}
