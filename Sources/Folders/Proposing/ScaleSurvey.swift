/// Whether numbers are the steps of a scale, such as one to five stars.
struct ScaleSurvey {
  /// The most steps of a scale.
  static let mostSteps = 11
  /// How often each step has to occur, so that none is there by chance.
  static let fewestOfEach = 4

  private var counts: [Int64: Int]? = [:]

  /// Adds a whole number.
  mutating func add(_ number: Int64) {
    counts?[number, default: 0] += 1
    if let counts, counts.count > Self.mostSteps { self.counts = nil }
  }

  /// Takes note of what is no whole number.
  mutating func addOther() { counts = nil }

  /// The first and the last step: whole numbers that occur again and again, with none between them that
  /// does not. Nil where they are too few to tell.
  var steps: ClosedRange<Int64>? {
    guard let counts, counts.count > 2, let first = counts.keys.min(), let last = counts.keys.max(),
      counts.values.allSatisfy({ $0 >= Self.fewestOfEach })
    else { return nil }
    let span = last.subtractingReportingOverflow(first)
    return !span.overflow && span.partialValue == Int64(counts.count - 1) ? first...last : nil
  }
}
