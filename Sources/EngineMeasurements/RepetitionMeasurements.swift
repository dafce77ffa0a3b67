import Automerge
import SampleFolders

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

/// One record of a time tracker.
struct TimeRecord {
  let id: String
  let start: Date
  let end: Date
  let tag: String
  /// About three records in ten have one.
  let comment: String?
}

/// Records that are the same on every machine.
struct TimeRecords {
  private(set) var all: [TimeRecord] = []

  private static let words = """
    call review meeting draft release planning lunch train reading email garden design invoice \
    support team budget offer music notes repair
    """.split(separator: " ").map(String.init)

  private static let hexadecimalDigits = Array("0123456789ABCDEF")

  init(count: Int) {
    var random = SeededRandom(seed: 1)
    let tags = (0..<20).map { _ in Self.identifier(from: &random) }
    var start = 1_400_000_000.0
    all.reserveCapacity(count)
    for _ in 0..<count {
      start += Double(random.number(below: 3_600_000)) / 1000
      let end = start + Double(60_000 + random.number(below: 7_200_000)) / 1000
      let comment =
        (0...random.number(below: 11)).map { _ in random.pick(Self.words) }.joined(separator: " ")
      all.append(
        TimeRecord(
          id: Self.identifier(from: &random), start: Date(timeIntervalSince1970: start),
          end: Date(timeIntervalSince1970: end), tag: random.pick(tags),
          comment: random.happens(30) ? comment : nil))
      start = end
    }
  }

  /// Returns a document with all records in one change.
  func document() throws -> Document {
    let document = Self.emptyDocument()
    for record in all { try Self.write(record, to: document) }
    document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
    return document
  }

  /// Returns a document with each record in a change of its own.
  func documentOfSmallChanges() throws -> Document {
    let document = Self.emptyDocument()
    for record in all {
      try Self.write(record, to: document)
      document.commitWith(timestamp: record.end)
    }
    return document
  }

  /// Returns a document that writes the same bytes in each run.
  private static func emptyDocument() -> Document {
    let document = Document()
    document.actor = ActorId(bytes: .init(repeating: 0, count: 16))
    return document
  }

  private static func write(_ record: TimeRecord, to document: Document) throws {
    let map = try document.putObject(obj: .ROOT, key: record.id, ty: .Map)
    try document.put(obj: map, key: "startTime", value: .Timestamp(record.start))
    try document.put(obj: map, key: "endTime", value: .Timestamp(record.end))
    try document.put(obj: map, key: "tagId", value: .String(record.tag))
    if let comment = record.comment {
      try document.put(obj: map, key: "comment", value: .String(comment))
    }
    _ = try document.putObject(obj: map, key: "images", ty: .List)
  }

  private static func identifier(from random: inout SeededRandom) -> String {
    let digits = (0..<32).map { _ in random.pick(hexadecimalDigits) }
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }
}
