import SafeFiles

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
