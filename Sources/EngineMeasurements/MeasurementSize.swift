/// How much of its work a row does.
package struct MeasurementSize: Sendable {
  private let percent: Int

  package init(percent: Int) { self.percent = percent }

  /// Returns that part of a number, and at least one.
  func part(of whole: Int) -> Int { max(1, whole * percent / 100) }
}
