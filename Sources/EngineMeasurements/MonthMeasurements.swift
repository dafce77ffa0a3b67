import Automerge

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is measured on a month of records in the convergent form, and on one twice as long.
struct MonthMeasurements {
  /// A month as a file, whole and in halves.
  private final class Files {
    let count: Int
    private var files: [Data] = []

    init(count: Int) { self.count = count }

    /// Returns the whole and its two halves.
    func all() throws -> [Data] {
      if files.isEmpty {
        let records = TimeRecords(count: count).all
        let middle = count / 2
        files = [
          try ConvergentMonth.document(of: records),
          try ConvergentMonth.document(of: records[..<middle]),
          try ConvergentMonth.document(of: records[middle...]),
        ]
      }
      return files
    }
  }

  let rows: [Measurement]

  init(_ size: MeasurementSize) {
    let count = size.part(of: 4200)
    rows =
      Self.rows("", Files(count: count)) { _ in nil }
      + Self.rows("-doubled", Files(count: 2 * count)) {
        .ratio(Measurement.doubling, to: $0)
      }
  }

  private static func rows(
    _ suffix: String, _ files: Files, target: (String) -> Measurement.Target?
  ) -> [Measurement] {
    let object = "a month of \(files.count) records by \(2 * files.count) actors"
    return [
      Measurement("month-load" + suffix, "load of " + object, target: target("month-load")) {
        let bytes = try files.all()[0]
        return try ProcessorTime.milliseconds { try Document(bytes) }
      },
      Measurement("month-save" + suffix, "save of " + object, target: target("month-save")) {
        let document = try Document(files.all()[0])
        return ProcessorTime.milliseconds { document.save() }
      },
      Measurement(
        "month-merge" + suffix, "merge of the halves of " + object, target: target("month-merge")
      ) {
        let first = try Document(files.all()[1])
        let second = try Document(files.all()[2])
        let time = try ProcessorTime.milliseconds { try first.merge(other: second) }
        guard first.state.changeCount == 2 * files.count + 2 else {
          throw MeasurementError.wrongResult("the merge of a month lacks changes")
        }
        return time
      },
    ]
  }
}
