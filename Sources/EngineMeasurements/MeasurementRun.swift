import SafeFiles

#if canImport(Glibc)
  import CLinux
  import Glibc
#endif

/// All measurements, or those that were chosen, several times over.
package struct MeasurementRun {
  private let place: MeasurementPlace
  private let measurements: [Measurement]
  private let rounds: Int

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - path: an empty folder, which the run fills.
  ///   - names: the rows to measure, with those they are compared to; all rows if it is empty.
  ///   - size: how much work there is; what rows are held to is for all of it.
  package init(
    inFolder path: String, rows names: [String], rounds: Int, size: MeasurementSize
  ) throws {
    place = try MeasurementPlace(path: path)
    let all =
      RecordMeasurements(size).rows(in: place) + MonthMeasurements(size).rows
      + TextMeasurements(size).rows + RepetitionMeasurements(size).rows
      + EditingMeasurements(size).rows + StepMeasurements(size).rows
    var chosen = Set(names)
    for name in names {
      guard let row = all.first(where: { $0.name == name }) else {
        throw MeasurementError.unknownRow(name, known: all.map(\.name))
      }
      if case .ratio(_, let base) = row.target { chosen.insert(base) }
    }
    measurements = names.isEmpty ? all : all.filter { chosen.contains($0.name) }
    self.rounds = rounds
  }

  /// Measures and returns the table in Markdown.
  ///
  /// The unit is measured in between, and of everything the best counts.
  package func table() throws -> String {
    Allocator.keepLargeBuffers()
    var unit = Double.infinity
    var best: [String: Double] = [:]
    for round in 0..<rounds {
      for (index, measurement) in measurements.enumerated() where round < measurement.rounds {
        if index % 4 == 0 { unit = min(unit, try place.unit()) }
        let value = try measurement.measure()
        best[measurement.name] = min(best[measurement.name] ?? .infinity, value)
      }
    }
    return MeasurementTable(measurements, best: best, unit: unit).markdown
  }
}

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
      target = Self.text(limit, digits: 2) + " x"
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

/// How memory is handed out while the engine is measured.
enum Allocator {
  /// Has large buffers be used again, as they are in a program that never asked for anything else;
  /// the commands give theirs back to the system at once.
  static func keepLargeBuffers() {
    #if canImport(Glibc)
      _ = mallopt(M_MMAP_THRESHOLD, 32 << 20)
      _ = mallopt(M_TRIM_THRESHOLD, 64 << 20)
    #endif
  }
}
