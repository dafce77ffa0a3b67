import Automerge

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is measured on one key that is written again and again in one transaction.
struct RepetitionMeasurements {
  private let count: Int

  init(_ size: MeasurementSize) { count = size.part(of: 100_000) }

  var rows: [Measurement] {
    rows("counter", "increments of a counter") { document, _ in
      try document.increment(obj: .ROOT, key: "key", by: 1)
    }
      + rows("overwrite", "values put at one key") { document, index in
        try document.put(obj: .ROOT, key: "key", value: .Int(Int64(index)))
      }
  }

  private func rows(
    _ name: String, _ work: String, write: @escaping (Document, Int) throws -> Void
  ) -> [Measurement] {
    func row(
      _ name: String, count: Int, _ target: Measurement.Target?
    ) -> Measurement {
      Measurement(name, "\(count) \(work)", target: target) {
        let document = Document()
        try document.put(obj: .ROOT, key: "key", value: .Counter(0))
        return try ProcessorTime.milliseconds {
          for index in 0..<count { try write(document, index) }
          document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
        }
      }
    }
    return [
      row(name, count: count, nil),
      row(
        name + "-doubled", count: 2 * count,
        .ratio(Measurement.doubling, to: name)),
    ]
  }
}
