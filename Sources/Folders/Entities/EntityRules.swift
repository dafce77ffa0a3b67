/// What a reader of entities is told about the user's data.
package struct EntityRules: Hashable, Sendable {
  /// What a date given as a number means; `nil` refuses entities that have one.
  package var numericDates: NumericDates?
  /// The present in milliseconds since 1970, to find times that lie ahead; `nil` does not look.
  package var now: Int64?

  /// Creates rules; by default numbers are no dates and no time lies ahead.
  package init(numericDates: NumericDates? = nil, now: Int64? = nil) {
    self.numericDates = numericDates
    self.now = now
  }
}
