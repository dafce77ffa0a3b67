/// One row of the table: work, and what it is held to.
package struct Measurement {
  /// What a measurement is held to.
  enum Target {
    /// Milliseconds over those of the yardstick.
    case units(Double)
    case megabytes(Double)
    /// The quantity over that of another row, which is the same work on half as much.
    case ratio(Double, to: String)
  }

  /// What is measured.
  enum Quantity {
    /// Of processor time.
    case milliseconds
    /// Of memory at its peak.
    case megabytes
  }

  /// What work on twice as much may cost.
  static let doubling = 2.2

  /// What the row is called where rows are chosen.
  package let name: String
  let work: String
  let quantity: Quantity
  let target: Target?
  /// How often the work is done at most; the least counts.
  let rounds: Int
  /// Does the work once and returns what it took; what it needs is made beforehand.
  let measure: () throws -> Double

  init(
    _ name: String, _ work: String, in quantity: Quantity = .milliseconds, target: Target? = nil,
    rounds: Int = .max, measure: @escaping () throws -> Double
  ) {
    self.name = name
    self.work = work
    self.quantity = quantity
    self.target = target
    self.rounds = rounds
    self.measure = measure
  }
}
