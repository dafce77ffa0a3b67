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

/// Documents as an import makes them: for each record two changes by two actors of their own
/// (convergent-import.md), and one change that ties all of them together.
enum ConvergentMonth {
  private static let map = ChangeDraft.LocalID(counter: 1, actor: 1)

  /// Returns a document of records as a file.
  static func document(of records: some Sequence<TimeRecord>) throws -> Data {
    var batch = ChangeBatch()
    var skeleton = ChangeDraft()
    var content = ChangeDraft()
    for record in records {
      build(&skeleton, of: record)
      batch.append(skeleton)
      build(&content, of: record, onto: skeleton)
      batch.append(content)
    }
    var document = DocumentState()
    try document.apply(batch)

    content.begin(
      sequence: 1, startCounter: document.maxCounter + 1, dependencies: document.heads)
    content.finish(deriving: "automerge-migrate/1/join")
    var join = ChangeBatch()
    join.append(content)
    try document.apply(join)
    return Data(document.encoded())
  }

  private static func build(_ skeleton: inout ChangeDraft, of record: TimeRecord) {
    let key = Array(record.id.utf8)
    let images = Array("images".utf8)
    skeleton.begin(sequence: 1, startCounter: 1, dependencies: [])
    let map = skeleton.makeObject(.map, in: .root, key: key.span)
    skeleton.makeObject(.list, in: map, key: images.span)
    skeleton.finish(deriving: "automerge-migrate/1/skeleton")
  }

  private static func build(
    _ content: inout ChangeDraft, of record: TimeRecord, onto skeleton: ChangeDraft
  ) {
    content.begin(
      sequence: 1, startCounter: 1021, dependencies: [skeleton.hash],
      otherActors: [skeleton.author])
    set(.timestamp(milliseconds(record.start)), "startTime", &content)
    set(.timestamp(milliseconds(record.end)), "endTime", &content)
    set(record.tag, "tagId", &content)
    if let comment = record.comment {
      set(comment, "comment", &content)
    } else {
      set(.null, "comment", &content)
    }
    content.finish(deriving: "automerge-migrate/1/content")
  }

  private static func set(_ value: DraftValue, _ name: String, _ content: inout ChangeDraft) {
    let key = Array(name.utf8)
    content.set(value, in: map, key: key.span)
  }

  private static func set(_ text: String, _ name: String, _ content: inout ChangeDraft) {
    let key = Array(name.utf8)
    let bytes = Array(text.utf8)
    content.set(.string, bytes.span, in: map, key: key.span)
  }

  private static func milliseconds(_ date: Date) -> Int64 {
    Int64(date.timeIntervalSince1970 * 1000)
  }
}
