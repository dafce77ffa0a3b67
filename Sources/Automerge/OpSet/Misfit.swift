/// An operation that does not fit the document it is applied to.
struct Misfit: Error {
  let fact: FormatError.Fact
  let operation: OpID

  init(_ fact: FormatError.Fact, _ operation: OpID) {
    self.fact = fact
    self.operation = operation
  }
}
