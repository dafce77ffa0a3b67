/// What was measured beside what was wanted, in Markdown.
struct MeasurementTable {
  private let unit: Double
  private let best: [String: Double]
  private let measurements: [Measurement]

  init(_ measurements: [Measurement], best: [String: Double], unit: Double) {
    self.measurements = measurements
    self.best = best
    self.unit = unit
  }

  var markdown: String {
    var text = "one unit, sha256sum of 256 MiB: \(Self.text(unit, digits: 1)) ms\n\n"
    text += "| row | work | measured | units | ratio | target | holds |\n"
    text += "|---|---|--:|--:|--:|--:|---|\n"
    for measurement in measurements { text += line(measurement) }
    return text
  }

  private func line(_ measurement: Measurement) -> String {
    guard let value = best[measurement.name] else { return "" }
    var units = ""
    var measured = Self.text(value, digits: 1) + " MB"
    if measurement.quantity == .milliseconds {
      units = Self.text(value / unit, digits: 4)
      measured = Self.text(value, digits: 2) + " ms"
    }
    var ratio = ""
    var target = ""
    var holds: Bool?
    switch measurement.target {
    case .units(let limit):
      target = Self.text(limit, digits: 3)
      holds = value / unit <= limit
    case .megabytes(let limit):
      target = Self.text(limit, digits: 0) + " MB"
      holds = value <= limit
    case .ratio(let limit, let base):
      let quotient = value / (best[base] ?? .nan)
      ratio = Self.text(quotient, digits: 2)
      target = Self.text(limit, digits: 1) + " x"
      holds = quotient <= limit
    case nil: break
    }
    let cells = [
      measurement.name, measurement.work, measured, units, ratio, target,
      holds.map { $0 ? "yes" : "NO" } ?? "",
    ]
    return "| " + cells.joined(separator: " | ") + " |\n"
  }

  /// Returns a number with that many digits after the point.
  private static func text(_ value: Double, digits: Int) -> String {
    guard value.isFinite else { return "-" }
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((value * Double(scale)).rounded())
    let fraction = String(scaled % scale + scale).dropFirst()
    return digits == 0 ? "\(scaled)" : "\(scaled / scale).\(fraction)"
  }
}
